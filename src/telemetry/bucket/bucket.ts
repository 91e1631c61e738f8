import { SECOND_MS } from "../../core/clock.ts";

/**
 * The leaky bucket that guards the collect operation, one for each user: each request fills it by its cost, and it drains
 * evenly. A request that does not fit is refused. The level is kept in the database, shared by all instances.
 */
export interface Bucket {
  /** Cost that fits into an empty bucket. */
  readonly capacity: number;
  /** Seconds in which a full bucket drains. */
  readonly drainSeconds: number;
}

/** What a request costs is a linear function of these: per request, per query in it, per point returned. */
export const REQUEST_COST = 1000;
export const QUERY_COST = 100;
export const POINT_COST = 1;

/** Queries of one call, and points (one value at one time each) that all of them may return together. */
export const MAX_QUERIES = 1000;
export const MAX_RETURNED_POINTS = 100_000;

const FULL_CALL = REQUEST_COST + MAX_QUERIES * QUERY_COST + MAX_RETURNED_POINTS * POINT_COST;

/** Ten of the greatest calls, refilled in a minute. */
export const DEFAULT_BUCKET: Bucket = { capacity: 10 * FULL_CALL, drainSeconds: 60 };

/** What a bucket looks like to the user who filled it. */
export interface BucketUsage {
  readonly cost: number;
  readonly used: number;
  readonly remaining: number;
}

/** Reads `capacity/seconds`. Throws a `RangeError` that continues "TELEMETRY_BUCKET …". */
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

/** How much cost drains in a millisecond. */
export function drainPerMs({ capacity, drainSeconds }: Bucket): number {
  return capacity / (drainSeconds * SECOND_MS);
}

/** What the user of a bucket is told, in whole numbers: never more room than there is. */
export function describeUsage({ capacity }: Bucket, cost: number, level: number): BucketUsage {
  const used = Math.min(capacity, Math.ceil(level));
  return { cost, used, remaining: capacity - used };
}

/** Seconds until `cost` fits into a bucket that is filled to `level`. */
export function secondsUntilFits(bucket: Bucket, cost: number, level: number): number {
  return Math.max(0, level + cost - bucket.capacity) / drainPerMs(bucket) / SECOND_MS;
}
