import { member } from "../db/schema/role.ts";
import { named } from "../db/sql.ts";
import { textOf } from "./guard_text.ts";
import * as members from "./member_queries.ts";

/** The rules of `member_queries.ts` for statements that are still texts. `keeper` is a row of `member` there. */

export function keepsRoot(keeper: string): string {
  return textOf(members.keepsRoot(named(member, keeper)));
}

export function isLastKeeper(keeper: string): string {
  return textOf(members.isLastKeeper(named(member, keeper)));
}
