import { AppError } from "../../core/errors.ts";
import { PAGE_ROWS, type PageRequest } from "../../core/page.ts";
import type { Database } from "../../db/database.ts";
import { readRevised } from "../../db/revisions.ts";
import type { BoundStatement } from "../../db/statement.ts";
import { type AsOf, type MomentRow, readMoment } from "../../role/history/as_of.ts";

/** A page of a list of access. It may be short, or even empty, although rows follow. */
export interface AccessPage<T> {
  readonly rows: readonly T[];
  /** The place after which the next page begins, or null at the end. */
  readonly next: number | null;
  /** Revision of the graph that the page shows. */
  readonly revision: number;
}

/** What a statement of `*_queries.ts` returns for a page. */
export interface AccessPageRow {
  /** JSON list, of up to one more than the page holds, in no promised order. */
  readonly rows: string;
  /** The place up to which the statement looked, or null for all of the list. */
  readonly lookedTo: number | null;
  readonly revision: number;
}

/** What a statement about the past returns besides. */
export interface PastPageRow extends MomentRow {
  /** 1 if more relations lead to the roles than a request follows. */
  readonly isCut: number;
}

/**
 * Runs the read of a page, of now or of a moment. Throws `TOKEN_INVALID`, and about a moment the errors of `readMoment`
 * and `LINEAGE_TOO_LARGE`.
 */
export async function readPageRow<R extends { readonly revision: number }>(
  database: Database,
  statement: BoundStatement,
  asOf: AsOf | undefined,
): Promise<R> {
  if (asOf === undefined) {
    const [row] = await readRevised<R>(database, statement);
    if (row === undefined) throw new AppError("TOKEN_INVALID");
    return row;
  }
  const row = await readMoment<R & PastPageRow>(database, statement);
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  if (row.isCut) throw new AppError("LINEAGE_TOO_LARGE");
  return { ...row, revision: row.momentRevision };
}

/** The rows of a page in order of their place, cut to `limit`, and where the next page begins. */
export function cutPage<R>(
  found: readonly R[],
  lookedTo: number | null,
  { limit, placeOf }: { limit: number; placeOf: (row: R) => number },
): { rows: readonly R[]; next: number | null } {
  const rows = found.toSorted((a, b) => placeOf(a) - placeOf(b));
  const last = rows[limit - 1];
  if (last === undefined || rows.length === limit) return { rows, next: lookedTo };
  return { rows: rows.slice(0, limit), next: placeOf(last) };
}

/** All pages of a list from its first one on, each read when the one before has been taken. */
export async function* eachPage<T>(
  first: AccessPage<T>,
  readPage: (page: PageRequest) => Promise<AccessPage<T>>,
): AsyncGenerator<AccessPage<T>, void> {
  let page = first;
  yield page;
  while (page.next !== null) {
    page = await readPage({ afterId: page.next, limit: PAGE_ROWS });
    yield page;
  }
}
