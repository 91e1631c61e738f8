import { makeRefusal } from "./errors.ts";

/** What strangers (`asker.ts`) get while as many of them wait as may: nothing was begun. */
export const STRANGERS_REFUSED = makeRefusal("Too many strangers wait already");
