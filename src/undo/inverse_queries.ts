import {
  changeLog,
  managesHistory,
  memberHistory,
  OPEN_REVISION,
  role,
  roleHistory,
} from "../db/schema/role.ts";
import { deletedMonitors } from "../db/schema/telemetry.ts";
import {
  type Declared,
  int,
  nullable,
  placeholdersOf,
  row,
  rows,
  type SQL,
  sql,
  text,
  type Value,
} from "../db/sql.ts";
import { type Previewable, undoes, type Undoing } from "../changes/change_queries.ts";
import type { Undone } from "../changes/command.ts";
import { REVISION_COLUMN } from "../db/revisions.ts";
import { seesChange } from "../explain/log/change_log_queries.ts";
import { ACTOR_IS_USER, PRINCIPAL, PRINCIPAL_LIVES } from "../graph/rules/principal_queries.ts";
import { CHILD_OF_NAMED } from "../role/manages/relation_facts.ts";
import { undoMakingBatches } from "../role/manages/deletion_queries.ts";
import { undoDeletionBatches, undoMoveBatches, undoUpdateBatches } from "../role/manages/manages_queries.ts";
import { undoMemberBatches } from "../role/member/member_queries.ts";
import { undoAdditionBatches } from "../role/member/member_removal_queries.ts";
import { undoDetachBatches, undoPeriodBatches } from "../device/monitors_queries.ts";
import { undoAttachBatches } from "../device/monitors_removal_queries.ts";
import { undoTransferBatches } from "../device/transfer_queries.ts";
import { RESTORE_DEVICES, restoreDeviceBatches } from "../device/trash_queries.ts";
import { restoreBatches, restoreByAdministrator } from "../role/restore/restore_queries.ts";
import { hasLostAccess } from "../role/restore/restored_queries.ts";
import { undoRoleUpdateBatches } from "../role/role_queries.ts";
import { seesUndone } from "./undone_queries.ts";

/**
 * The batches that undo changes: each is the change of the inverse, made by the actor and by its rules, with three more
 * conditions in its deciding statement. The actor is a user, reads the row of the change that is undone, and nothing has
 * changed since what that change left.
 */

/** `undoneTo`: the last revision of the change that is undone. A move has two. */
const UNDONE = { undoneTo: int };
const PUT = {
  roleId: int,
  relationId: int,
  restoredId: int,
  subjectId: nullable(int),
  livingId: nullable(int),
};
const { undoneTo, roleId, relationId, restoredId, subjectId, livingId, deviceIds, now } = placeholdersOf({
  ...UNDONE,
  ...PUT,
  deviceIds: text,
  now: int,
});

const { replaces, madeRoles, madeFrom, madeUntil, setsExternalId, madeExternalId } = placeholdersOf({
  replaces: int,
  madeRoles: text,
  madeFrom: nullable(int),
  madeUntil: nullable(int),
  setsExternalId: int,
  madeExternalId: nullable(text),
});

const NEVER = sql`false`;
const MAY_NOT_READ = sql`WHEN NOT (${ACTOR_IS_USER}) OR NOT ${seesUndone()} THEN 'denied'`;

type History = typeof roleHistory | typeof managesHistory | typeof memberHistory;

/** Selects the revision at which a role, a relation or a membership last changed or was deleted, or null. */
function lastChangeOf(history: "role" | "manages" | "member", id: Value): SQL {
  const [table, key] = history === "role"
    ? [row(roleHistory, "past_role"), "roleId" as const]
    : history === "manages"
    ? [row(managesHistory, "past_relation"), "relationId" as const]
    : [row(memberHistory, "past_member"), "memberId" as const];
  const past = table as History & Readonly<Record<typeof key, Value>>;
  return sql`(SELECT iif(${past.toRev} = ${OPEN_REVISION}, ${past.fromRev}, ${past.toRev}) FROM ${past}
      WHERE ${past[key]} = ${id} ORDER BY ${past.toRev} DESC LIMIT 1)`;
}

