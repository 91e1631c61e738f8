import type { Namespace } from "./point.ts";

export const AGGREGATES = ["sum", "min", "max", "mean", "count", "first", "last"] as const;
export type Aggregate = (typeof AGGREGATES)[number];

/** What a query is told whose functions of numbers (sum, min, max, mean) meet something else. Public. */
export const NEEDS_NUMBERS = "Invalid format: sum, min, max and mean need a field of numbers";

/** One column of a result besides `time`. */
export interface Column {
  readonly field: string;
  readonly aggregate: Aggregate | undefined;
  /** What the result calls it: the field, or the function and the field (`mean_power`). */
  readonly name: string;
}

/** A query that is well-formed; `parseQuery` makes it from a request. */
export interface TelemetryQuery extends Namespace {
  readonly measurement: string;
  readonly nodeId: string;
  /** All columns are plain fields, or all are aggregates. No two have the same name. */
  readonly columns: readonly [Column, ...Column[]];
  /**
   * Nanoseconds since 1970, inclusive; undefined where the query sets no bound. An aggregate without windows has one row,
   * whose time is `from`, or 1970 without it.
   */
  readonly from: bigint | undefined;
  readonly to: bigint | undefined;
  /** Tags that a series must have, `nodeId` included. */
  readonly tags: ReadonlyMap<string, string>;
  /** Nanoseconds; windows begin at multiples of it since 1970. Only with aggregates. */
  readonly window: bigint | undefined;
  readonly descending: boolean;
  /** Rows per series. */
  readonly limit: number | undefined;
}
