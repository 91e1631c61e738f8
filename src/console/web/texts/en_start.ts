import { COMMON } from "./en/common.ts";
import { SIGN_IN } from "./en/sign_in.ts";

/** What the page says in English before the first view: it comes with the page. */
export const EN_START = { ...COMMON, signIn: SIGN_IN };
