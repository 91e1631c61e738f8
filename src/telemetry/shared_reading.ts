import { MAX_RETURNED_POINTS } from "./bucket.ts";
import type { ReadBudget, StoredSeries, StoreQuery, StoreResult, TelemetryStore } from "./store.ts";

type Query = Omit<StoreQuery, "maxRows" | "maxText">;

/** Values that the functions of one call may look at: seconds of work. */
export const MAX_LOOKED = 10_000_000;

/** Characters of texts and tags that one call may return: they share it as they share the points. */
export const MAX_RETURNED_TEXT = 32 * 1024 * 1024;

/** How many times its share a query that exceeded it may return at the next try. */
const GROWTH = 10;

/** What the queries of a call came to, and how many points were read for it; no results where there are too many. */
export interface SharedResults {
  readonly results: readonly StoreResult[] | undefined;
  readonly points: number;
}

/**
 * Runs the queries of a call so that never much more than `MAX_RETURNED_POINTS` points and `MAX_RETURNED_TEXT` characters
 * are in memory, however many there would be: first each with an even share of them, all at once; then those that have
 * more, with greater shares, in groups that fit. Stops as soon as it is certain that there is more than that in all; a
 * query whose texts exceed its share counts as if its points did.
 */
export async function readWithinBounds(
  store: Pick<TelemetryStore, "read">,
  queries: readonly Query[],
): Promise<SharedResults> {
  const results: StoreResult[] = [];
  /** Points of each query, or, while it is not read to its end, how many there are at least. */
  const points: number[] = queries.map(() => 0);
  const budget: ReadBudget = { values: MAX_LOOKED };
  let unfinished = [...queries.keys()];
  let share = Math.max(1, Math.floor(MAX_RETURNED_POINTS / queries.length));
  while (unfinished.length > 0) {
    const cut: number[] = [];
    for (const group of inGroups(unfinished, Math.floor(MAX_RETURNED_POINTS / share))) {
      const asked = group.map((i) => withShare(queries[i] as Query, share));
      for (const [k, result] of (await store.read(asked, budget)).entries()) {
        const i = group[k] as number;
        results[i] = result;
        points[i] = countPoints(asked[k] as StoreQuery, result);
        if ("series" in result && result.isCut) cut.push(i);
      }
      if (sum(points) > MAX_RETURNED_POINTS) return { results: undefined, points: sum(points) };
    }
    // What was cut is read anew: it must not stay in memory meanwhile.
    for (const i of cut) results[i] = { series: [], isCut: true };
    unfinished = cut;
    share = Math.min(MAX_RETURNED_POINTS, share * GROWTH);
  }
  return { results, points: sum(points) };
}

function withShare(query: Query, share: number): StoreQuery {
  return {
    ...query,
    maxRows: Math.max(1, Math.floor(share / query.columns.length)),
    maxText: Math.ceil(MAX_RETURNED_TEXT * (share / MAX_RETURNED_POINTS)),
  };
}

/** A row counts for all its columns. */
function countPoints({ columns, maxRows }: StoreQuery, result: StoreResult): number {
  if (!("series" in result)) return 0;
  const rows = result.isCut ? maxRows + 1 : countRows(result.series);
  return rows * columns.length;
}

function countRows(series: readonly StoredSeries[]): number {
  return series.reduce((total, { rowCount }) => total + rowCount, 0);
}

function inGroups(items: readonly number[], size: number): number[][] {
  const groups: number[][] = [];
  for (let at = 0; at < items.length; at += size) groups.push(items.slice(at, at + size));
  return groups;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
