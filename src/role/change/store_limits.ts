import { SECOND_MS } from "../../core/clock.ts";

/**
 * What may be stored below one root role. A caller below the root, who is not its direct member, takes up to an eighth
 * of each limit: eight of them together can stop each other, and none can alone. Only a bucket that holds half as much
 * again stops the root's direct members and its keys.
 */
export interface StoreLimits {
  /** Maximum number of roles and devices that count to a root. */
  readonly roles: number;
  readonly devices: number;
  readonly bucket: ChangeBucket;
}

/** A leaky bucket of the bytes that changes store. */
export interface ChangeBucket {
  /** Capacity of an empty bucket, in bytes. */
  readonly capacity: number;
  /** Seconds in which a full bucket drains. */
  readonly drainSeconds: number;
}

/** A payer below the root uses up this many times more than the root's member. */
export const SHARES = 8;

/**
 * A member of the root, or its key, makes 600,000 sites at any speed, and 7 a second from then on. A caller below the
 * root makes an eighth of that: 125 MB at once, and as much in each day.
 */
export const DEFAULT_STORE_LIMITS: StoreLimits = {
  roles: 1_000_000,
  devices: 1_000_000,
  bucket: { capacity: 1_000_000_000, drainSeconds: 86_400 },
};

/** The charge of each change, in bytes: its rows in the log, the history and the tables, with their indexes. */
export const BYTES_PER_CHANGE = 1200;
/** A closure row is in two indexes. */
export const BYTES_PER_COST = 50;
/** Names are in the role's row, in two indexes, and twice in the log. */
export const COPIES_OF_TEXT = 4;

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

/** The content of a bucket, in bytes, that is empty in this many milliseconds. */
export function bytesThatDrain({ capacity, drainSeconds }: ChangeBucket, ms: number): number {
  return Math.ceil(Math.max(0, ms) * capacity / (drainSeconds * SECOND_MS));
}
