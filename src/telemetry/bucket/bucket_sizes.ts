import { type Actor, keyOfPrincipal } from "../../core/actor.ts";
import { type Clock, MINUTE_MS } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import type { Database } from "../../db/database.ts";
import { bind } from "../../db/statement.ts";
import { type Bucket, bucketOfKey } from "./bucket.ts";
import { COUNT_DEVICES } from "./size_queries.ts";

/** How long a process remembers how many devices a key's role has. */
const REMEMBERED_MS = 5 * MINUTE_MS;
const REMEMBERED_KEYS = 10_000;

export interface BucketSizesDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly telemetryBucket: Bucket;
}

/** Finds the size of a caller's bucket. */
export interface BucketSizes {
  /** Returns the bucket of an actor. Throws `TOKEN_INVALID` for an ended key, and the errors of a read. */
  of(actor: Actor): Promise<Bucket>;
}

interface Counted {
  readonly at: number;
  readonly devices: Promise<number>;
}

/**
 * Sizes buckets: that of a user as configured, that of a key by the devices of its role and of the roles below. Counts
 * these once per key in some minutes, and only for keys that live.
 */
export function createBucketSizes({ database, clock, telemetryBucket }: BucketSizesDeps): BucketSizes {
  /** By the MAC of the key, the key last asked for at the end. */
  const counted = new Map<string, Counted>();

  async function count({ userId, sessionId }: Actor, now: number): Promise<number> {
    const [row] = await database.read(bind(COUNT_DEVICES, { actorId: userId, sessionId, now }));
    if (row === undefined) throw new AppError("TOKEN_INVALID");
    return row.devices;
  }

  function startCount(actor: Actor): Counted {
    const now = clock();
    const entry = { at: now, devices: count(actor, now) };
    entry.devices.catch(() => {
      if (counted.get(actor.sessionId) === entry) counted.delete(actor.sessionId);
    });
    return entry;
  }

  function recall({ sessionId }: Actor): Counted | undefined {
    const known = counted.get(sessionId);
    counted.delete(sessionId);
    return known !== undefined && Math.abs(clock() - known.at) < REMEMBERED_MS ? known : undefined;
  }

  return {
    async of(actor) {
      if (keyOfPrincipal(actor.userId) === undefined) return telemetryBucket;
      const entry = recall(actor) ?? startCount(actor);
      counted.set(actor.sessionId, entry);
      const [oldest] = counted.keys();
      if (oldest !== undefined && counted.size > REMEMBERED_KEYS) counted.delete(oldest);
      return bucketOfKey(telemetryBucket, await entry.devices);
    },
  };
}
