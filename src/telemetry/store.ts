import type { Actor } from "../core/actor.ts";
import type { Destination, SeriesWrite } from "./points/point.ts";
import type { TelemetryQuery, TimeRange } from "./points/query.ts";
import { MAX_TIME, MIN_TIME } from "./points/time.ts";
import type { ReadBudget } from "./read_budget.ts";
import type { Cutoffs } from "./retention.ts";
import type { WriterMemory } from "./series/series_memory.ts";

/** A query with a device that the caller may read. */
export interface StoreQuery extends TelemetryQuery {
  readonly deviceId: number;
  /** What of its range is read, in order of time, with gaps between. By default all of it. */
  readonly parts?: readonly TimeRange[] | undefined;
}

/** Returns what a query reads, in order of time. */
export function partsOf(
  { from = MIN_TIME, to = MAX_TIME, parts }: Pick<StoreQuery, "from" | "to" | "parts">,
): readonly TimeRange[] {
  return parts ?? [{ from, to }];
}

/** The rows of one tag set. */
export interface StoredSeries {
  /** All tags of the set as a JSON object, its keys ordered by UTF-16 code units. */
  readonly tagsJson: string;
  /**
   * Rows as elements of a JSON array, without brackets, one or more per text:
   * `["2026-01-01T00:00:00Z",1.5,null],[…]`. A row has its time in ISO 8601 (UTC), then a value or null per column.
   * Never empty.
   */
  readonly rows: readonly string[];
}

export type StoreResult =
  /** Ordered by tags; empty if nothing matches. */
  | { readonly series: readonly StoredSeries[] }
  /** The reason, which is public: a numeric function met other values. */
  | { readonly invalid: string };

/**
 * A store of points; three implementations share a conformance suite. Points belong to a device's id, so a device that
 * reuses a nodeId never sees its predecessor's points.
 */
export interface TelemetryStore {
  /**
   * Runs queries, several per round trip if possible. Returns one result per query, in order. Throws `UNAVAILABLE`,
   * and `TOO_MUCH_TELEMETRY` once they exceed the budget or a limit of the engine.
   */
  read(queries: readonly StoreQuery[], budget: ReadBudget): Promise<StoreResult[]>;
  /** Returns what the actor's earlier writes to the destination found, for `SeriesWrite.known`. */
  recall(actor: Actor, destination: Destination): WriterMemory;
  /**
   * Writes at least one series for the actor, all or nothing. Throws `TOKEN_INVALID`, `FORBIDDEN` unless the actor
   * may write to each device within the destination, `TELEMETRY_REFUSED` (a changed kind, too large, or refused by
   * the engine), and `UNAVAILABLE`; `TELEMETRY_STORE_FULL` while a root that devices count to has no
   * room for further points.
   */
  write(actor: Actor, destination: Destination, series: readonly SeriesWrite[]): Promise<void>;
  /** Deletes all points of deleted devices, in batches. Stops early and returns false once `signal` is aborted. */
  forget(deviceIds: readonly number[], signal?: AbortSignal): Promise<boolean>;
  /**
   * Deletes points before the cutoff of their database and retention policy. Returns their number, or undefined if
   * the engine does not report it.
   */
  deleteBefore(cutoffs: Cutoffs, signal?: AbortSignal): Promise<number | undefined>;
  /**
   * Deletes points whose series are deleted, in a store where a write may arrive after its device was deleted. Returns
   * their number.
   */
  deleteOrphans?(signal?: AbortSignal): Promise<number>;
  /** Carries points of past hours over to where they stay, in a store that keeps recent ones apart. */
  carry?(signal?: AbortSignal): Promise<void>;
  /** Returns for how many milliseconds points should have been carried over already; 0 if they wait as they should. */
  carryDelay?(): Promise<number>;
  /**
   * Returns the bytes that the points of a root role's devices take up, or those of the root that has most. Points of the
   * last two hours do not count, nor do those of devices that an administrator's task has made.
   */
  countedBytes?(rootId?: number): Promise<number>;
  /** Whether the engine is ready to serve. Throws `UNAVAILABLE` if it cannot be reached. */
  isReady(): Promise<boolean>;
}
