import type { Actor } from "../../core/actor.ts";
import type { Clock } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import type { Database, Row } from "../../db/database.ts";
import { typedRows } from "../../db/rows.ts";
import { bindBatch } from "../../db/statement.ts";
import { type Grant, toGrantsJson } from "../../device/grant_service.ts";
import { refusalOf } from "../../graph/rules/step_up.ts";
import {
  type Bucket,
  type BucketUsage,
  describeUsage,
  drainPerMs,
  QUERY_COST,
  REQUEST_COST,
  secondsUntilFits,
  WRITE_COST,
} from "./bucket.ts";
import {
  ADMIT_WRITE,
  CHARGE_CALL,
  CHARGE_MORE,
  CHARGE_POINTS,
  MAY_WRITE,
  READ_LEVEL,
} from "./bucket_queries.ts";
import type { BucketSizes } from "./bucket_sizes.ts";

export interface MeterDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly bucketSizes: BucketSizes;
}

/**
 * Charges one call to the bucket of its caller, in parts: for being made, for what it costs as it goes, and at its end.
 * Each part checks the session, and throws `TOKEN_INVALID`, `TELEMETRY_BUCKET_FULL` with the seconds until the same call
 * would fit, or `TELEMETRY_BUCKET_TOO_SMALL`. What is charged remains charged.
 */
export interface Meter {
  /** Refuses a read before its body is parsed, if not even one query would fit. Charges nothing. */
  requireRoom(): Promise<void>;
  /** Charges a read of this many queries, if it fits. */
  beginRead(queries: number): Promise<void>;
  /** Charges the minimum of a write, if it fits. Throws `FORBIDDEN` if the caller manages no device. */
  beginWrite(): Promise<void>;
  /** Charges what is missing up to this cost of the whole call, also beyond the capacity: that work is done. */
  spendUpTo(cost: number): Promise<void>;
  /**
   * Charges a cost like `spendUpTo`, before anything is sent. Returns those grants that still hold: rights may have
   * changed meanwhile, and what needs others must not be sent.
   */
  end(cost: number, grants: readonly Grant[]): Promise<ReadonlySet<Grant>>;
}

interface LevelRow {
  readonly level: number;
}

interface HeldRow {
  readonly position: number;
}

/** Creates the meter of a call. `onUsage` gets the state of the bucket after each charge, before a refusal is thrown. */
export function createMeter(
  { database, clock, bucketSizes }: MeterDeps,
  actor: Actor,
  onUsage: (usage: BucketUsage) => void,
): Meter {
  let total = 0;

  function drainOf(bucket: Bucket) {
    const { userId: actorId, sessionId } = actor;
    return { now: clock(), actorId, sessionId, drainPerMs: drainPerMs(bucket), capacity: bucket.capacity };
  }

  function chargeOf(bucket: Bucket, cost: number) {
    return { ...drainOf(bucket), cost };
  }

  /** Reads the result of a charge: the levels before it and after it, the latter missing if it did not fit. */
  function settle(bucket: Bucket, cost: number, [drained, charged]: readonly (readonly Row[])[]): void {
    const before = typedRows<LevelRow>(drained)[0]?.level;
    if (before === undefined) throw new AppError("TOKEN_INVALID");
    const after = typedRows<LevelRow>(charged)[0]?.level;
    total += cost;
    onUsage(describeUsage(bucket, total, after ?? before));
    if (after === undefined || after > bucket.capacity) throw refusal(bucket, total, after ?? before);
  }

  return {
    async requireRoom() {
      const cost = REQUEST_COST + QUERY_COST;
      const bucket = await bucketSizes.of(actor);
      const [drained] = await database.write(bindBatch(READ_LEVEL, drainOf(bucket)));
      const level = typedRows<LevelRow>(drained)[0]?.level;
      if (level === undefined) throw new AppError("TOKEN_INVALID");
      if (level + cost <= bucket.capacity) return;
      onUsage(describeUsage(bucket, cost, level));
      throw refusal(bucket, cost, level);
    },

    async beginRead(queries) {
      const cost = REQUEST_COST + queries * QUERY_COST;
      const bucket = await bucketSizes.of(actor);
      settle(bucket, cost, await database.write(bindBatch(CHARGE_CALL, chargeOf(bucket, cost))));
    },

    async beginWrite() {
      const bucket = await bucketSizes.of(actor);
      const results = await database.write(bindBatch(ADMIT_WRITE, chargeOf(bucket, WRITE_COST)));
      settle(bucket, WRITE_COST, results);
      if ((results[2]?.length ?? 0) > 0) return;
      const question = { statement: MAY_WRITE, args: {}, refuses: (row: unknown) => row === undefined };
      throw await refusalOf({ database, clock }, actor, question);
    },

    async spendUpTo(cost) {
      const missing = cost - total;
      if (missing <= 0) return;
      const bucket = await bucketSizes.of(actor);
      settle(bucket, missing, await database.write(bindBatch(CHARGE_MORE, chargeOf(bucket, missing))));
    },

    async end(cost, grants) {
      const bucket = await bucketSizes.of(actor);
      const args = { ...chargeOf(bucket, cost), grants: toGrantsJson(grants) };
      const results = await database.write(bindBatch(CHARGE_POINTS, args));
      settle(bucket, cost, results);
      return new Set(typedRows<HeldRow>(results[2]).flatMap(({ position }) => grants[position] ?? []));
    },
  };
}

/** Returns the error of a call that does not fit. `total`: the cost of the same call next time. */
function refusal(bucket: Bucket, total: number, level: number): AppError {
  if (total > bucket.capacity) return new AppError("TELEMETRY_BUCKET_TOO_SMALL");
  return new AppError("TELEMETRY_BUCKET_FULL", { retryAfterSeconds: secondsUntilFits(bucket, total, level) });
}
