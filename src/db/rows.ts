import type { Row } from "./database.ts";

/**
 * The row that a batch's last statement answers, if any. What columns it has only its SQL says: the type is the query
 * module's word for it, and the tests hold it to that.
 */
export function lastRow<T extends object>(results: readonly Row[][]): T | undefined {
  const row: object | undefined = results.at(-1)?.[0];
  return row as T | undefined;
}
