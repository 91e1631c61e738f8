import type { Actor } from "../../core/actor.ts";
import { AppError } from "../../core/errors.ts";
import type { Shares } from "../../core/shares.ts";
import type { TextParts } from "../../http/sender.ts";
import { POINT_COST } from "../bucket/bucket.ts";
import type { Meter } from "../bucket/meter.ts";
import { findGrants, type Grant } from "../../device/grant_service.ts";
import type { TelemetryDeps } from "../deps.ts";
import type { ParsedQuery } from "./parse_query.ts";
import type { TelemetryQuery } from "../points/query.ts";
import { lowestLevel } from "../../graph/rules/step_up.ts";
import type { StepUpLevel } from "../../graph/rules/step_up_queries.ts";
import { createReadBudget } from "../read_budget.ts";
import { grantsOfEach, type ReadableParts, ReadablePeriods } from "./readable_periods.ts";
import type { StoreResult } from "../store.ts";
import { formatError, formatResult } from "./result_text.ts";

/** The same error for missing and forbidden devices. */
const UNAUTHORIZED = "Unauthorized";
/** The error for those that a dormant membership of the actor would let them read. */
const STEP_UP = "SECOND_FACTOR_REQUIRED";

export interface CollectDeps extends TelemetryDeps {
  /** Limits concurrent reads, whose data is in memory several times until it is a response. */
  readonly readLimiter: Pick<Shares, "run">;
}

interface Readable {
  /** Index of the query in its call. */
  readonly position: number;
  readonly query: TelemetryQuery;
  readonly parts: ReadableParts;
}

/**
 * Runs up to 1000 queries and returns the JSON text of each result, or error, in parts and in order. Throws
 * `TOO_MUCH_TELEMETRY`, the errors of the meter, and `UNAVAILABLE`, also if too many calls read.
 */
export async function collectTelemetry(
  deps: CollectDeps,
  actor: Actor,
  queries: readonly ParsedQuery[],
  meter: Meter,
): Promise<TextParts[]> {
  const nodeIds = new Set(queries.flatMap((item) => "query" in item ? [item.query.nodeId] : []));
  await meter.beginRead(queries.length);
  const periods = await findPeriods(deps, actor, nodeIds);
  const mostGrants = grantsOfEach(queries.length);
  const texts: TextParts[] = [];
  const readable: Readable[] = [];
  const refused = new Map<number, TelemetryQuery>();
  for (const [position, item] of queries.entries()) {
    const parts = "query" in item
      ? periods.get(item.query.nodeId)?.partsOf(item.query, mostGrants)
      : undefined;
    if ("invalid" in item) texts[position] = formatError(position, item.invalid);
    else if (parts === undefined) refused.set(position, item.query);
    else readable.push({ position, query: item.query, parts });
  }
  const dormant = await findDormant(deps, actor, [...refused.values()]);
  for (const [position, query] of refused) {
    texts[position] = formatError(position, dormant.has(query) ? STEP_UP : UNAUTHORIZED);
  }
  if (readable.length === 0) return texts;
  const needed = new Set(readable.flatMap(({ parts }) => parts.grants));
  const charge: Charge = (points) =>
    // Without points there is no data whose rights to check again.
    points === 0 ? Promise.resolve(needed) : meter.end(points * POINT_COST, [...needed]);
  await deps.readLimiter.run(() => readTexts(deps, readable, { texts, charge }));
  return texts;
}

async function findPeriods(
  deps: CollectDeps,
  actor: Actor,
  nodeIds: ReadonlySet<string>,
  level?: StepUpLevel,
): Promise<ReadonlyMap<string, ReadablePeriods>> {
  const { grants } = await findGrants(deps, actor, { kind: "read", nodeIds, ...(level && { level }) });
  return new Map(Array.from(grants, ([nodeId, ofNode]) => [nodeId, new ReadablePeriods(ofNode)]));
}

/** Returns those of the refused queries that the actor could run after a step-up. */
async function findDormant(
  deps: CollectDeps,
  actor: Actor,
  refused: readonly TelemetryQuery[],
): Promise<ReadonlySet<TelemetryQuery>> {
  const dormant = new Set<TelemetryQuery>();
  if (refused.length === 0) return dormant;
  const nodeIds = new Set(refused.map(({ nodeId }) => nodeId));
  await lowestLevel(deps, actor, async (level) => {
    const periods = await findPeriods(deps, actor, nodeIds, level);
    for (const query of refused) {
      if (periods.get(query.nodeId)?.partsOf(query, 1) !== undefined) dormant.add(query);
    }
    return dormant.size < refused.length ? "refused" : "allowed";
  });
  return dormant;
}

/** Charges for points, and returns the grants that still hold. */
type Charge = (points: number) => Promise<ReadonlySet<Grant>>;

async function readTexts(
  { telemetryStore, metrics }: CollectDeps,
  readable: readonly Readable[],
  { texts, charge }: { texts: TextParts[]; charge: Charge },
): Promise<void> {
  const budget = createReadBudget();
  const queries = readable.map(({ query, parts: { deviceId, from, to, parts } }) => ({
    ...query,
    deviceId,
    from,
    to,
    parts,
  }));
  let results: StoreResult[];
  try {
    results = await telemetryStore.read(queries, budget);
  } catch (error) {
    if (error instanceof AppError && error.code === "TOO_MUCH_TELEMETRY") await charge(budget.points);
    throw error;
  }
  const held = await charge(budget.points);
  metrics?.add("rolegrid.telemetry.points", budget.kept, { "rolegrid.direction": "read" });
  for (const [i, { position, query, parts }] of readable.entries()) {
    texts[position] = parts.grants.every((grant) => held.has(grant))
      ? formatResult(position, { ...query, ...parts }, results[i] as StoreResult)
      : formatError(position, UNAUTHORIZED);
  }
}
