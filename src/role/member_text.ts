import { member } from "../db/schema/role.ts";
import { named } from "../db/sql.ts";
import { textOf } from "./guard_text.ts";
import * as members from "./member_queries.ts";

/** The rule of `member_queries.ts` for statements that are still texts. `keeper` is a row of `member` there. */

export function isLastKeeper(keeper: string): string {
  return textOf(members.isLastKeeper(named(member, keeper)));
}
