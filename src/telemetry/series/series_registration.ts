import type { Actor } from "../../core/actor.ts";
import { AppError } from "../../core/errors.ts";
import { spellingsElement, spellingsOf } from "../../core/text.ts";
import { requireClient } from "../../db/revisions.ts";
import { isTooLarge } from "../../db/sql_errors.ts";
import { bind, bindBatch } from "../../db/statement.ts";
import { type Grant, type GrantDeps, toGrantsJson } from "../../device/grant_service.ts";
import type { Destination, FieldKind, SeriesWrite } from "../points/point.ts";
import { PointsRefused } from "../points/points_refused.ts";
import { findFaultOf, type SeriesFault } from "./series_writes.ts";
import { bindList, tooLarge } from "./write_parts.ts";
import {
  type AuthorizedArgs,
  type DescriptionArgs,
  FIND_CROWDED,
  FIND_SERIES,
  MAX_SERIES,
  REGISTER_SERIES,
  STEP_DEVICES,
  STEP_NEW_DEVICES,
  STEP_SERIES,
} from "./write_queries.ts";

/** Finds and registers the series of writes, in the database of rights. */

export interface AuthorizedWrite {
  readonly actor: Actor;
  readonly now: number;
  readonly grants: readonly Grant[];
}

export function argsOf({ actor, now, grants }: AuthorizedWrite): AuthorizedArgs {
  return { actorId: actor.userId, sessionId: actor.sessionId, now, grants: toGrantsJson(grants) };
}

/** Returns the write with the grants that some of its series need. */
function authorizedFor(authorized: AuthorizedWrite, series: readonly SeriesWrite[]): AuthorizedWrite {
  const nodeIds = nodeIdsOf(series);
  return { ...authorized, grants: authorized.grants.filter(({ nodeId }) => nodeIds.has(nodeId)) };
}

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
      const tagSet = JSON.stringify([spellingsElement(spellingsOf(nodeId)), measurement, tags]).slice(1);
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

/** What the database knows of some series, by their index. */
export interface FoundSeries {
  readonly ids: readonly (readonly [n: number, id: number])[];
  readonly missing: readonly MissingSeries[];
  readonly deletedSeries: number;
}

/** A series that is not registered. */
export interface MissingSeries {
  readonly series: SeriesWrite;
  /** Whether its device has series, which have to be counted. */
  readonly hasOthers: boolean;
}

/** Finds registered series. Throws `TOKEN_INVALID`, and `TELEMETRY_REFUSED` for conflicting kinds. */
export async function findSeries(
  { database }: GrantDeps,
  authorized: AuthorizedWrite,
  destination: Destination,
  series: readonly SeriesWrite[],
): Promise<FoundSeries> {
  const args = { ...argsOf(authorizedFor(authorized, series)), ...await describeSeries(destination, series) };
  const [row] = await refuseTooLarge(database.read(bind(FIND_SERIES, args)));
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  const { conflicts, found, missing, deletedSeries } = row;
  if (conflicts !== "[]") throw conflicting(JSON.parse(conflicts), series);
  return {
    ids: JSON.parse(found) as [number, number][],
    missing: (JSON.parse(missing) as [number, 0 | 1][]).map(([n, hasOthers]) => ({
      series: series[n] as SeriesWrite,
      hasOthers: hasOthers === 1,
    })),
    deletedSeries,
  };
}

/** Returns the refusal of series that have other kinds already: `[n, kind]`, in the order of their lines. */
function conflicting(
  conflicts: readonly (readonly [n: number, kind: FieldKind])[],
  series: readonly SeriesWrite[],
): PointsRefused {
  const faults = conflicts.map(([n, storedKind]) => ({
    series: series[n] as SeriesWrite,
    message: `The field already has the type ${storedKind}`,
    storedKind,
  }));
  const [[n, kind]] = conflicts as [readonly [number, FieldKind]];
  const line = series[n]?.line;
  return new PointsRefused("TELEMETRY_REFUSED", findFaultOf(faults), {
    message: `Line ${line} (in JSON: point ${line}, counted from 1): the field already has the type ${kind}`,
  });
}

/** Splits the series into parts of the size that `REGISTER_SERIES` allows. */
export function* stepsOf(missing: readonly MissingSeries[]): Generator<SeriesWrite[]> {
  let step: SeriesWrite[] = [];
  let nodeIds = new Set<string>();
  let share = 0;
  for (const { series, hasOthers } of missing) {
    const more = nodeIds.has(series.nodeId) ? 0 : 1 / (hasOthers ? STEP_DEVICES : STEP_NEW_DEVICES);
    if (step.length === STEP_SERIES || share + more > 1) {
      yield step;
      step = [];
      nodeIds = new Set();
      share = 0;
    }
    step.push(series);
    if (nodeIds.has(series.nodeId)) continue;
    nodeIds.add(series.nodeId);
    share += more;
  }
  if (step.length > 0) yield step;
}

/** Registers series, except those of devices that would have too many. */
export async function registerStep(
  { database }: GrantDeps,
  authorized: AuthorizedWrite,
  destination: Destination,
  series: readonly SeriesWrite[],
): Promise<void> {
  requireClient();
  const args = { ...argsOf(authorizedFor(authorized, series)), ...await describeSeries(destination, series) };
  await refuseTooLarge(database.write(bindBatch(REGISTER_SERIES, args)));
}

/** Throws `TELEMETRY_REFUSED` if devices would have too many series. */
export async function requireRoom(
  { database }: GrantDeps,
  authorized: AuthorizedWrite,
  destination: Destination,
  missing: readonly MissingSeries[],
): Promise<void> {
  const faults: SeriesFault[] = [];
  const message = `A device can have at most ${MAX_SERIES} series (combinations of tag set and field)`;
  for (const step of stepsOf(missing)) {
    const args = { ...argsOf(authorizedFor(authorized, step)), ...await describeSeries(destination, step) };
    const [row] = await database.read(bind(FIND_CROWDED, args));
    if (row === undefined) continue;
    for (const n of JSON.parse(row.crowded) as number[]) {
      faults.push({ series: step[n] as SeriesWrite, message });
    }
  }
  if (faults.length > 0) throw new PointsRefused("TELEMETRY_REFUSED", findFaultOf(faults), { message });
}

export function nodeIdsOf(series: readonly SeriesWrite[]): Set<string> {
  return new Set(series.map(({ nodeId }) => nodeId));
}

export async function refuseTooLarge<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw isTooLarge(error) ? tooLarge("The request is too large for the database", error) : error;
  }
}
