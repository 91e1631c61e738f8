import type { Actor } from "../../core/actor.ts";
import { LoggableError } from "../../core/errors.ts";
import { typedRows } from "../../db/rows.ts";
import { unavailable } from "../../db/sql_errors.ts";
import { bindBatch, type SqlArgs, type Statement } from "../../db/statement.ts";
import { findGrants, type Grant, type GrantDeps } from "../../device/grant_service.ts";
import { lowestLevel, stepUpTo } from "../../graph/rules/step_up.ts";
import { type Destination, type KnownSeries, nodeIdOf, type SeriesWrite } from "../points/point.ts";
import { type FindFault, PointsRefused } from "../points/points_refused.ts";
import { ownCopy, type SeriesMemory, type WriterMemory } from "./series_memory.ts";
import {
  argsOf,
  type AuthorizedWrite,
  findSeries,
  nodeIdsOf,
  refuseTooLarge,
  registerStep,
  requireRoom,
  stepsOf,
} from "./series_registration.ts";
import type { SettledRow } from "./write_queries.ts";
import { grantsToWrite, OutsidePeriods, pastAmong } from "./written_periods.ts";

/** The part of a write that all stores share: the database settles its rights and series, wherever its points are kept. */

/** Maximum attempts of a write whose rights or series change meanwhile. */
const ATTEMPTS = 3;

/** The same for a device that does not exist, is deleted, or is not the writer's. */
const NO_DEVICE = "Expected the nodeId of a device that exists and that you may write";

/** A write, and its statements, which take effect if it is accepted. The last one returns a `SettledRow`. */
export interface SettledWrite<R extends SettledRow> {
  readonly destination: Destination;
  readonly series: readonly SeriesWrite[];
  /** Returns the statements and their further arguments, given the ids of the series in their order. */
  readonly bind: (ids: readonly number[]) => WriteStatements | Promise<WriteStatements>;
  /** Takes the row of the statements, accepted or not. */
  readonly notice?: (row: R) => void;
}

/** Statements that take effect if a write is accepted, of which one returns a row. */
export interface WriteStatements {
  readonly statements: readonly Statement[];
  readonly args: SqlArgs;
}

export interface AcceptedWrite {
  /** Those that were used. */
  readonly grants: readonly Grant[];
  /** Of the series in their order. */
  readonly ids: readonly number[];
}

export interface SettlingDeps extends GrantDeps {
  readonly memory: SeriesMemory;
}

/** The rights of a write. */
interface WriteRights {
  /** By nodeId. */
  readonly grants: ReadonlyMap<string, readonly Grant[]>;
  /** The revision as of which they held, or -1. */
  readonly revision: number;
}

/** The ids of series in the order of a request, as of a number of deleted series. */
interface SeriesIds {
  readonly ids: readonly number[];
  readonly deletedSeries: number;
}

/**
 * Authorizes and runs a write. It takes one round trip if the memory has all of its series. Otherwise, their grants
 * are found, and missing series registered, before. Throws `TOKEN_INVALID`, `FORBIDDEN`,
 * `TELEMETRY_REFUSED` (also if the batch is too large, or for a point outside the period of a device), and
 * `UNAVAILABLE` if rights keep changing. A failed write may leave many new series behind.
 */
export async function runWrite<R extends SettledRow>(
  deps: SettlingDeps,
  actor: Actor,
  write: SettledWrite<R>,
): Promise<AcceptedWrite> {
  const { destination, series } = write;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const recalled = attempt === 1 ? recallRights(series, deps.memory.deletedSeries) : undefined;
    const rights = recalled ?? await findRights(deps, actor, destination, nodeIdsOf(series));
    const grants = await chooseGrants(deps, actor, destination, { series, rights });
    const authorized = { actor, now: deps.clock(), grants };
    const settled = await findIds(deps, authorized, { destination, series, rights });
    if (settled === undefined) continue;
    const { statements, args } = await write.bind(settled.ids);
    const batch = bindBatch(statements, {
      ...argsOf(authorized),
      belowId: destination.roleId ?? null,
      revision: grants.every(isSteady) ? rights.revision : -1,
      actingIds: JSON.stringify([...new Set(grants.map(({ actingId }) => actingId))]),
      deletedSeries: settled.deletedSeries,
      ...args,
    });
    const lists = await refuseTooLarge(deps.database.write(batch));
    const [row] = typedRows<R>(lists.find(({ length }) => length > 0));
    if (row === undefined) throw new Error("A write returned no row");
    write.notice?.(row);
    deps.memory.isAsOf(row.deletedSeries);
    if (row.accepted === 0) continue;
    remember(deps.memory.of(actor, destination), series, { ...settled, ...rights, revision: row.revision });
    return { grants, ids: settled.ids };
  }
  throw unavailable(
    new LoggableError("The rights of a write have changed each time since it was authorized"),
  );
}

/** Whether only a change of rights can end the grant, if the membership that gives it holds. */
function isSteady(grant: Grant): boolean {
  return isForAllTimes(grant) && (grant.meantId === null || grant.meantId === grant.roleId);
}

function isForAllTimes({ from, until }: Grant): boolean {
  return from === null && until === null;
}

/**
 * Returns the rights by which earlier writes reached the series. Undefined unless all are known, with a grant for all
 * times for each device: beside one with bounds, there may by now be another.
 */
