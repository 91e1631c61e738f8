import { PAGE_ROWS, type PageRequest } from "../../core/page.ts";

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

/** The rows of a page in order of their place, cut to `limit`, and where the next page begins. */
export function cutPage<R>(
  { rows: json, lookedTo }: AccessPageRow,
  limit: number,
  placeOf: (row: R) => number,
): { rows: R[]; next: number | null } {
  const rows = (JSON.parse(json) as R[]).sort((a, b) => placeOf(a) - placeOf(b));
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
