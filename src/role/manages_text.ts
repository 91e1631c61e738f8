import { raw } from "../db/sql.ts";
import { textOf } from "./guard_text.ts";
import * as manages from "./manages_queries.ts";

/** The rule of `manages_queries.ts` for statements that are still texts. */
export function mayJoin(parent: string, child: string, added: string): string {
  return textOf(manages.mayJoin(raw(parent), raw(child), raw(added)));
}
