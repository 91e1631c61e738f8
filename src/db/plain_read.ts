import type { Database, Row } from "./database.ts";
import { bind, bindBatch, type SqlArgs, type Statement } from "./statement.ts";

/** A read statement with the type of its rows, which `defineRead` takes from the schema. */
export interface PlainRead<T> extends Statement {
  /** Only for the compiler: no statement has this property. */
  readonly row?: T;
}

export type PlainReads = Readonly<Record<string, PlainRead<unknown>>>;

export type RowOf<R> = R extends PlainRead<infer T> ? T : never;

/** The rows of several reads, by the reads' names. */
export type RowsOf<R extends PlainReads> = { readonly [K in keyof R]: RowOf<R[K]>[] };

/** Runs one read, in one round trip. */
export function readRows<T>(database: Database, read: PlainRead<T>, args: SqlArgs): Promise<T[]> {
  return database.read<T>(bind(read, args));
}

/** Runs reads on one snapshot, in one round trip. Each gets the values that it names. */
export async function readTogether<R extends PlainReads>(
  database: Database,
  reads: R,
  args: SqlArgs,
): Promise<RowsOf<R>> {
  return nameRows(reads, await database.readAll(bindBatch(Object.values(reads), args)));
}

/** Names lists of rows after the reads that returned them, which are in the same order. */
export function nameRows<R extends PlainReads>(reads: R, results: readonly Row[][]): RowsOf<R> {
  const lists = Object.keys(reads).map((name, i) => [name, results[i] ?? []] as const);
  return Object.fromEntries(lists) as RowsOf<R>;
}