function recallRights(series: readonly SeriesWrite[], deletedSeries: number): WriteRights | undefined {
  const grants = new Map<string, readonly Grant[]>();
  let revision: number | undefined;
  for (const one of series) {
    const known = knownOf(one, deletedSeries);
    if (known === undefined || !known.grants.some(isForAllTimes)) return undefined;
    const [grant] = known.grants;
    grants.set(grant?.nodeId ?? "", known.grants);
    revision = revision === undefined || revision === known.revision ? known.revision : -1;
  }
  return { grants, revision: revision ?? -1 };
}

/** Returns what is known of the series if it has this kind, and none has been deleted since. */
function knownOf({ known, kind }: SeriesWrite, deletedSeries: number): KnownSeries | undefined {
  return known?.kind === kind && known.deletedSeries === deletedSeries ? known : undefined;
}

/** Finds the grants of a write. Throws `FORBIDDEN` or the step-up that it takes, unless there is one for each device. */
async function findRights(
  deps: GrantDeps,
  actor: Actor,
  { roleId }: Destination,
  nodeIds: ReadonlySet<string>,
): Promise<WriteRights> {
  const asked = { kind: "write", nodeIds, belowId: roleId } as const;
  const found = await refuseTooLarge(findGrants(deps, actor, asked));
  if (found.grants.size === nodeIds.size) return found;
  const level = await lowestLevel(deps, actor, async (level) => {
    const { grants } = await refuseTooLarge(findGrants(deps, actor, { ...asked, level }));
    return grants.size < nodeIds.size ? "refused" : "allowed";
  });
  const stepUp = level === undefined ? undefined : stepUpTo(level);
  const message = stepUp === undefined ? NO_DEVICE : "SECOND_FACTOR_REQUIRED";
  const findFault: FindFault = ({ key }) => found.grants.has(nodeIdOf(key.tags)) ? undefined : message;
  throw new PointsRefused(stepUp?.code ?? "FORBIDDEN", findFault, { acr: stepUp?.acr });
}

/** Like `grantsToWrite`. Finds past grants if points need them. */
async function chooseGrants(
  deps: GrantDeps,
  actor: Actor,
  { roleId: belowId }: Destination,
  { series, rights }: { series: readonly SeriesWrite[]; rights: WriteRights },
): Promise<Grant[]> {
  try {
    return grantsToWrite(rights.grants, series);
  } catch (error) {
    if (!(error instanceof OutsidePeriods)) throw error;
    const { nodeIds } = error;
    const { grants } = await refuseTooLarge(findGrants(deps, actor, { kind: "past", nodeIds, belowId }));
    return grantsToWrite(rights.grants, series, pastAmong(grants, deps.clock()));
  }
}

/**
 * Returns the ids of the series, known or found; registers missing ones. Undefined if rights or series changed
 * meanwhile. Throws like `findSeries` and `requireRoom`.
 */
async function findIds(
  deps: SettlingDeps,
  authorized: AuthorizedWrite,
  { destination, series, rights }: {
    destination: Destination;
    series: readonly SeriesWrite[];
    rights: WriteRights;
  },
): Promise<SeriesIds | undefined> {
  const { deletedSeries } = deps.memory;
  const ids: (number | undefined)[] = series.map((one) => {
    const known = knownOf(one, deletedSeries);
    if (known === undefined) return undefined;
    const [earlier] = known.grants;
    const [grant] = rights.grants.get(earlier?.nodeId ?? "") ?? [];
    return earlier?.deviceId === grant?.deviceId ? known.id : undefined;
  });
  const places = [...ids.keys()].filter((n) => ids[n] === undefined);
  if (places.length === 0) return { ids: ids as number[], deletedSeries };
  const unknown = places.map((n) => series[n] as SeriesWrite);
  let found = await findSeries(deps, authorized, destination, unknown);
  if (found.missing.length > 0) {
    for (const step of stepsOf(found.missing)) await registerStep(deps, authorized, destination, step);
    found = await findSeries(deps, authorized, destination, unknown);
    await requireRoom(deps, authorized, destination, found.missing);
  }
  for (const [n, id] of found.ids) ids[places[n] as number] = id;
  const isComplete = found.ids.length === unknown.length;
  // Ids that were known count as of another moment than those found.
  const isOneMoment = places.length === series.length || found.deletedSeries === deletedSeries;
  deps.memory.isAsOf(found.deletedSeries);
  return isComplete && isOneMoment ? { ids: ids as number[], deletedSeries: found.deletedSeries } : undefined;
}

/** Keeps what an accepted write found or knew, as of its revision. */
function remember(
  memory: WriterMemory,
  series: readonly SeriesWrite[],
  { ids, deletedSeries, grants, revision }: WriteRights & SeriesIds,
): void {
  /** Copies by the lists that they were made from. */
  const copies = new Map<readonly Grant[], readonly Grant[]>();
  for (const [n, one] of series.entries()) {
    const id = ids[n] as number;
    const { known } = one;
    const ofDevice = grants.get(known?.grants[0]?.nodeId ?? one.nodeId) ?? [];
    if (known?.id === id && known.grants === ofDevice) {
      known.revision = revision;
      continue;
    }
    let kept = copies.get(ofDevice);
    if (kept === undefined) {
      kept = ofDevice.map((grant) => ({ ...grant, nodeId: ownCopy(grant.nodeId) }));
      copies.set(ofDevice, kept);
    }
    memory.keep(one, { id, grants: kept, deletedSeries, revision });
  }
}
