import { textOf } from "../role/guard_text.ts";
import * as grant from "./grant_queries.ts";
import * as guard from "./guard_queries.ts";

/** The rules of `guard_queries.ts` and its neighbours for statements that are still texts. */

export const LACKS_GRANT: string = textOf(grant.LACKS_GRANT);

export function managesAnyDevice(): string {
  return textOf(guard.managesAnyDevice());
}
