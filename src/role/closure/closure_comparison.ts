import type { Database } from "../../db/database.ts";
import { type PlainRead, readRows } from "../../db/plain_read.ts";
import type { SqlArgs } from "../../db/statement.ts";
import type { ClosureRow, ComputedClosure } from "./closure.ts";
import { CLOSURE_ROWS_AFTER } from "./closure_reads.ts";
import type { RightsMask } from "../rights.ts";

/** Rows a read: about a megabyte of a server's answer. */
const PAGE = 10_000;

/** A pair of roles for which the kept closure is not what the relations say. */
export interface ClosureDifference {
  readonly descendantId: number;
  readonly ancestorId: number;
  /** Rights of the row that is kept; undefined: there is none. */
  readonly kept: RightsMask | undefined;
  /** Rights of the row that there should be; undefined: there should be none. */
  readonly expected: RightsMask | undefined;
}

/** Reads page after page: `after` gives the place behind `last`, the row that ended the page before. */
export async function* readInPages<R>(
  database: Database,
  read: PlainRead<R>,
  after: (last: R | undefined) => SqlArgs,
  pageSize: number = PAGE,
): AsyncGenerator<R[]> {
  let last: R | undefined;
  for (;;) {
    const page = await readRows(database, read, { ...after(last), limit: pageSize });
    yield page;
    if (page.length < pageSize) return;
    last = page.at(-1);
  }
}

/** Walks through the kept rows and the computed ones side by side, both in the order of the table's key. */
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
