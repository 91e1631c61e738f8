import { SECOND_MS } from "../../core/clock.ts";

/**
 * Limits of what is stored below one root role. A caller who is not a direct member of the root gets an eighth of each,
 * so one alone cannot use up a limit, but eight can. Direct members and keys of the root may overfill the bucket by
 * half.
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

/** Factor by which a payer below the root is charged, so that their share is the limit divided by it. */
export const SHARES = 8;

/**
 * A member or key of the root can make 600,000 sites at once, and then 7 a second. A caller below the root can make an
 * eighth of that: 125 MB at once, and 125 MB a day.
 */
export const DEFAULT_STORE_LIMITS: StoreLimits = {
  roles: 1_000_000,
  devices: 1_000_000,
  bucket: { capacity: 1_000_000_000, drainSeconds: 86_400 },
  trashDays: 30,
  provisionPerDay: 10_000,
};

/** The charge of each change, in bytes: its rows in the log, the history and the tables, with their indexes. */
export const BYTES_PER_CHANGE = 1200;
/** A closure row is in two indexes. */
export const BYTES_PER_COST = 50;
/** Names are in the role's row, in two indexes, in the history, and twice in the log. */
export const COPIES_OF_TEXT = 5;

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
