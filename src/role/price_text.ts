import { raw } from "../db/sql.ts";
import { textOf } from "./guard_text.ts";
import * as price from "./price_queries.ts";

/** The rules of `price_queries.ts` for statements that are still texts. */

export function isCostly(list: string): string {
  return textOf(price.isCostly(raw(list)));
}

export function affordedId(rows: string, condition?: string): string {
  return textOf(price.affordedId(raw(rows), condition === undefined ? undefined : raw(condition)));
}
