import type { Actor } from "../../core/actor.ts";
import type { Limiter } from "../../core/limiter.ts";
import { POINT_COST } from "../bucket/bucket.ts";
import { authorizeAndCharge, chargePoints, type UsageListener } from "../bucket/bucket_service.ts";
import type { TelemetryDeps } from "../deps.ts";
import type { ParsedQuery } from "./parse_query.ts";
import type { TelemetryQuery } from "../points/query.ts";
import { readInFairShares } from "./fair_share.ts";
import type { StoredSeries, StoreResult, TelemetryStore } from "../store.ts";

/** Says nothing about whether there is such a device. */
const UNAUTHORIZED = "Unauthorized";

export interface CollectDeps extends TelemetryDeps {
  /** The line in front of reading: what is read is in memory several times until it is an answer. */
  readonly readLimiter: Limiter;
}

interface Readable {
  /** Index of the query in its call. */
  readonly position: number;
  readonly query: TelemetryQuery;
  readonly deviceId: number;
}

/**
 * Runs up to 1000 queries and answers the JSON text of each result, in order. What is wrong with one of them is said in
 * its result. Throws `TOKEN_INVALID`, `TOO_MUCH_TELEMETRY` (all of them would return too much), the errors of the leaky
 * bucket, and `UNAVAILABLE`, also where too many calls read. `onUsage` is told the state of the bucket before that.
 */
export async function collectTelemetry(
  deps: CollectDeps,
  actor: Actor,
  queries: readonly ParsedQuery[],
  onUsage: UsageListener,
): Promise<string[]> {
  const nodeIds = new Set(queries.flatMap((item) => "query" in item ? [item.query.nodeId] : []));
  const { deviceIds, cost } = await authorizeAndCharge(
    deps,
    actor,
    { queryCount: queries.length, nodeIds },
    onUsage,
  );
  const answers: string[] = [];
  const readable: Readable[] = [];
  for (const [position, item] of queries.entries()) {
    const deviceId = "query" in item ? deviceIds.get(item.query.nodeId) : undefined;
    if ("invalid" in item) answers[position] = formatError(position, item.invalid);
    else if (deviceId === undefined) answers[position] = formatError(position, UNAUTHORIZED);
    else readable.push({ position, query: item.query, deviceId });
  }
  if (readable.length === 0) return answers;
  const charge: Charge = (points) =>
    // Nothing is sent that somebody could have lost the right to.
    points === 0
      ? Promise.resolve(deviceIds)
      : chargePoints(deps, actor, { chargedBefore: cost, cost: points * POINT_COST, nodeIds }, onUsage);
  await deps.readLimiter.run(() => readAnswers(deps.telemetryStore, readable, { answers, charge }));
  return answers;
}

/** Charges for points; answers the devices that may be read then. */
type Charge = (points: number) => Promise<ReadonlyMap<string, number>>;

async function readAnswers(
  store: TelemetryStore,
  readable: readonly Readable[],
  { answers, charge }: { answers: string[]; charge: Charge },
): Promise<void> {
  const shared = await readInFairShares(
    store,
    readable.map(({ query, deviceId }) => ({ ...query, deviceId })),
  );
  const deviceIds = await charge(shared.points);
  if ("refusal" in shared) throw shared.refusal;
  for (const [i, { position, query, deviceId }] of readable.entries()) {
    answers[position] = deviceIds.get(query.nodeId) === deviceId
      ? formatResult(position, query, shared.results[i] as StoreResult)
      : formatError(position, UNAUTHORIZED);
  }
}

function formatResult(position: number, query: TelemetryQuery, result: StoreResult): string {
  if ("invalid" in result) return formatError(position, result.invalid);
  if (result.series.length === 0) return `{"statement_id":${position}}`;
  const name = JSON.stringify(query.measurement);
  const columns = JSON.stringify(["time", ...query.columns.map((column) => column.name)]);
  const series = result.series.map((one) => formatSeries(one, name, columns));
  return `{"statement_id":${position},"series":[${series.join(",")}]}`;
}

/** The rows come as JSON text from the store: with 100,000 of them, reading and writing them again would cost the most. */
function formatSeries({ tags, rowsJson }: StoredSeries, name: string, columns: string): string {
  return `{"name":${name},"tags":${JSON.stringify(tags)},"columns":${columns},"values":[${rowsJson}]}`;
}

function formatError(position: number, error: string): string {
  return JSON.stringify({ statement_id: position, error });
}
