import type { Actor } from "../../core/actor.ts";
import type { Clock } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import type { Database } from "../../db/database.ts";
import { typedRows } from "../../db/rows.ts";
import { bindBatch } from "../../db/statement.ts";
import { type Grant, toGrantsJson } from "../../device/grant_service.ts";
import {
  type Bucket,
  type BucketUsage,
  costOfWrite,
  describeUsage,
  drainPerMs,
  QUERY_COST,
  REQUEST_COST,
  secondsUntilFits,
  WRITE_COST,
  type WriteSize,
} from "./bucket.ts";
import type { BucketSizes } from "./bucket_sizes.ts";
import { refusalOf } from "../../role/guard/step_up.ts";
import {
  ADMIT_WRITE,
  CHARGE_CALL,
  CHARGE_POINTS,
  CHARGE_WRITE,
  MAY_WRITE,
  READ_LEVEL,
} from "./bucket_queries.ts";

interface BucketDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly bucketSizes: BucketSizes;
}

interface LevelRow {
  readonly level: number;
}

interface HeldRow {
  readonly position: number;
}

/** Receives the state of the bucket as soon as it is known; refusals report it, too. */
export type UsageListener = (usage: BucketUsage) => void;

/**
 * Checks the session of a read and charges for its queries, in one round trip. Returns the charged cost. Throws
 * `TOKEN_INVALID`, `TELEMETRY_BUCKET_FULL` with the seconds to wait, and `TELEMETRY_BUCKET_TOO_SMALL`.
 */
export async function chargeCall(
  deps: BucketDeps,
  actor: Actor,
  queryCount: number,
  onUsage: UsageListener,
): Promise<number> {
  const cost = REQUEST_COST + queryCount * QUERY_COST;
  const bucket = await deps.bucketSizes.of(actor);
  const [drained, charged] = await deps.database.write(
    bindBatch(CHARGE_CALL, chargeOf(deps, actor, bucket, cost)),
  );
  const before = typedRows<LevelRow>(drained)[0]?.level;
  if (before === undefined) throw new AppError("TOKEN_INVALID");
  const after = typedRows<LevelRow>(charged)[0]?.level;
  onUsage(describeUsage(bucket, cost, after ?? before));
  if (after === undefined) throw refusal(bucket, cost, before);
  return cost;
}

/**
 * Refuses a read before its body is parsed, if not even one query would fit into the bucket. Charges nothing. Throws
 * like `chargeCall`.
 */
export async function requireBucketRoom(
  deps: BucketDeps,
  actor: Actor,
  onUsage: UsageListener,
): Promise<void> {
  const cost = REQUEST_COST + QUERY_COST;
  const bucket = await deps.bucketSizes.of(actor);
  const [drained] = await deps.database.write(bindBatch(READ_LEVEL, drainOf(deps, actor, bucket)));
  const level = typedRows<LevelRow>(drained)[0]?.level;
  if (level === undefined) throw new AppError("TOKEN_INVALID");
  if (level + cost <= bucket.capacity) return;
  onUsage(describeUsage(bucket, cost, level));
  throw refusal(bucket, cost, level);
}

/**
 * Charges for the points of a read, after its queries. Throws like `chargeCall`; the charge remains, because the work
 * is done. Returns those grants that still hold. Results that need others must not be sent.
 */
export async function chargePoints(
  deps: BucketDeps,
  actor: Actor,
  { chargedBefore, cost, grants }: { chargedBefore: number; cost: number; grants: readonly Grant[] },
  onUsage: UsageListener,
): Promise<ReadonlySet<Grant>> {
  const bucket = await deps.bucketSizes.of(actor);
  const [, charged, held] = await deps.database.write(
    bindBatch(CHARGE_POINTS, { ...chargeOf(deps, actor, bucket, cost), grants: toGrantsJson(grants) }),
  );
  const level = typedRows<LevelRow>(charged)[0]?.level;
  if (level === undefined) throw new AppError("TOKEN_INVALID");
  const total = chargedBefore + cost;
  onUsage(describeUsage(bucket, total, level));
  if (level > bucket.capacity) throw refusal(bucket, total, level);
  return new Set(typedRows<HeldRow>(held).flatMap(({ position }) => grants[position] ?? []));
}

/**
 * Checks the session of a write and whether the actor manages any device, and charges the minimum cost, before the
 * body is read. Throws like `chargeCall`, and `FORBIDDEN`.
 */
export async function admitWrite(deps: BucketDeps, actor: Actor, onUsage: UsageListener): Promise<void> {
  const cost = WRITE_COST;
  const bucket = await deps.bucketSizes.of(actor);
  const [drained, charged, rights = []] = await deps.database.write(
    bindBatch(ADMIT_WRITE, chargeOf(deps, actor, bucket, cost)),
  );
  const before = typedRows<LevelRow>(drained)[0]?.level;
  if (before === undefined) throw new AppError("TOKEN_INVALID");
  const after = typedRows<LevelRow>(charged)[0]?.level;
  onUsage(describeUsage(bucket, cost, after ?? before));
  if (after === undefined) throw refusal(bucket, cost, before);
  if (rights.length > 0) return;
  throw await refusalOf(deps, actor, { statement: MAY_WRITE, args: {}, refuses: (row) => row === undefined });
}

/**
 * Charges the rest of a write's cost, beyond that of the size `charged` or the minimum. Throws like `chargeCall`: points
 * that do not fit must not be written. The charge remains, because they have been parsed.
 */
export async function chargeWrite(
  deps: BucketDeps,
  actor: Actor,
  size: WriteSize,
  onUsage: UsageListener,
  charged?: WriteSize,
): Promise<void> {
  const total = costOfWrite(size);
  const before = charged === undefined ? WRITE_COST : costOfWrite(charged);
  if (total === before) return;
  const bucket = await deps.bucketSizes.of(actor);
  const [, levels] = await deps.database.write(
    bindBatch(CHARGE_WRITE, chargeOf(deps, actor, bucket, total - before)),
  );
  const level = typedRows<LevelRow>(levels)[0]?.level;
  if (level === undefined) throw new AppError("TOKEN_INVALID");
  onUsage(describeUsage(bucket, total, level));
  if (level > bucket.capacity) throw refusal(bucket, total, level);
}

function drainOf({ clock }: BucketDeps, actor: Actor, bucket: Bucket) {
  return {
    now: clock(),
    actorId: actor.userId,
    sessionId: actor.sessionId,
    drainPerMs: drainPerMs(bucket),
    capacity: bucket.capacity,
  };
}

function chargeOf(deps: BucketDeps, actor: Actor, bucket: Bucket, cost: number) {
  return { ...drainOf(deps, actor, bucket), cost };
}

/** Returns the error of a call that does not fit. `total`: the cost of the same call next time. */
function refusal(bucket: Bucket, total: number, level: number): AppError {
  if (total > bucket.capacity) return new AppError("TELEMETRY_BUCKET_TOO_SMALL");
  return new AppError("TELEMETRY_BUCKET_FULL", { retryAfterSeconds: secondsUntilFits(bucket, total, level) });
}
