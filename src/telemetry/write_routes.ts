import type { Context } from "hono";
import type { AppEnv } from "../http/env.ts";
import { readBody } from "../http/read_body.ts";
import type { Precision } from "./body/line_protocol.ts";
import type { BucketSizes } from "./bucket/bucket_sizes.ts";
import { createMeter, type Meter, type MeterDeps } from "./bucket/meter.ts";
import type { Destination } from "./points/point.ts";
import { MAX_POINTS_BYTES } from "./points/point_rules.ts";
import { type ClientKind, partialWrite, type WriteDeps, writeTelemetry } from "./write_service.ts";

/** A write as its URL and headers describe it. */
export interface DescribedWrite {
  readonly destination: Destination;
  readonly mediaType: string;
  readonly precision: Precision | undefined;
  readonly isPartial: boolean;
  readonly client?: ClientKind;
}

export interface TakeDeps extends WriteDeps {
  readonly bucketSizes: BucketSizes;
}

/** Writes the points in the body of a request. Responds with 204, or throws the errors of `writeTelemetry`. */
export async function takePoints(
  deps: TakeDeps,
  c: Context<AppEnv>,
  { destination, mediaType, precision, isPartial, client = "own" }: DescribedWrite,
): Promise<Response> {
  const faults = await writeTelemetry(
    deps,
    c.get("actor"),
    {
      destination,
      format: { mediaType, precision, now: deps.clock() },
      isPartial,
      readText: () => readBody(c, { maxBytes: MAX_POINTS_BYTES, decode: true }),
    },
    meterOf(deps, c),
  );
  if (faults.count > 0) throw partialWrite(faults, mediaType, client);
  return c.body(null, 204);
}

/** Returns the meter of a request, which tells the caller the state of their bucket in headers. */
export function meterOf(deps: MeterDeps, c: Context<AppEnv>): Meter {
  return createMeter(deps, c.get("actor"), ({ cost, used, remaining }) => {
    c.header("X-RateLimit-Cost", String(cost));
    c.header("X-RateLimit-Used", String(used));
    c.header("X-RateLimit-Remaining", String(remaining));
  });
}
