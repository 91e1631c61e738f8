import type { Actor } from "../../core/actor.ts";
import { AppError, LoggableError } from "../../core/errors.ts";
import type { Row } from "../../db/database.ts";
import { requireClient } from "../../db/revisions.ts";
import { isTooLarge, unavailable } from "../../db/sql_errors.ts";
import { bind, bindBatch, type SqlArgs, type Statement } from "../../db/statement.ts";
import { findGrants, type Grant, type GrantDeps, toGrantsJson } from "../../device/grant_service.ts";
import { lowestLevel, stepUpTo } from "../../role/guard/step_up.ts";
import type { Destination, SeriesWrite } from "../points/point.ts";
import { grantsToWrite } from "./written_periods.ts";
import { bindList, tooLarge } from "./write_parts.ts";
import {
  type AuthorizedArgs,
  type DescriptionArgs,
  FIND_CROWDED,
  JUDGE_WRITE,
  MAX_SERIES,
  REGISTER_SERIES,
  STEP_DEVICES,
  STEP_SERIES,
  type WriteVerdictRow,
} from "./write_queries.ts";

/** The part of a write shared by both stores: the database registers the series, wherever the points are kept. */

/** Maximum attempts of a write whose rights changed or whose series are missing. */
const ATTEMPTS = 3;

/**
 * Returns the lists of tag sets and series as arguments. A tag set is listed once for all its fields. Throws
 * `TELEMETRY_REFUSED` if a list is larger than a server accepts.
 */
async function describeSeries(
  destination: Destination,
  series: readonly SeriesWrite[],
): Promise<DescriptionArgs> {
  const tagSets = new Map<string, number>();
  const described = function* (): Generator<string> {
    for (const [n, { nodeId, measurement, tags, field, kind, line }] of series.entries()) {
      const tagSet = JSON.stringify([nodeId, measurement, tags]).slice(1);
      const t = tagSets.get(tagSet) ?? tagSets.size;
      tagSets.set(tagSet, t);
      yield JSON.stringify([n, t, field, kind, line]);
    }
  };
  // First, because it collects the tag sets.
  const list = await bindList("described", described());
  return {
    database: destination.database,
    retentionPolicy: destination.retentionPolicy,
    belowId: destination.roleId ?? null,
    ...list,
    ...await bindList("tagSets", Array.from(tagSets, ([tagSet, t]) => `[${t},${tagSet}`)),
  };
}

/** A write, and its statements, which take effect if it is accepted. */
export interface SeriesRegistration<Result> {
  readonly destination: Destination;
  readonly series: readonly SeriesWrite[];
  readonly statements: readonly Statement[];
  readonly more: SqlArgs;
  /** Returns the result of the write from the last statement's rows; undefined if it was not accepted. */
  readonly resultOf: (rows: Row[] | undefined) => Result | undefined;
}

/**
 * Authorizes and runs a write, and registers missing series: few in the same batch, many before, in steps. Returns
 * its result. Throws `TOKEN_INVALID`, `FORBIDDEN`, `TELEMETRY_REFUSED` (also if the batch is too large, or for a point
 * outside the period of a device), and
 * `UNAVAILABLE` if rights keep changing. A failed write may leave many new series behind.
 */
