import type { Row } from "./database.ts";

/**
 * Rows as a given type. Only the SQL says which columns there are: the query module declares their type, and tests
 * check it.
 */
export function typedRows<T extends object>(rows: readonly Row[] = []): T[] {
  const untyped: readonly object[] = rows;
  return untyped as T[];
}

/** The first row of a batch's last statement, if there is one. */
export function lastRow<T extends object>(results: readonly Row[][]): T | undefined {
  return typedRows<T>(results.at(-1))[0];
}
