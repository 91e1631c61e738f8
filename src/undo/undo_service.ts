import type { Actor } from "../core/actor.ts";
import { AppError } from "../core/errors.ts";
import { readRevised } from "../db/revisions.ts";
import { bind, pickNamed, type SqlArgs } from "../db/statement.ts";
import { writeOnce } from "../db/write_once.ts";
import {
  changeOfPut,
  changeOfTransfer,
  type PutMonitorsRow,
  type TransferRow,
} from "../device/monitors_service.ts";
import { effectOnMonitors, type MonitorsChange } from "../device/reading_effect.ts";
import { FORGET_BY_ADMINISTRATOR, RESTORE_DEVICE_BY_ADMINISTRATOR } from "../device/trash_queries.ts";
import { runChange } from "../changes/change_service.ts";
import { type Previewable, REFUSE_REPEATED_CHANGE } from "../changes/change_queries.ts";
import { accepted, type DecisionRow } from "../changes/decision.ts";
import type { RoleDeps } from "../role/deps.ts";
import { levelToStepUp, stepUpTo } from "../graph/rules/step_up.ts";
import { changeRelation, readIds } from "../role/manages/manages_service.ts";
import type { Effect } from "../changes/preview/effect.ts";
import {
  EFFECT_OF_MEMBERSHIP,
  EFFECT_OF_SHRINKING,
  EFFECT_ON_ROLE,
} from "../changes/preview/effect_queries.ts";
import { EFFECT_OF_RESTORING } from "../role/restore/restore_effect_queries.ts";
import { changeOrPreview, type Mode } from "../changes/preview/preview_service.ts";
import { readingOfPaths } from "../changes/preview/reading.ts";
import { type Plan, planUndo } from "./plans.ts";
import {
  READ_LATER,
  UNDO_ATTACH,
  UNDO_CASCADE,
  UNDO_CASCADE_BY_ADMINISTRATOR,
  UNDO_DELETION,
  UNDO_DETACH,
  UNDO_DEVICE_DELETION,
  UNDO_MAKING,
  UNDO_MEMBER_ADD,
  UNDO_MEMBER_CHANGE,
  UNDO_MOVE,
  UNDO_PERIOD,
  UNDO_RELATION_UPDATE,
  UNDO_ROLE_UPDATE,
  UNDO_TRANSFER,
} from "./inverse_queries.ts";
import { DENY_UNDO, READ_UNDONE, READ_UNDONE_BY_ADMINISTRATOR, type UndoneRow } from "./undone_queries.ts";
import type { GraphDeps } from "../graph/deps.ts";

/** What a change, or a preview of it, has undone. */
export interface Undone {
  readonly undoes: number;
  /** Only of a restored deletion. */
  readonly restored?: Restored;
  readonly leftOut?: Restored;
  readonly shortened?: readonly Shortened[];
  /** Only in a preview. */
  readonly effect?: Effect;
}

/** Numbers of what a restored deletion brought back, or did not. */
export type Restored = Readonly<
  Record<"roles" | "devices" | "relations" | "monitors" | "members", number>
>;

/** Why a monitors relation does not return whole (see `device/trash_queries.ts`). */
export const SHORTENED_REASONS = ["interrupted", "ended", "unmanaged", "full", "deleted"] as const;

/** A monitors relation that does not return whole. */
export interface Shortened {
  readonly id: number;
  readonly roleId: number;
  readonly deviceId: number;
  /** The end of what returns from before the deletion (ISO 8601). Absent: nothing. */
  readonly until?: string;
  readonly reason: typeof SHORTENED_REASONS[number];
}

/** Maximum number of shortened relations in a response. */
const LISTED_SHORTENED = 100;

/**
 * Undoes a change that the actor reads in the log, by the rules of the inverse change as of now. Only a preview returns
 * an effect. Throws `CANNOT_UNDO`, `CHANGED_SINCE`, the errors of the inverse change, and those of `changeOrPreview`.
 * An unknown change, one that the actor does not read, and one that they may not undo are all `FORBIDDEN`; a change
 * that a dormant membership would let them read and that can be undone is `STEP_UP_REQUIRED`.
 */
