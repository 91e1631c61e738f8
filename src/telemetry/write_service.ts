import type { Actor } from "../core/actor.ts";
import type { Limiter } from "../core/limiter.ts";
import { type PointsFormat, readPoints } from "./body/read_points.ts";
import type { BucketSizes } from "./bucket/bucket_sizes.ts";
import { admitWrite, chargeWrite, type UsageListener } from "./bucket/bucket_service.ts";
import type { TelemetryDeps } from "./deps.ts";
import type { Destination } from "./points/point.ts";

export interface WriteDeps extends TelemetryDeps {
  readonly bucketSizes: BucketSizes;
  /** Limits concurrent writes of long texts, which take several times the memory once parsed. */
  readonly writeLimiter: Limiter;
}

export interface WriteRequest {
  readonly destination: Destination;
  readonly format: PointsFormat;
  /** Reads the body. Called after `admitWrite`. */
  readonly readText: () => Promise<string>;
}

/**
 * Maximum characters of a text written without a turn, in a millisecond: a payer's 160 connections may all send one
 * at once.
 */
const SHORT_TEXT = 4096;

/**
 * Writes the points of a body, all or none. Every request is charged, even a refused one. Throws the errors of the
 * bucket, `readText`, `readPoints` and `TelemetryStore.write`. `onUsage` gets the state of the bucket before any
 * error except `TOKEN_INVALID`.
 */
export async function writeTelemetry(
  deps: WriteDeps,
  actor: Actor,
  { destination, format, readText }: WriteRequest,
  onUsage: UsageListener,
): Promise<void> {
  await admitWrite(deps, actor, onUsage);
  let text = await readText();
  const characters = text.length;

  async function write(): Promise<void> {
    const size = { characters, values: 0, knownSeries: 0, newSeries: 0 };
    const { recall } = deps.telemetryStore.recall(actor, destination);
    const parsed = await readPoints(text, { ...format, recall }, size).catch(async (error: unknown) => {
      await chargeWrite(deps, actor, size, onUsage);
      throw error;
    });
    // Releases the text: the points take enough memory.
    text = "";
    await chargeWrite(deps, actor, size, onUsage);
    if (parsed.length > 0) await deps.telemetryStore.write(actor, destination, parsed);
    deps.metrics?.add("rolegrid.telemetry.points", parsed.length, { "rolegrid.direction": "written" });
  }

  if (characters <= SHORT_TEXT) await write();
  else await deps.writeLimiter.run(write);
}
