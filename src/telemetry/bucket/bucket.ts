import { SECOND_MS } from "../../core/clock.ts";
import { MAX_RETURNED_POINTS } from "../read_budget.ts";

/**
 * The leaky bucket that limits the reads and writes of a user, or of all keys of a role. Each call adds its cost; the
 * bucket drains at a constant rate; calls that do not fit are refused. The database keeps the level for all instances.
 */
export interface Bucket {
  /** Maximum level. */
  readonly capacity: number;
  /** Seconds in which a full bucket drains. */
  readonly drainSeconds: number;
}

/** The cost of a call that reads: a base, plus an amount per query and per returned point. */
export const REQUEST_COST = 1000;
export const QUERY_COST = 100;
export const POINT_COST = 1;

/**
 * Minimum cost of a write. By default a user can send 335 short ones a second, which takes a third of two processors.
 */
export const WRITE_COST = 100;

/** The size of a write, even if it is refused. */
export interface WriteSize {
  /** Of its text, in UTF-16 code units. */
  readonly characters: number;
  readonly values: number;
  /** Series that the process remembers, with their grants. */
  readonly knownSeries: number;
  /** Series that have to be found, and perhaps registered. */
  readonly newSeries: number;
}

/**
 * Values, and characters of text, per unit of cost. A user writes at most half of what a machine with two processors
 * can.
 */
export const VALUES_PER_COST = 2;
export const CHARACTERS_PER_COST = 128;
export const KNOWN_SERIES_COST = 1;
export const NEW_SERIES_COST = 5;

/**
 * Returns the cost of a write, even if it is refused for its content. It is charged before the write, so a series that
 * is remembered costs as such even if rights have changed since and its grants have to be found anew.
 */
export function costOfWrite({ characters, values, knownSeries, newSeries }: WriteSize): number {
  const cost = characters / CHARACTERS_PER_COST + values / VALUES_PER_COST +
    knownSeries * KNOWN_SERIES_COST + newSeries * NEW_SERIES_COST;
  return Math.max(WRITE_COST, Math.ceil(cost));
}

/** Maximum queries per call. */
export const MAX_QUERIES = 1000;

const FULL_CALL = REQUEST_COST + MAX_QUERIES * QUERY_COST + MAX_RETURNED_POINTS * POINT_COST;

/** Holds ten of the largest calls, and drains in a minute. */
export const DEFAULT_BUCKET: Bucket = { capacity: 10 * FULL_CALL, drainSeconds: 60 };

/** A key's bucket has this part of the configured capacity, and is full-sized from `FULL_DEVICES` devices on. */
const LEAST_PART = 1 / 10;
export const FULL_DEVICES = 9000;

/**
 * Returns the bucket of the keys of a role, which with the roles below it monitors `devices`. It grows with each of
 * them, and drains in the same time. The largest call that is allowed fits into it, unless it does not fit into the
 * configured one.
 */
export function bucketOfKey({ capacity, drainSeconds }: Bucket, devices: number): Bucket {
  const part = LEAST_PART + (1 - LEAST_PART) * devices / FULL_DEVICES;
  return { capacity: Math.min(capacity, Math.max(FULL_CALL, Math.floor(capacity * part))), drainSeconds };
}

/** The state of a bucket for its owner. */
export interface BucketUsage {
  readonly cost: number;
  readonly used: number;
  readonly remaining: number;
}

/** Parses `capacity/seconds`. Throws a `RangeError` whose message continues "TELEMETRY_BUCKET …". */
export function parseBucket(text: string): Bucket {
  const [, capacity, seconds] = /^([1-9][0-9]{0,11})\/([1-9][0-9]{0,4})$/.exec(text) ?? [];
  const bucket = { capacity: Number(capacity), drainSeconds: Number(seconds) };
  if (capacity === undefined || bucket.capacity < REQUEST_COST + QUERY_COST || bucket.drainSeconds > 86_400) {
    throw new RangeError(
      `must be a capacity of at least ${
        REQUEST_COST + QUERY_COST
      }, "/", and the seconds in which it drains (at most 86400)`,
    );
  }
  return bucket;
}

/** Returns the cost that drains per millisecond. */
export function drainPerMs({ capacity, drainSeconds }: Bucket): number {
  return capacity / (drainSeconds * SECOND_MS);
}

/** Returns the state of a bucket in whole numbers, rounded so that it never shows too much room. */
export function describeUsage({ capacity }: Bucket, cost: number, level: number): BucketUsage {
  const used = Math.min(capacity, Math.ceil(level));
  return { cost, used, remaining: capacity - used };
}

/** Returns the seconds until `cost` fits into a bucket filled to `level`. */
export function secondsUntilFits(bucket: Bucket, cost: number, level: number): number {
  return Math.max(0, level + cost - bucket.capacity) / drainPerMs(bucket) / SECOND_MS;
}
