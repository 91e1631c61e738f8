import { raw, render, type SQL } from "../db/sql.ts";
import * as principal from "./principal_queries.ts";

/** The rules of `principal_queries.ts` for statements that are still texts: with texts in place of values. */

/** Rows get a prefix, so that none hides a row of the text around them. */
export function textOf(rule: SQL): string {
  return render(rule, (name) => name === "acting" ? name : `guard_${name}`);
}

export const PRINCIPAL_LIVES: string = textOf(principal.PRINCIPAL_LIVES);

export function memberLives(row: string): string {
  return textOf(principal.memberLives({ endsAt: raw(`${row}.ends_at`) }));
}
