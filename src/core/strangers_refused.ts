import { makeRefusal } from "./errors.ts";

/** The refusal of strangers (`asker.ts`) while too many of them wait. It comes before any work. */
export const STRANGERS_REFUSED = makeRefusal("Too many strangers wait already");