export async function runWrite<Result>(
  deps: GrantDeps,
  actor: Actor,
  { destination, series, statements, more, resultOf }: SeriesRegistration<Result>,
): Promise<Result> {
  const nodeIds = nodeIdsOf(series);
  const described = await describeSeries(destination, series);
  let grants: readonly Grant[] = [];
  let registering: readonly Statement[] = [];
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if (grants.length === 0) {
      const asked = { kind: "write", nodeIds, belowId: destination.roleId } as const;
      const found = await refuseTooLarge(findGrants(deps, actor, asked));
      if (found.size < nodeIds.size) {
        const level = await lowestLevel(deps, actor, async (level) => {
          const { size } = await refuseTooLarge(findGrants(deps, actor, { ...asked, level }));
          return size < nodeIds.size ? "refused" : "allowed";
        });
        throw level === undefined ? new AppError("FORBIDDEN") : stepUpTo(level);
      }
      grants = grantsToWrite(found, series);
    }
    const authorized = { actor, now: deps.clock(), grants };
    const args = { ...argsOf(authorized), ...described };
    const batch = bindBatch([...registering, ...statements], { ...args, ...more });
    const result = resultOf((await refuseTooLarge(deps.database.write(batch))).at(-1));
    if (result !== undefined) return result;
    const [verdict] = await deps.database.read(bind(JUDGE_WRITE, args));
    const missing = findMissing(verdict).flatMap((n) => series[n] ?? []);
    const steps = [...stepsOf(missing)];
    registering = steps.length === 1 ? REGISTER_SERIES : [];
    if (steps.length === 0) grants = [];
    for (const step of steps) await registerStep(deps, authorized, destination, step, steps.length === 1);
  }
  throw unavailable(
    new LoggableError("The rights of a write have changed each time since it was authorized"),
  );
}

interface AuthorizedWrite {
  readonly actor: Actor;
  readonly now: number;
  readonly grants: readonly Grant[];
}

function argsOf({ actor, now, grants }: AuthorizedWrite): AuthorizedArgs {
  return { actorId: actor.userId, sessionId: actor.sessionId, now, grants: toGrantsJson(grants) };
}

/** Splits the series into parts of the size that `REGISTER_SERIES` allows. */
function* stepsOf(series: readonly SeriesWrite[]): Generator<SeriesWrite[]> {
  let step: SeriesWrite[] = [];
  let nodeIds = new Set<string>();
  for (const one of series) {
    const isFull = step.length === STEP_SERIES || (nodeIds.size === STEP_DEVICES && !nodeIds.has(one.nodeId));
    if (isFull) {
      yield step;
      step = [];
      nodeIds = new Set();
    }
    step.push(one);
    nodeIds.add(one.nodeId);
  }
  if (step.length > 0) yield step;
}

/** Registers series, or only checks that it is allowed. Throws `TELEMETRY_REFUSED` if a device would have too many. */
async function registerStep(
  { database }: GrantDeps,
  authorized: AuthorizedWrite,
  destination: Destination,
  series: readonly SeriesWrite[],
  isOnlyChecked: boolean,
): Promise<void> {
  requireClient();
  const nodeIds = nodeIdsOf(series);
  const grants = authorized.grants.filter(({ nodeId }) => nodeIds.has(nodeId));
  const args = { ...argsOf({ ...authorized, grants }), ...await describeSeries(destination, series) };
  if ((await database.read(bind(FIND_CROWDED, args))).length > 0) {
    const message = `A device can have at most ${MAX_SERIES} series (combinations of tag set and field)`;
    throw new AppError("TELEMETRY_REFUSED", { message });
  }
  if (!isOnlyChecked) await database.write(bindBatch(REGISTER_SERIES, args));
}

function nodeIdsOf(series: readonly SeriesWrite[]): Set<string> {
  return new Set(series.map(({ nodeId }) => nodeId));
}

async function refuseTooLarge<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw isTooLarge(error) ? tooLarge("The request is too large for the database", error) : error;
  }
}

/**
 * Returns the numbers of unregistered series; none if only a grant is void. Throws `TOKEN_INVALID`, and
 * `TELEMETRY_REFUSED` for conflicting kinds.
 */
function findMissing(verdict: WriteVerdictRow | undefined): number[] {
  if (verdict === undefined) throw new AppError("TOKEN_INVALID");
  if (verdict.line !== null) {
    const message =
      `Line ${verdict.line} (in JSON: point ${verdict.line}, counted from 1): the field already has the type ${verdict.kind}`;
    throw new AppError("TELEMETRY_REFUSED", { message });
  }
  return JSON.parse(verdict.missing) as number[];
}
