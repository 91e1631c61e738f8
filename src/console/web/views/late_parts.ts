import type * as Forms from "./forms.ts";
import type * as Role from "./role.ts";

/** Loads the parts that views show late. The files of these parts import the views, so the views cannot import them. */
interface LateParts {
  readonly loadForms: () => Promise<typeof Forms>;
  readonly loadRole: () => Promise<typeof Role>;
}

let parts: LateParts | undefined;

/** Says how to load the parts, before any view is shown. */
export function provideParts(given: LateParts): void {
  parts = given;
}

/** Returns how to load the parts. Throws a `TypeError` before `provideParts`. */
export function lateParts(): LateParts {
  if (parts === undefined) throw new TypeError("No late parts are provided");
  return parts;
}