export async function undoChange(
  deps: RoleDeps,
  actor: Actor,
  revision: number,
  mode: Mode,
): Promise<Undone> {
  const change = await readUndone(deps, actor, revision);
  if (change === undefined) {
    const denied = await runChange<DecisionRow & Undone>(deps, actor, DENY_UNDO, { undoes: revision });
    let judged: UndoneRow | undefined;
    const level = await levelToStepUp(deps, actor, {
      statement: READ_UNDONE,
      args: { undoes: revision },
      refuses: (row) => ((judged = row)?.rev ?? null) === null,
    });
    if (level === undefined || judged === undefined) return accepted(denied);
    // No step-up helps with what cannot be undone.
    throw planUndo(judged) === undefined ? new AppError("CANNOT_UNDO") : stepUpTo(level);
  }
  const plan = planUndo(change);
  if (plan === undefined) throw new AppError("CANNOT_UNDO");
  // The second row of a move is about the relation that it replaced; a transfer has one for each of several devices.
  const further = plan.kind === "transfer" ? plan.parts : change.kind === "manages.move" ? 1 : 0;
  const undoneTo = revision + further;
  try {
    const { effect, restored, leftOut, shortened } = await carryOut(deps, actor, mode, plan, {
      undoes: revision,
      undoneTo,
    });
    return {
      undoes: revision,
      ...(restored && { restored }),
      ...(leftOut && { leftOut }),
      ...(shortened && { shortened }),
      ...(effect && { effect }),
    };
  } catch (error) {
    if (!(error instanceof AppError && error.code === "CHANGED_SINCE")) throw error;
    throw await nameLater(deps, actor, plan, undoneTo);
  }
}

/** Returns the change, or undefined if a key asks, there is none, or the actor does not read it. */
async function readUndone(
  { database, clock }: RoleDeps,
  { userId: actorId, sessionId }: Actor,
  undoes: number,
): Promise<UndoneRow | undefined> {
  if (actorId < 0) return undefined;
  const [row] = await readRevised(database, bind(READ_UNDONE, { now: clock(), actorId, sessionId, undoes }));
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  return row.rev === null ? undefined : row;
}

/** Returns the error of a change that has been followed by another one, with its revision if the actor reads that. */
async function nameLater(
  { database, clock }: RoleDeps,
  { userId: actorId, sessionId }: Actor,
  { args }: Plan,
  undoneTo: number,
): Promise<AppError> {
  const deviceIds = "deviceIds" in args
    ? args.deviceIds
    : "deviceId" in args
    ? JSON.stringify([args.deviceId])
    : null;
  const isOfRole = "roleId" in args && deviceIds === null;
  const isMembership = isOfRole && ("relationId" in args || "restoredId" in args);
  const id = "relationId" in args ? args.relationId : "restoredId" in args ? args.restoredId : null;
  const [row] = await database.read(bind(READ_LATER, {
    now: clock(),
    actorId,
    sessionId,
    undoneTo,
    roleId: isOfRole && !isMembership ? args.roleId : null,
    relationId: isMembership || deviceIds !== null ? null : id,
    memberId: isMembership ? id : null,
    deviceIds,
  }));
  if (row === undefined) return new AppError("TOKEN_INVALID");
  return new AppError("CHANGED_SINCE", row.later === null ? {} : { extra: { revision: row.later } });
}