/** Whether the latest of these revisions is after the change that is undone. */
function isLater(revision: SQL): SQL {
  return sql`coalesce(${revision} > ${undoneTo}, false)`;
}

/**
 * Returns the refusals of an undo. Only an actor who may make the inverse learns that something has changed since. Who
 * reads a change of a role or a relation also reads its deletion (`isGone`). `further`: branches that follow.
 */
function undoing(
  hasChanged: SQL,
  isGone: SQL = NEVER,
  declared: Declared = UNDONE,
  further: SQL = sql``,
): Undoing {
  return {
    declared,
    refusals: sql`${MAY_NOT_READ} WHEN ${isGone} THEN 'changed_since' WHEN ruling = 'denied' THEN 'denied'
      WHEN ${hasChanged} THEN 'changed_since' ${further}`,
  };
}

const former = row(role, "former");
/** The role has another external id than the change gave it. History does not keep those. */
const EXTERNAL_ID_HAS_CHANGED = sql`(${setsExternalId} AND (SELECT ${former.externalId} FROM ${former}
    WHERE ${former.id} = ${roleId}) IS NOT ${madeExternalId})`;

/** What an undo asks that is a command: see `undoing`. */
function undone(declared: Declared, hasChanged: SQL): Undone {
  return { declared: { ...UNDONE, undoes: int, ...declared }, isRead: seesUndone(), hasChanged };
}

/** A role gets its former name, self rights and external id. */
export const UNDO_ROLE_UPDATE: Previewable = undoRoleUpdateBatches(
  undone(
    { madeExternalId: nullable(text) },
    sql`(${isLater(lastChangeOf("role", roleId))} OR ${EXTERNAL_ID_HAS_CHANGED})`,
  ),
);

const RELATION_HAS_CHANGED = isLater(lastChangeOf("manages", relationId));
const RELATION_IS_GONE = sql`relation_id IS NULL`;

/** A relation gets its former rights. */
export const UNDO_RELATION_UPDATE: Previewable = undoUpdateBatches(undone({}, RELATION_HAS_CHANGED));

/** A relation that was made is deleted, and the role that was made with it. */
export const UNDO_MAKING: Previewable = undoMakingBatches(
  undone(
    { madeRoles: text },
    sql`(${RELATION_HAS_CHANGED} OR (${madeRoles} <> '[]' AND ${
      isLater(lastChangeOf("role", CHILD_OF_NAMED))
    }))`,
  ),
);

/** The deleted relation has been made again since. */
const RESTORED_HAS_CHANGED = isLater(lastChangeOf("manages", restoredId));

/** A deleted relation is made again. */
export const UNDO_DELETION: Previewable = undoDeletionBatches(
  undone({ restoredId: int }, RESTORED_HAS_CHANGED),
);

/** A role is moved back. */
export const UNDO_MOVE: Previewable = undoMoveBatches(
  undone({ restoredId: int }, sql`${RESTORED_HAS_CHANGED} OR ${isLater(lastChangeOf("manages", replaces))}`),
);

/** A membership that was made ends. */
export const UNDO_MEMBER_ADD: Previewable = undoAdditionBatches(
  undone({}, isLater(lastChangeOf("member", relationId))),
);

/**
 * The membership `restoredId` has changed, or a removed one's user has lost the role's access by another way. Roles above
 * do not matter: who undoes this may also add the person anew, and may not see them.
 */
const MEMBERSHIP_HAS_CHANGED = sql`iif(${
  isLater(lastChangeOf("member", restoredId))
} OR ${livingId} IS NOT NULL,
  ${isLater(lastChangeOf("member", restoredId))},
  ${hasLostAccess(subjectId, sql`SELECT ${roleId} AS role_id`, undoneTo)})`;

/** A membership that was removed is made again, or one that was changed gets its former rights and end. */
export const UNDO_MEMBER_CHANGE: Previewable = undoMemberBatches(
  undone(
    { restoredId: int, subjectId: nullable(int), livingId: nullable(int) },
    MEMBERSHIP_HAS_CHANGED,
  ),
);

