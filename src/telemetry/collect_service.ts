import type { Actor } from "../core/actor.ts";
import { AppError } from "../core/errors.ts";
import { MAX_RETURNED_POINTS, POINT_COST } from "./bucket.ts";
import { chargePoints, settleCall, type UsageListener } from "./bucket_service.ts";
import type { TelemetryDeps } from "./deps.ts";
import type { ParsedQuery } from "./parse_query.ts";
import type { TelemetryQuery } from "./query.ts";
import { MAX_RETURNED_TEXT, readWithinBounds } from "./shared_reading.ts";
import type { StoredSeries, StoreResult } from "./store.ts";

/** Says nothing about whether there is such a device. */
const UNAUTHORIZED = "Unauthorized";

/**
 * Runs up to 1000 queries and answers the JSON text of each result, in order. What is wrong with one of them is said in
 * its result. Throws `TOKEN_INVALID`, `TOO_MUCH_TELEMETRY` (all of them would return too much), the errors of the leaky
 * bucket, and `UNAVAILABLE`. `onUsage` is told the state of the bucket before that.
 */
export async function collectTelemetry(
  deps: TelemetryDeps,
  actor: Actor,
  queries: readonly ParsedQuery[],
  onUsage: UsageListener,
): Promise<string[]> {
  const nodeIds = new Set(queries.flatMap((item) => "query" in item ? [item.query.nodeId] : []));
  const { deviceIds, cost } = await settleCall(deps, actor, { queryCount: queries.length, nodeIds }, onUsage);
  const answers: string[] = [];
  const readable: { position: number; query: TelemetryQuery; deviceId: number }[] = [];
  for (const [position, item] of queries.entries()) {
    const deviceId = "query" in item ? deviceIds.get(item.query.nodeId) : undefined;
    if ("invalid" in item) answers[position] = formatError(position, item.invalid);
    else if (deviceId === undefined) answers[position] = formatError(position, UNAUTHORIZED);
    else readable.push({ position, query: item.query, deviceId });
  }
  if (readable.length === 0) return answers;
  const { results, points } = await readWithinBounds(
    deps.telemetryStore,
    readable.map(({ query, deviceId }) => ({ ...query, deviceId })),
  );
  await chargePoints(deps, actor, { settled: cost, cost: points * POINT_COST }, onUsage);
  if (results === undefined) throw tooMuch();
  for (const [i, { position, query }] of readable.entries()) {
    answers[position] = formatResult(position, query, results[i] as StoreResult);
  }
  return answers;
}

function tooMuch(): AppError {
  const message = `The queries would return more than ${MAX_RETURNED_POINTS} points, or ${
    MAX_RETURNED_TEXT / 1024 / 1024
  } MiB of text: ask for shorter ranges, wider windows or less`;
  return new AppError("TOO_MUCH_TELEMETRY", { message });
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
