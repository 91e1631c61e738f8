import type { Namespace } from "./point.ts";

export const AGGREGATES = ["sum", "min", "max", "mean", "count", "first", "last"] as const;
export type Aggregate = (typeof AGGREGATES)[number];

/** The error of a query whose numeric functions (sum, min, max, mean) meet other values. Public. */
export const NEEDS_NUMBERS = "Invalid format: sum, min, max and mean need a numeric field";

/** Nanoseconds since 1970, both inclusive. */
export interface TimeRange {
  readonly from: bigint;
  readonly to: bigint;
}

/** One column of a result besides `time`. */
export interface Column {
  readonly field: string;
  readonly aggregate: Aggregate | undefined;
  /** Its name in the result: the field, or the function and the field (`mean_power`). */
  readonly name: string;
}

/** A well-formed query, as `parseQuery` returns it. */
export interface TelemetryQuery extends Namespace {
  readonly measurement: string;
  readonly nodeId: string;
  /** Either all columns are plain fields, or all are aggregates. Their names are distinct. */
  readonly columns: readonly [Column, ...Column[]];
  /**
   * Nanoseconds since 1970, inclusive; undefined without a bound. An aggregate without windows has one row, at `from`
   * or else 1970.
   */
  readonly from: bigint | undefined;
  readonly to: bigint | undefined;
  /** Tags that a series must have, including `nodeId`. */
  readonly tags: ReadonlyMap<string, string>;
  /** Length of a window in nanoseconds. Windows begin at its multiples since 1970. Only with aggregates. */
  readonly window: bigint | undefined;
  readonly descending: boolean;
  /** Maximum rows per series. */
  readonly limit: number | undefined;
}
