import { makeRefusal } from "./errors.ts";

/** The refusal of strangers (`asker.ts`) while too many of them wait. No work was begun. */
export const STRANGERS_REFUSED = makeRefusal("Too many strangers wait already");