/** The roles, relations and devices of a deletion return. */
export const UNDO_CASCADE: Previewable = restoreBatches(
  undoing(sql`last_rev IS NOT ${undoes}`, NEVER, {}),
  RESTORE_DEVICES,
);

/** The same for an administrator's task. */
export const UNDO_CASCADE_BY_ADMINISTRATOR = restoreByAdministrator(RESTORE_DEVICES);

/** A device that was deleted alone returns from the trash. */
export const UNDO_DEVICE_DELETION: Previewable = restoreDeviceBatches(undoing(sql`NOT is_there`, NEVER, {}));

/** Selects the revision at which the monitors relations of a device last changed, or null. */
function lastChangeOfDevice(id: Value): SQL {
  const past = row(changeLog, "past_device");
  return sql`(SELECT max(${past.rev}) FROM ${past} WHERE ${past.deviceId} = ${id} AND ${past.decision} = 'ok'
      AND ${past.kind} IN ('device.transfer', 'monitors.add', 'monitors.remove', 'monitors.update'))`;
}

const ANY_HAS_CHANGED = sql`EXISTS (SELECT 1 FROM json_each(${deviceIds}) moved
    WHERE ${isLater(lastChangeOfDevice(sql`moved.value`))})`;

/** Devices are transferred back. */
export const UNDO_TRANSFER: Previewable = undoTransferBatches(undoing(ANY_HAS_CHANGED));

/** The period that the change gave the relation is not its period now. */
const PERIOD_HAS_CHANGED = sql`(old_from IS NOT ${madeFrom} OR old_until IS NOT ${madeUntil})`;
const MADE_PERIOD = { madeFrom: nullable(int), madeUntil: nullable(int) };

/** A monitors relation that was made is deleted. */
export const UNDO_ATTACH: Previewable = undoAttachBatches(
  undoing(PERIOD_HAS_CHANGED, RELATION_IS_GONE, MADE_PERIOD),
);

/** A monitors relation gets its former period. One that has ended stays as it is. */
export const UNDO_PERIOD: Previewable = undoPeriodBatches(
  undoing(
    PERIOD_HAS_CHANGED,
    RELATION_IS_GONE,
    MADE_PERIOD,
    sql`WHEN old_until <= ${now} THEN 'cannot_undo' `,
  ),
);

const lost = row(deletedMonitors, "lost");
/** The relation has been made again since, and may have been deleted again, or another one of its pair is in the way. */
const RELATION_WAS_MADE = sql`(relation_id IS NOT NULL OR (SELECT max(${lost.rev}) FROM ${lost}
      WHERE ${lost.monitorsId} = ${relationId}) IS NOT ${undoes})`;

/** A device that was detached from a role is attached to it again. */
export const UNDO_DETACH: Previewable = undoDetachBatches(undoing(RELATION_WAS_MADE, NEVER, {}));

interface LaterRow {
  /** Null if the actor does not read it. */
  readonly later: number | null;
  readonly revision: number;
}

/** The latest change of what was to be undone, if it came after that and the actor reads it. */
export const READ_LATER = rows<LaterRow>()(
  {
    ...PRINCIPAL,
    undoneTo: int,
    roleId: nullable(int),
    relationId: nullable(int),
    memberId: nullable(int),
    deviceIds: nullable(text),
  },
  ({ memberId }) => {
    const later = row(changeLog, "later");
    const last = sql`max(coalesce(${lastChangeOf("role", roleId)}, 0),
      coalesce(${lastChangeOf("manages", relationId)}, 0), coalesce(${lastChangeOf("member", memberId)}, 0),
      coalesce((SELECT max(${
      lastChangeOfDevice(sql`of_device.value`)
    }) FROM json_each(${deviceIds}) of_device), 0))`;
    return sql`
  SELECT ${REVISION_COLUMN}, (SELECT ${later.rev} FROM ${later}
    WHERE ${later.rev} = ${last} AND ${later.rev} > ${undoneTo} AND ${seesChange(later)}) AS later
  WHERE ${PRINCIPAL_LIVES}`;
  },
);
