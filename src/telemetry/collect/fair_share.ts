import { AppError } from "../../core/errors.ts";
import { MAX_RETURNED_POINTS } from "../bucket/bucket.ts";
import type { ReadBudget, StoredSeries, StoreQuery, StoreResult, TelemetryStore } from "../store.ts";

type Query = Omit<StoreQuery, "maxRows" | "maxText">;

/** Values that the queries of one call may scan: seconds of work. */
const MAX_SCANNED = 10_000_000;

/** Maximum size of the rows of one call as JSON: in characters, or in bytes where a store counts these. */
const MAX_RETURNED_TEXT = 32 * 1024 * 1024;

/** Factor by which the share of a query that exceeded it grows at the next attempt. */
const GROWTH = 10;

/** The results of the queries of a call, or a refusal if they are too much; and how many points to charge. */
export type FairShareResults =
  & { readonly points: number }
  & ({ readonly results: readonly StoreResult[] } | { readonly refusal: AppError });

/** Progress of a call. */
interface Progress {
  readonly results: StoreResult[];
  /** Points of each query; for one that was cut, a lower bound. */
  readonly points: number[];
  /** Characters in the rows of complete results. */
  text: number;
  readonly budget: ReadBudget;
}

/**
 * Runs the queries of a call so that little more than `MAX_RETURNED_POINTS` points and `MAX_RETURNED_TEXT` is ever in
 * memory. First, all queries run at once, each with an even share of both. Those that were cut run again with larger
 * shares, in groups that fit. Stops as soon as the total is certain to exceed a maximum; a query whose text exceeds its
 * share counts as if its points did. A refusal is charged for the points returned or the values scanned until then,
 * whichever costs more.
 */
export async function readInFairShares(
  store: Pick<TelemetryStore, "read">,
  queries: readonly Query[],
): Promise<FairShareResults> {
  const progress = { results: [], points: queries.map(() => 0), text: 0, budget: { values: MAX_SCANNED } };
  try {
    await readInShares(store, queries, progress);
    return { results: progress.results, points: sum(progress.points) };
  } catch (refusal) {
    if (!(refusal instanceof AppError && refusal.code === "TOO_MUCH_TELEMETRY")) throw refusal;
    return { refusal, points: Math.max(sum(progress.points), workOf(progress.budget)) };
  }
}

/** The cost in points: using up the budget costs as much as the largest response. */
function workOf({ values }: ReadBudget): number {
  const used = Math.min(1, (MAX_SCANNED - values) / MAX_SCANNED);
  return Math.ceil(used * MAX_RETURNED_POINTS);
}

async function readInShares(
  store: Pick<TelemetryStore, "read">,
  queries: readonly Query[],
  progress: Progress,
): Promise<void> {
  const { results, points, budget } = progress;
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
        else progress.text += countCharacters(result);
      }
      if (sum(points) > MAX_RETURNED_POINTS || progress.text > MAX_RETURNED_TEXT) throw tooMuch();
    }
    // Cut results are read again, and must not occupy memory until then.
    for (const i of cut) results[i] = { series: [], isCut: true };
    unfinished = cut;
    share = Math.min(MAX_RETURNED_POINTS, share * GROWTH);
  }
}

function tooMuch(): AppError {
  const message = `The queries would return more than ${MAX_RETURNED_POINTS} points, or ${
    MAX_RETURNED_TEXT / 1024 / 1024
  } MiB of text (on a database server, 4.9 MB per query): query shorter time ranges, wider windows or fewer columns`;
  return new AppError("TOO_MUCH_TELEMETRY", { message });
}

function withShare(query: Query, share: number): StoreQuery {
  return {
    ...query,
    maxRows: Math.max(1, Math.floor(share / query.columns.length)),
    maxText: Math.ceil(MAX_RETURNED_TEXT * (share / MAX_RETURNED_POINTS)),
  };
}

/** A row counts as one point per column. */
function countPoints({ columns, maxRows }: StoreQuery, result: StoreResult): number {
  if (!("series" in result)) return 0;
  const rows = result.isCut ? maxRows + 1 : countRows(result.series);
  return rows * columns.length;
}

function countCharacters(result: StoreResult): number {
  return "series" in result ? sum(result.series.map(({ rowsJson }) => rowsJson.length)) : 0;
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
