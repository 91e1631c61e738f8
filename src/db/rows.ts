import type { Row } from "./database.ts";

/**
 * The rows of a statement as the type they have. Which columns there are only the SQL says: the type is the query
 * module's word for it, and the tests hold it to that.
 */
export function typedRows<T extends object>(rows: readonly Row[] = []): T[] {
  const untyped: readonly object[] = rows;
  return untyped as T[];
}

/** The row that a batch's last statement answers, if any. */
export function lastRow<T extends object>(results: readonly Row[][]): T | undefined {
  return typedRows<T>(results.at(-1))[0];
}
