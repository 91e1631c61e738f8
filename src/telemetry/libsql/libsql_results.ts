import type { Row } from "../../db/database.ts";
import { typedRows } from "../../db/rows.ts";
import type { AggregateRow } from "./aggregate_queries.ts";
import { formatCells, formatRows } from "./libsql_rows.ts";
import type { PlainRow } from "./plain_queries.ts";
import { NEEDS_NUMBERS } from "../points/query.ts";
import type { StoredSeries, StoreQuery, StoreResult } from "../store.ts";
import { formatMs, formatTime } from "../points/time.ts";

/** Turns the rows of a statement into the result of its query. */

const NS_PER_MS = 1_000_000n;

/** The result of a query, and how many values were scanned. There is no result if it would scan more than allowed. */
export interface Outcome {
  readonly result: StoreResult | undefined;
  readonly scanned: number;
}

/** Whether the columns are functions. A query does not mix these with plain fields. */
export function hasFunctions({ columns }: StoreQuery): boolean {
  return columns[0].aggregate !== undefined;
}

/** Interprets the rows of a query's statement, which was allowed to scan `maxScanned` values. */
export function toOutcome(query: StoreQuery, rows: readonly Row[], maxScanned: number): Outcome {
  return hasFunctions(query)
    ? toAggregateOutcome(query, typedRows<AggregateRow>(rows), maxScanned)
    : toPlainOutcome(query, typedRows<PlainRow>(rows), maxScanned);
}

function toPlainOutcome(
  { columns }: StoreQuery,
  [ofQuery, ...ofTagSets]: readonly PlainRow[],
  maxScanned: number,
): Outcome {
  if (ofQuery === undefined) throw new Error("A query for plain fields returned no rows");
  if (ofQuery.count > maxScanned) return { result: undefined, scanned: maxScanned };
  const series = ofTagSets.flatMap(({ tags, count, rows }) =>
    tags === null || rows === null ? [] : [{
      tags: JSON.parse(tags) as StoredSeries["tags"],
      tagsJson: tags,
      rowsJson: columns.length === 1 ? formatRows(rows) : formatCells(rows, columns.length),
      rowCount: count,
    }]
  );
  return { result: { series: inOrderOfTags(series), isCut: ofQuery.isCut === 1 }, scanned: ofQuery.count };
}

function toAggregateOutcome(query: StoreQuery, [row]: readonly AggregateRow[], maxScanned: number): Outcome {
  if (row === undefined) throw new Error("A query with functions returned no rows");
  const { scopeScanned, scanned } = row;
  if (scopeScanned > maxScanned || scanned > maxScanned) return { result: undefined, scanned: maxScanned };
  return { result: toAggregateResult(query, row), scanned: scopeScanned + scanned };
}

function toAggregateResult(query: StoreQuery, row: AggregateRow): StoreResult {
  if (row.isRefused) {
    return { invalid: NEEDS_NUMBERS };
  }
  if (row.rows === null) return { series: [], isCut: row.isCut === 1 };
  const drafts: { readonly tagsJson: string; readonly rows: string[] }[] = [];
  for (const line of row.rows.split("\n")) {
    if (line.startsWith("{")) drafts.push({ tagsJson: line, rows: [] });
    else {
      const windowEnd = line.indexOf(",");
      const time = rowTime(query, line.slice(0, windowEnd));
      drafts.at(-1)?.rows.push(`["${time}"${line.slice(windowEnd)}]`);
    }
  }
  const series = drafts.map(({ tagsJson, rows }) => {
    const tags = JSON.parse(tagsJson) as StoredSeries["tags"];
    return { tags, tagsJson, rowsJson: rows.join(","), rowCount: rows.length };
  });
  return { series: inOrderOfTags(series), isCut: false };
}

/** The time of an aggregate's row: the beginning of its window, or of the range. */
function rowTime({ window, from }: StoreQuery, windowNumber: string): string {
  if (window === undefined) return formatTime(from ?? 0n);
  return window % NS_PER_MS === 0n
    ? formatMs(Number(windowNumber) * Number(window / NS_PER_MS))
    : formatTime(BigInt(windowNumber) * window);
}

/** Orders by UTF-16 code units, as everywhere outside the database, which orders by code points. */
function inOrderOfTags(series: readonly (StoredSeries & { tagsJson: string })[]): StoredSeries[] {
  const ordered = series.length < 2 ? series : series.toSorted((a, b) => a.tagsJson < b.tagsJson ? -1 : 1);
  return ordered.map(({ tags, rowsJson, rowCount }) => ({ tags, rowsJson, rowCount }));
}
