import type { Actor } from "../core/actor.ts";
import type { Namespace, SeriesWrite } from "./points/point.ts";
import type { TelemetryQuery } from "./points/query.ts";

/** A query whose device the caller may read. */
export interface StoreQuery extends TelemetryQuery {
  readonly deviceId: number;
  /** Greatest number of rows to answer over all series; where there are more, `isCut` says so. At least 1. */
  readonly maxRows: number;
  /**
   * Greatest length of the texts and tags among them, in characters or in bytes of their JSON, which are more; where there
   * is more, `isCut` says so, too.
   */
  readonly maxText: number;
}

/** What the queries of one call may still cost the engine; whoever scans values takes them off. */
export interface ReadBudget {
  /** Values that queries may scan. Whatever else takes time counts for so many as take as long. */
  values: number;
}

/** The rows of one tag set. */
export interface StoredSeries {
  /** All its tags, as they were written. */
  readonly tags: Readonly<Record<string, string>>;
  /**
   * Rows as the elements of a JSON array, without its brackets: `["2026-01-01T00:00:00Z",1.5,null],[…]`, times in ISO 8601
   * (UTC), then a value or null for each column. Never empty.
   */
  readonly rowsJson: string;
  readonly rowCount: number;
}

export type StoreResult =
  /**
   * Ordered by tags; empty where nothing matches. `isCut`: there are more rows than `maxRows` (those that `limit` leaves out
   * do not count), or longer texts than `maxText`, and which of them are here is left open.
   */
  | { readonly series: readonly StoredSeries[]; readonly isCut: boolean }
  /** What is wrong with the query, judged by what is stored: a number's function on texts. Public. */
  | { readonly invalid: string };

/**
 * Where points are kept: two implementations, one conformance suite. Points belong to a device by its id, so that a
 * nodeId that is used again never finds the points of the device that had it before.
 */
export interface TelemetryStore {
  /**
   * Runs queries, at once where the engine can; one result per query, in order. Throws `UNAVAILABLE`, and
   * `TOO_MUCH_TELEMETRY` where they would scan more values than the budget has; what they scanned is taken off then, too.
   */
  read(queries: readonly StoreQuery[], budget: ReadBudget): Promise<StoreResult[]>;
  /**
   * Writes all of it for the actor, or nothing. Throws `TOKEN_INVALID` when his session is over, `FORBIDDEN` unless he may
   * write each device, `TELEMETRY_REFUSED` where a field changes its kind, there is too much for one request, or the engine
   * refuses a part, `UNAVAILABLE`.
   */
  write(actor: Actor, namespace: Namespace, series: readonly SeriesWrite[]): Promise<void>;
  /** Deletes every point of deleted devices, in batches. Ends early once `signal` is aborted; then it answers false. */
  forget(deviceIds: readonly number[], signal?: AbortSignal): Promise<boolean>;
  /** Deletes points before `time` (nanoseconds since 1970); answers how many, where the engine tells. */
  deleteBefore(time: bigint, signal?: AbortSignal): Promise<number | undefined>;
  /** Whether the engine is fit to serve. Throws `UNAVAILABLE` where it cannot be reached. */
  isReady(): Promise<boolean>;
}
