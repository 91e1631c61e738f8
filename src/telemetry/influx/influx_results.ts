import type { InfluxSeries } from "./influx_client.ts";
import { decodeText } from "./influxql.ts";
import { NEEDS_NUMBERS } from "../points/query.ts";
import type { StoredSeries, StoreQuery, StoreResult } from "../store.ts";
import { formatTime } from "../points/time.ts";

/** The results of queries, while their rows arrive from InfluxDB and once they are complete. */

export const NOTHING: Amount = { rows: 0, text: 0 };

/** A series of a result while its rows arrive. */
interface ArrivingSeries {
  readonly tags: readonly (readonly [string, string])[];
  /** Its tags as InfluxDB sent them, the same for all parts of a series. */
  readonly key: string;
  readonly rows: string[];
}

/** Rows, and the characters of their tags and string values. */
export interface Amount {
  readonly rows: number;
  readonly text: number;
}

/** The result of a query while its rows arrive. */
export interface ArrivingResult {
  readonly query: StoreQuery;
  /** Empty once it is cut. */
  readonly series: ArrivingSeries[];
  received: Amount;
  isCut: boolean;
  holdsTexts: boolean;
}

/** The result of a query before any rows have arrived. */
export function expectResult(query: StoreQuery): ArrivingResult {
  return { query, series: [], received: NOTHING, isCut: false, holdsTexts: false };
}

/** The sum of two amounts. */
export function add(a: Amount, b: Amount): Amount {
  return { rows: a.rows + b.rows, text: a.text + b.text };
}

/** Whether an amount is within another, both in rows and in text. */
export function fits(amount: Amount, allowed: Amount): boolean {
  return amount.rows <= allowed.rows && amount.text <= allowed.text;
}

/**
 * Adds rows to a result until it is cut. Returns how much arrived, kept or not. Rows beyond the query's limit are
 * dropped: InfluxDB applies the limit to each function separately, so they may lack values.
 */
export function receiveRows(result: ArrivingResult, { tags = {}, values }: InfluxSeries): Amount {
  const { query: { maxRows, maxText, limit = Infinity } } = result;
  if (result.isCut) return amountOf(values.slice(0, limit));
  const { series, tagsLength } = seriesFor(result, tags);
  const counting = values.slice(0, limit - series.rows.length);
  const arrived = add(amountOf(counting), { rows: 0, text: tagsLength });
  result.received = add(result.received, arrived);
  if (fits(result.received, { rows: maxRows, text: maxText })) {
    for (const row of counting) series.rows.push(JSON.stringify(timeRow(row, result.query)));
  } else {
    result.isCut = true;
    result.series.length = 0;
  }
  return arrived;
}

function amountOf(rows: readonly (readonly unknown[])[]): Amount {
  let text = 0;
  // The first column is the time.
  for (const [, ...values] of rows) {
    for (const value of values) text += typeof value === "string" ? value.length : 0;
  }
  return { rows: rows.length, text };
}

/**
 * Returns the series that arrived last if it has these tags, otherwise a new one. `tagsLength` is 0 if the tags were
 * counted before.
 */
function seriesFor(
  result: ArrivingResult,
  tags: Readonly<Record<string, string>>,
): { readonly series: ArrivingSeries; readonly tagsLength: number } {
  const key = JSON.stringify(tags);
  const last = result.series.at(-1);
  if (last?.key === key) return { series: last, tagsLength: 0 };
  const series = { tags: decodeTags(tags), key, rows: [] };
  result.series.push(series);
  const tagsLength = series.tags.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  return { series, tagsLength };
}

/** With `GROUP BY *`, InfluxDB sends the tags that a series lacks as empty strings. */
function decodeTags(tags: Readonly<Record<string, string>>): [string, string][] {
  const present = Object.entries(tags).filter(([, value]) => value !== "");
  const decoded = present.map(([name, value]): [string, string] => [decodeText(name), decodeText(value)]);
  return decoded.sort(([a], [b]) => compareTexts(a, b));
}

/**
 * A function without windows has the time of the query. For some functions, InfluxDB sends the time of the chosen
 * value.
 */
function timeRow(row: readonly unknown[], { columns, window, from }: StoreQuery): readonly unknown[] {
  if (columns[0].aggregate === undefined || window !== undefined) return row;
  return [formatTime(from ?? 0n), ...row.slice(1)];
}

/** Returns the complete result, its series in the order of their tags. */
export function finishResult({ series, isCut, holdsTexts }: ArrivingResult): StoreResult {
  if (holdsTexts) return { invalid: NEEDS_NUMBERS };
  const stored = series.filter(({ rows }) => rows.length > 0).map((
    { tags, rows },
  ): [string, StoredSeries] => [
    orderText(tags),
    { tags: Object.fromEntries(tags), rowsJson: rows.join(","), rowCount: rows.length },
  ]);
  return { series: stored.sort(([a], [b]) => compareTexts(a, b)).map(([, one]) => one), isCut };
}

/** The tags as JSON. Built by hand, because an object would put integer-like names first. */
function orderText(tags: ArrivingSeries["tags"]): string {
  return `{${tags.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`;
}

/** Compares by UTF-16 code units, the order of keys and tag sets outside the database. */
function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
