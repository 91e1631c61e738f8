import type { Database } from "../../db/database.ts";
import { bind, type SqlArgs, type Statement } from "../../db/statement.ts";
import type { ClosureRow, ComputedClosure } from "./closure.ts";
import { CLOSURE_ROWS_AFTER } from "./verification_queries.ts";
import type { RightsMask } from "../rights.ts";

/** Rows per read: about 1 MB of a server's response. */
const PAGE = 10_000;

/** A pair of roles for which the stored closure does not match the relations. */
export interface ClosureDifference {
  readonly descendantId: number;
  readonly ancestorId: number;
  /** Rights of the stored row, or undefined if there is none. */
  readonly kept: RightsMask | undefined;
  /** Rights that the row should have, or undefined if there should be no row. */
  readonly expected: RightsMask | undefined;
}

/** Reads page by page. `after` returns the statement's parameters for the page after `last`, the last row so far. */
export async function* readInPages<R>(
  database: Database,
  read: Statement<SqlArgs, R>,
  after: (last: R | undefined) => SqlArgs,
  pageSize: number = PAGE,
): AsyncGenerator<R[]> {
  let last: R | undefined;
  for (;;) {
    const page = await database.read(bind(read, { ...after(last), limit: pageSize }));
    yield page;
    if (page.length < pageSize) return;
    last = page.at(-1);
  }
}

/** Merges the stored rows with the computed ones, both in the order of the table's key, and yields the differences. */
export async function* differencesOf(
  database: Database,
  closure: ComputedClosure,
  onRead: (rows: number) => void,
): AsyncGenerator<ClosureDifference> {
  const computed = closure.rows();
  let expected = computed.next();
  const pages = readInPages(database, CLOSURE_ROWS_AFTER, (last) => {
    return { descendantId: last?.descendantId ?? -1, ancestorId: last?.ancestorId ?? -1 };
  });
  for await (const page of pages) {
    for (const kept of page) {
      while (!expected.done && compareKeys(expected.value, kept) < 0) {
        yield missing(expected.value);
        expected = computed.next();
      }
      if (expected.done || compareKeys(expected.value, kept) > 0) {
        yield differing(kept, undefined);
        continue;
      }
      if (expected.value.rights !== kept.rights) {
        yield differing(kept, expected.value.rights);
      }
      expected = computed.next();
    }
    onRead(page.length);
  }
  for (; !expected.done; expected = computed.next()) yield missing(expected.value);
}

function missing({ descendantId, ancestorId, rights }: ClosureRow): ClosureDifference {
  return { descendantId, ancestorId, kept: undefined, expected: rights };
}

function differing(row: ClosureRow, expected: RightsMask | undefined): ClosureDifference {
  const { descendantId, ancestorId, rights } = row;
  return { descendantId, ancestorId, kept: rights, expected };
}

function compareKeys(a: ClosureRow, b: ClosureRow): number {
  return a.descendantId - b.descendantId || a.ancestorId - b.ancestorId;
}
