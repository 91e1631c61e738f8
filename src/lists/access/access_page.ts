import { AppError } from "../../core/errors.ts";
import { firstItems, type Page, PAGE_ROWS, type PageRequest } from "../../core/page.ts";
import type { Database } from "../../db/database.ts";
import { readRevised } from "../../db/revisions.ts";
import type { BoundStatement } from "../../db/statement.ts";
import { type AsOf, type Period, readMoment } from "../../graph/history/as_of.ts";
import type { MomentRow } from "../../graph/history/moment_queries.ts";

/** A page of a list of access. */
export interface AccessPage<T> extends Page<T> {
  /** Revision of the graph that the page shows. If several statements read the page, the first of their revisions. */
  readonly revision: number;
  /** The last of these revisions. */
  readonly revisionEnd?: number;
  /** In a list about one person, on a page with any of their access: who they are. */
  readonly person?: AccountName;
}

/** An account. The address is null once it is deleted. */
export interface AccountName {
  readonly userId: number;
  readonly userEmail: string | null;
}

/** A page as a statement of `*_queries.ts` returns it. */
export interface AccessPageRow {
  /** JSON list, of up to one more than the page holds, in no promised order. */
  readonly rows: string;
  /** The place up to which the statement scanned, or null for all of the list. */
  readonly lookedTo: number | null;
  readonly revision: number;
}

/** Further columns of a statement about the past. */
export interface PastPageRow extends MomentRow {
  /** 1 if more relations lead to the roles than a request follows. */
  readonly isCut: number;
}

/**
 * Runs the read of a page, of now or of the past. Throws `TOKEN_INVALID`, and for the past the errors of `readMoment`
 * and `LINEAGE_TOO_LARGE`.
 */
export async function readPageRow<R extends { readonly revision: number }>(
  database: Database,
  statement: BoundStatement<R>,
  past: AsOf | Period | undefined,
): Promise<R> {
  if (past === undefined) {
    const [row] = await readRevised(database, statement);
    if (row === undefined) throw new AppError("TOKEN_INVALID");
    return row;
  }
  const row = await readMoment<R & PastPageRow>(database, statement, "toMs" in past ? "during" : "asOf");
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  if (row.isCut) throw new AppError("LINEAGE_TOO_LARGE");
  return { ...row, revision: row.momentRevision };
}

/** Returns the rows of a page in order of place, cut to `limit` and `PAGE_BYTES`, and the place of the next page. */
export function cutPage<R, T>(
  found: readonly R[],
  lookedTo: number | null,
  { limit, placeOf, show }: { limit: number; placeOf: (row: R) => number; show: (row: R) => T },
): Page<T> {
  const inOrder = found.toSorted((a, b) => placeOf(a) - placeOf(b));
  const shown = inOrder.slice(0, limit).map(show);
  const rows = shown.slice(0, firstItems(shown).count);
  const last = inOrder[rows.length - 1];
  return { rows, next: last === undefined || rows.length === inOrder.length ? lookedTo : placeOf(last) };
}

/**
 * Yields the result of `show` for each page of a list. Reads a page once the text of the one before has been taken, and
 * does not keep it until then.
 */
export async function* eachPage<P extends AccessPage<unknown>, R>(
  readPage: (page: PageRequest) => Promise<P>,
  show: (page: P) => R,
): AsyncGenerator<R, void, undefined> {
  let place: number | null = -1;
  async function readNext(afterId: number): Promise<R> {
    const page = await readPage({ afterId, limit: PAGE_ROWS });
    place = page.next;
    return show(page);
  }
  while (place !== null) yield await readNext(place);
}
