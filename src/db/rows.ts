import type { Database, Row } from "./database.ts";
import {
  type ArgsOfAll,
  bindBatch,
  type BoundStatement,
  type Exactly,
  type RowOf,
  type SqlArgs,
  type Statement,
} from "./statement.ts";

/**
 * Returns rows as a given type. Only the SQL determines the columns: the query module declares their type, and tests
 * check it.
 */
export function typedRows<T extends object>(rows: readonly Row[] = []): T[] {
  const untyped: readonly object[] = rows;
  return untyped as T[];
}

/** Returns the first row of a batch's last statement, or undefined. */
export function lastRow<T extends object>(results: readonly Row[][]): T | undefined {
  return typedRows<T>(results.at(-1))[0];
}

/** Runs a write of one statement, and returns its rows. */
export async function writeOne<R extends object>(
  database: Pick<Database, "write">,
  statement: BoundStatement<R>,
): Promise<R[]> {
  const [rows] = await database.write([statement]);
  return typedRows<R>(rows);
}

/** The rows of several statements, in their order. */
export type RowsOfAll<S extends readonly Statement[]> = { -readonly [I in keyof S]: RowOf<S[I]>[] };

/** Runs reads on one snapshot, in one round trip. Each gets the values that it names from `args`. */
export async function readTogether<const S extends readonly Statement[], G extends ArgsOfAll<S> & SqlArgs>(
  database: Database,
  reads: S,
  args: Exactly<ArgsOfAll<S>, G>,
): Promise<RowsOfAll<S>> {
  return await database.readAll(bindBatch(reads, args)) as RowsOfAll<S>;
}
