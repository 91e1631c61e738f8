import { SECOND_MS } from "../core/clock.ts";

/**
 * Limits of what is stored below one root role. Who is not a direct member of the root shares an eighth of each with
 * their top branch: all whom the same person has brought, directly or not. All branches together get seven eighths, so
 * that they cannot stop the direct members and keys of the root, who may use all.
 */
export interface StoreLimits {
  /** Maximum number of roles and devices that count to a root. */
  readonly roles: number;
  readonly devices: number;
  readonly bucket: ChangeBucket;
  /** Days for which a deleted device can be restored; 0: it is deleted at once. */
  readonly trashDays: number;
  /** Maximum number of members that the keys of one maker add in a day, below any root. */
  readonly provisionPerDay: number;
}

/** A leaky bucket of the bytes that changes store. */
export interface ChangeBucket {
  /** Capacity of an empty bucket, in bytes. */
  readonly capacity: number;
  /** Seconds in which a full bucket drains. */
  readonly drainSeconds: number;
}

/** Factor by which a top branch is charged, so that its share is the limit divided by it. */
export const SHARES = 8;

/**
 * A member or key of the root can make a million sites at once, and then 11 a second. A top branch below the root can
 * make an eighth of that: 125 MB at once, and 125 MB a day.
 */
export const DEFAULT_STORE_LIMITS: StoreLimits = {
  roles: 1_000_000,
  devices: 1_000_000,
  bucket: { capacity: 1_000_000_000, drainSeconds: 86_400 },
  trashDays: 30,
  provisionPerDay: 10_000,
};

/**
 * The bill of each row in the log, in bytes: that row, and the one that it changes with its history, all with their
 * indexes. Measured, like the others (`tests/flows/bill_test.ts`).
 */
export const BYTES_PER_CHANGE = 500;
/** A closure row is in two indexes. */
export const BYTES_PER_CLOSURE_ROW = 30;
/** What a removed role, relation or membership gives back: its row with the indexes. Its history stays. */
export const BYTES_PER_REMOVED = 120;
/** A role, relation, membership or device that is made again without a row in the log, with its history. */
export const BYTES_PER_RESTORED = 250;
/**
 * Besides the log, a name is in the role's row, in two indexes, in the history, and in the index of searches. A nodeId
 * and an external id are in about as many places.
 */
export const COPIES_OF_NAME = 6;
/** Properties are in the device's row, and for the most part in the texts and the index of searches. */
export const COPIES_OF_PROPERTIES = 3;

/** Parses `bytes/seconds`. Throws a `RangeError` whose message continues "CHANGE_BUCKET …". */
export function parseChangeBucket(text: string): ChangeBucket {
  const [, bytes, seconds] = /^([1-9][0-9]{5,14})\/([1-9][0-9]{0,4})$/.exec(text) ?? [];
  const bucket = { capacity: Number(bytes), drainSeconds: Number(seconds) };
  if (bytes === undefined || bucket.drainSeconds > 86_400) {
    throw new RangeError(
      'must be a capacity of at least 100000 bytes, "/", and the seconds in which it drains (at most 86400)',
    );
  }
  return bucket;
}

/**
 * A bucket is never filled for longer, in times of a full one. A later time was stored while a clock was ahead, and counts
 * as absent.
 */
export const MOST_DRAINS = 3;

/** Returns how many bytes of a bucket drain in this many milliseconds. */
export function bytesThatDrain({ capacity, drainSeconds }: ChangeBucket, ms: number): number {
  return Math.ceil(Math.max(0, ms) * capacity / (drainSeconds * SECOND_MS));
}
