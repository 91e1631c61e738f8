import { formatMs, formatTime, nsOf } from "../points/time.ts";
import type { StoreQuery } from "../store.ts";

/** The lines that `read_queries.ts` returns, and the rows made of them. */

const NS_PER_MS = 1_000_000n;

/**
 * The place of a row: milliseconds, or nanoseconds (bigint) if not whole milliseconds. Of a row with functions, the
 * number of its window since 1970, bigint if windows are no whole milliseconds; 0 without windows.
 */
export type RowKey = number | bigint;

/** Some rows of one column. */
export interface ColumnRows {
  readonly keys: readonly RowKey[];
  /** Values as JSON. */
  readonly values: readonly string[];
}

/** Parses a line of `READ_POINTS`. */
export function parsePoints(line: string): ColumnRows {
  const [times, ...values] = line.split("\t");
  const keys = JSON.parse(`[${times}]`) as (number | string)[];
  return { keys: keys.map((key) => typeof key === "number" ? key : BigInt(key)), values };
}

/** Parses a line of `READ_FUNCTIONS`: one row. */
export function parseFunction(line: string, { window }: StoreQuery): ColumnRows {
  const end = line.indexOf(",");
  const number = line.slice(0, end);
  const key = window === undefined || window % NS_PER_MS === 0n ? Number(number) : BigInt(number);
  return { keys: [key], values: [line.slice(end + 1)] };
}

/** Whether a row comes before another one of the same query. */
export function isBefore(a: RowKey, b: RowKey): boolean {
  // Kinds differ only between times.
  return typeof a === typeof b ? a < b : timeOf(a) < timeOf(b);
}

/** Returns the nanoseconds of a row of plain fields. */
export function timeOf(key: RowKey): bigint {
  return typeof key === "bigint" ? key : nsOf(key);
}

/** Formats the time of a row of plain fields. */
export function formatPointTime(key: RowKey): string {
  return typeof key === "number" ? formatMs(key) : formatTime(key);
}

/** Formats the time of a row with functions: the beginning of its window, or of the range. */
export function formatWindowTime(key: RowKey, { window, from }: StoreQuery): string {
  if (window === undefined) return formatTime(from ?? 0n);
  return typeof key === "number" ? formatMs(key * Number(window / NS_PER_MS)) : formatTime(key * window);
}