async function carryOut(
  deps: RoleDeps,
  actor: Actor,
  mode: Mode,
  plan: Plan,
  undone: { readonly undoes: number; readonly undoneTo: number },
): Promise<Omit<Undone, "undoes">> {
  const { maxClosureChange: maxCost } = deps;
  const request = ["undo", undone.undoes];
  const accept = <T extends DecisionRow>(row: T | undefined): T => accepted(row, { maxCost });
  const relationArgs = (args: SqlArgs): SqlArgs => ({ ...args, ...undone });
  switch (plan.kind) {
    case "role": {
      const { roleId, selfRights } = plan.args;
      return await changeOrPreview<DecisionRow>(deps, actor, mode, {
        request,
        batches: UNDO_ROLE_UPDATE,
        args: { ...plan.args, ...undone },
        accept,
        effectOf: (_, read) => bind(EFFECT_ON_ROLE, { ...read, roleId, selfRights }),
      });
    }
    case "relation":
      return await changeRelation(deps, actor, mode, {
        request,
        batches: UNDO_RELATION_UPDATE,
        args: relationArgs(plan.args),
      });
    case "deletion":
      return await changeRelation(deps, actor, mode, {
        request,
        batches: UNDO_DELETION,
        args: relationArgs(plan.args),
      });
    case "move":
      return await changeRelation(deps, actor, mode, {
        request,
        batches: UNDO_MOVE,
        args: relationArgs(plan.args),
      });
    case "making": {
      const { parentId } = plan.args;
      type Row = DecisionRow & { readonly childRoleId: number; readonly deletedRoleIds: string };
      return await changeOrPreview<Row>(deps, actor, mode, {
        request,
        batches: UNDO_MAKING,
        args: { ...plan.args, ...undone, maxCost, refusesCascade: 0 },
        accept,
        deletes: ({ deletedRoleIds }) => ({ roles: readIds(deletedRoleIds).length, devices: 0 }),
        effectOf: ({ childRoleId: childId, deletedRoleIds }, read) => {
          const deletion = { parentId, childId, rights: null, replacedParentId: null, deletedRoleIds };
          return bind(EFFECT_OF_SHRINKING, { ...read, ...deletion });
        },
      });
    }
    case "restore":
      return await restore(deps, actor, mode, plan, undone);
    case "device":
      return await changeOrPreview<DecisionRow>(deps, actor, mode, {
        request,
        batches: UNDO_DEVICE_DELETION,
        args: { ...plan.args, undoes: undone.undoes },
        accept,
        // Of any period, since the device has no other relation.
        ...effectOnMonitors(() => {
          const { roleId, deviceId, relationId: id } = plan.args;
          return { put: [{ id, roleId, deviceId, from: null, until: null }] };
        }),
      });
    case "attach": {
      const args = { ...plan.args, ...undone, refusesCascade: 0 };
      const deleted = [plan.args.relationId];
      return await changeDevices(deps, actor, mode, {
        batches: UNDO_ATTACH,
        args,
        changeOf: () => ({ deleted }),
      });
    }
    case "period":
    case "detach": {
      const batches = plan.kind === "period" ? UNDO_PERIOD : UNDO_DETACH;
      const args = { ...plan.args, ...undone };
      return await changeDevices<PutMonitorsRow>(deps, actor, mode, { batches, args, changeOf: changeOfPut });
    }
    case "transfer": {
      const args = { ...plan.args, ...undone };
      const change = { batches: UNDO_TRANSFER, args, changeOf: changeOfTransfer };
      return await changeDevices<TransferRow>(deps, actor, mode, change);
    }
    case "memberAdd":
      return await changeMembership(deps, actor, mode, UNDO_MEMBER_ADD, { ...plan.args, ...undone });
    case "memberChange":
      return await changeMembership(deps, actor, mode, UNDO_MEMBER_CHANGE, {
        ...plan.args,
        setsEnd: 1,
        ...undone,
      });
  }
}

interface RestoreRow extends DecisionRow {
  /** JSON: `RestoreDetails`. */
  readonly details: string;
}

interface RestoreDetails extends Pick<Undone, "restored" | "leftOut"> {
  readonly monitorsIds: readonly number[];
  readonly relationIds: readonly number[];
  readonly memberIds: readonly number[];
  /** `until` in milliseconds; null: absent. */
  readonly shortened: readonly (Omit<Shortened, "until"> & { readonly until: number | null })[];
}

/** Returns what the response tells of a restored deletion. */
function describeRestored(details: string): Pick<Undone, "restored" | "leftOut" | "shortened"> {
  const { restored, leftOut, shortened = [] } = JSON.parse(details) as Partial<RestoreDetails>;
  const shown = shortened.slice(0, LISTED_SHORTENED).map(({ until, ...of }): Shortened => ({
    ...of,
    ...(until === null ? {} : { until: new Date(until).toISOString() }),
  }));
  return {
    ...(restored && { restored }),
    ...(leftOut && { leftOut }),
    ...(shown.length === 0 ? {} : { shortened: shown }),
  };
}

