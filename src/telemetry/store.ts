import type { Actor } from "../core/actor.ts";
import type { Destination, SeriesWrite } from "./points/point.ts";
import type { TelemetryQuery } from "./points/query.ts";
import type { ReadBudget } from "./read_budget.ts";

/** A query whose device the caller may read. */
export interface StoreQuery extends TelemetryQuery {
  readonly deviceId: number;
}

/** The rows of one tag set. */
export interface StoredSeries {
  /** All tags of the set as a JSON object, its keys ordered by UTF-16 code units. */
  readonly tagsJson: string;
  /**
   * Rows as the elements of a JSON array, without its brackets, one or several in each text:
   * `["2026-01-01T00:00:00Z",1.5,null],[…]`. Each row has its time in ISO 8601 (UTC), then a value or null for each
   * column. Never empty.
   */
  readonly rows: readonly string[];
}

export type StoreResult =
  /** Ordered by tags; empty if nothing matches. */
  | { readonly series: readonly StoredSeries[] }
  /** Why the query does not fit the stored data: a numeric function of other values. Public. */
  | { readonly invalid: string };

/**
 * Stores points: two implementations, one conformance suite. Points belong to a device by its id, so a device that
 * reuses a nodeId never finds the points of the previous one.
 */
export interface TelemetryStore {
  /**
   * Runs queries, several in one round trip if the engine can. Returns one result per query, in order. Throws
   * `UNAVAILABLE`, and `TOO_MUCH_TELEMETRY` as soon as they exceed the budget or a limit of the engine.
   */
  read(queries: readonly StoreQuery[], budget: ReadBudget): Promise<StoreResult[]>;
  /**
   * Writes at least one series for the actor: everything, or nothing. Throws `TOKEN_INVALID` if the session is over, `FORBIDDEN` unless the
   * actor may write each device and the destination includes it, `TELEMETRY_REFUSED` if a field changes its kind, the request is too large or the
   * engine refuses part of it, and `UNAVAILABLE`.
   */
  write(actor: Actor, destination: Destination, series: readonly SeriesWrite[]): Promise<void>;
  /** Deletes all points of deleted devices, in batches. Stops early and returns false once `signal` is aborted. */
  forget(deviceIds: readonly number[], signal?: AbortSignal): Promise<boolean>;
  /**
   * Deletes points before `time` (nanoseconds since 1970). Returns how many, or undefined if the engine does not report
   * it.
   */
  deleteBefore(time: bigint, signal?: AbortSignal): Promise<number | undefined>;
  /** Whether the engine is ready to serve. Throws `UNAVAILABLE` if it cannot be reached. */
  isReady(): Promise<boolean>;
}
