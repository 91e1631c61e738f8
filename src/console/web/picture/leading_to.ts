import { follow, ROOT } from "../router.ts";

/** Returns the properties of an element that leads to an address; undefined: to none, because it does not exist yet. */
export function leadingTo(to: string | undefined) {
  return to === undefined ? { role: "img" } as const : { href: ROOT + to, onClick: follow };
}