/** Restores what a deletion took, or previews that. */
async function restore(
  deps: RoleDeps,
  actor: Actor,
  mode: Mode,
  { args, roleIds }: Extract<Plan, { kind: "restore" }>,
  { undoes }: { readonly undoes: number },
): Promise<Omit<Undone, "undoes">> {
  const { maxClosureChange: maxCost } = deps;
  const { row, ...preview } = await changeOrPreview<RestoreRow>(deps, actor, mode, {
    request: ["undo", undoes],
    batches: UNDO_CASCADE,
    args: { ...args, undoes, maxCost },
    accept: (restored) => accepted(restored, { maxCost }),
    shows: ({ details }) => details,
    // Who restores roles sees them afterwards.
    readingOf: () => (whole, seen) => readingOfPaths(whole, new Set([...seen, ...roleIds])),
    effectOf: ({ details }, read) => {
      const { relationIds, memberIds, monitorsIds, shortened = [] } = JSON.parse(details) as RestoreDetails;
      // Of those that do not return whole, some return in part.
      const inPart = shortened.filter(({ until, reason }) => until !== null || reason === "interrupted");
      const lists = {
        relationIds: JSON.stringify(relationIds),
        memberIds: JSON.stringify(memberIds),
        monitorsIds: JSON.stringify([...monitorsIds, ...inPart.map(({ id }) => id)]),
      };
      return bind(EFFECT_OF_RESTORING, { ...read, ...args, undoes, ...lists });
    },
  });
  return { ...describeRestored(row.details), ...preview };
}

/**
 * Restores a deletion for an administrator's task, whatever it costs. Returns undefined if the change is unknown or no
 * deletion, or if what it took cannot be restored any longer. Memberships that have ended since do not return.
 */
export async function restoreByAdministrator(
  deps: GraphDeps,
  revision: number,
): Promise<Omit<Undone, "effect"> | undefined> {
  const read = bind(READ_UNDONE_BY_ADMINISTRATOR, { undoes: revision });
  const [change] = await deps.database.read(read);
  const plan = change === undefined || change.rev === null ? undefined : planUndo(change);
  if (plan === undefined || (plan.kind !== "restore" && plan.kind !== "device")) return undefined;
  const batch = plan.kind === "restore" ? UNDO_CASCADE_BY_ADMINISTRATOR : RESTORE_DEVICE_BY_ADMINISTRATOR;
  const row = await writeOnce<DecisionRow & Partial<RestoreRow>>(deps.database, {
    guard: REFUSE_REPEATED_CHANGE,
    batch,
    args: pickNamed(batch, {
      ...plan.args,
      opId: crypto.randomUUID(),
      now: deps.clock(),
      undoes: revision,
    }),
  });
  if (row === undefined) return undefined;
  return { undoes: revision, ...describeRestored(row.details ?? "{}") };
}

/**
 * Deletes at once the devices that a deletion left in the trash, for an administrator's task. Returns their number.
 */
export async function forgetByAdministrator(
  { database, clock }: GraphDeps,
  revision: number,
): Promise<number> {
  const [gone = []] = await database.write([
    bind(FORGET_BY_ADMINISTRATOR, { now: clock(), undoes: revision }),
  ]);
  return gone.length;
}

/** Changes which roles monitor a device, or previews that. */
async function changeDevices<D extends DecisionRow>(
  deps: RoleDeps,
  actor: Actor,
  mode: Mode,
  { batches, args, changeOf }: {
    readonly batches: Previewable;
    readonly args: SqlArgs & { readonly undoes: number };
    readonly changeOf: (row: D) => MonitorsChange;
  },
): Promise<{ readonly effect?: Effect }> {
  const { effect } = await changeOrPreview<D>(deps, actor, mode, {
    request: ["undo", args.undoes],
    batches,
    args,
    accept: accepted,
    ...effectOnMonitors(changeOf),
  });
  return effect === undefined ? {} : { effect };
}

interface MembershipRow extends DecisionRow {
  readonly id: number | null;
  readonly rights?: number;
  /** Null for a membership that is made. */
  readonly oldRights: number | null;
  /** Only in a preview. */
  readonly subjectId?: number | null;
}

/** Ends or changes a membership, or makes it again, or previews that. */
async function changeMembership(
  deps: RoleDeps,
  actor: Actor,
  mode: Mode,
  batches: Previewable,
  args: SqlArgs & { readonly roleId: number },
): Promise<{ readonly effect?: Effect }> {
  return await changeOrPreview<MembershipRow>(deps, actor, mode, {
    request: ["undo", Number(args["undoes"])],
    batches,
    args,
    accept: accepted,
    effectOf: ({ id, rights, oldRights, subjectId }, read) => {
      const { roleId } = args;
      const change = { oldRights, newRights: rights ?? null };
      const holder = { memberId: id ?? 0, isPerson: 1, holderId: subjectId ?? 0 };
      return bind(EFFECT_OF_MEMBERSHIP, { ...read, ...change, ...holder, roleId });
    },
  });
}
