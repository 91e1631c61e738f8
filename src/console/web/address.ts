import { page } from "./page.ts";

/** What keeps the console from signing in at this address, where the service would refuse what it sends. */
export type AddressFault = "insecure" | "elsewhere";

/** The machine itself, where browsers need no encryption, under names that the service accepts in development. */
const THIS_MACHINE = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?$/;

export const addressFault: AddressFault | undefined = findAddressFault();

function findAddressFault(): AddressFault | undefined {
  if (!isSecureContext) return "insecure";
  const isOwn = location.origin === page.origin ||
    (page.origin.startsWith("http:") && THIS_MACHINE.test(location.origin));
  return isOwn ? undefined : "elsewhere";
}
