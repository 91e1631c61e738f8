import { changeLog } from "../db/schema/role.ts";
import { monitors } from "../db/schema/telemetry.ts";
import { assigned, define, int, placeholdersOf, row, sql, text } from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import { ADMINISTRATOR, type Authority, READ_DECISION } from "../changes/authority_queries.ts";
import { type Previewable, previewable, recordChange, type Undoing } from "../changes/change_queries.ts";
import { NAMED_COLUMN, NOTE_DELETED_DEVICES, refuseDeletion } from "../graph/closure/cascade_queries.ts";
import { firstAuthorizingRole } from "../graph/rules/guard_queries.ts";
import { ONE_ROW, PRINCIPAL_LIVES } from "../graph/rules/principal_queries.ts";
import { DELETE_DEVICES, DELETE_MONITORS } from "./cascade_queries.ts";
import { managesDevicesOf, mayManageDevicesOf } from "./guard_queries.ts";
import { DECISION_COLUMNS, UPDATE_PERIOD } from "./monitors_queries.ts";
import { beginOf, isNotClosed } from "./period_queries.ts";
import { type Run, whenStep } from "../graph/step_queries.ts";

/** The end of a monitors relation. */

const REMOVE = { roleId: int, relationId: int };
const args = placeholdersOf(REMOVE);
const { now } = placeholdersOf({ now: int });
const existing = row(monitors, "existing");

const PRINCIPAL_REMOVES: Authority<typeof monitors> = {
  lives: PRINCIPAL_LIVES,
  allows: () => mayManageDevicesOf(args.roleId),
  via: firstAuthorizingRole((acting) => managesDevicesOf(acting, args.roleId)),
};

const other = row(monitors, "other");
/** The device has no other relation that is open or to come. */
const RETIRES = sql`(${isNotClosed(existing)} AND NOT EXISTS (SELECT 1 FROM ${other}
        WHERE ${other.deviceId} = ${existing.deviceId} AND ${other.id} <> ${existing.id} AND ${
  isNotClosed(other)
}))`;

function decideRemove(
  { lives, allows, via }: Authority<typeof monitors>,
  run: Run,
  undoing?: Undoing,
): Statement {
  return recordChange(REMOVE, {
    kind: sql`'monitors.remove'`,
    ruled: sql`SELECT ${existing.id} AS relation_id, ${existing.deviceId}, ${existing.validFrom} AS old_from,
      ${existing.validUntil} AS old_until, ${RETIRES} AS retires,
      CASE WHEN ${existing.id} IS NOT NULL AND ${allows(existing)} THEN 'ok' ELSE 'denied' END AS ruling
    FROM ${ONE_ROW} LEFT JOIN ${existing}
      ON ${existing.id} = ${args.relationId} AND ${existing.roleId} = ${args.roleId}
    WHERE ${lives}`,
    ...(via && { via }),
    values: {
      roleId: args.roleId,
      deviceId: sql`device_id`,
      relationId: sql`relation_id`,
      deletedRelationIds: sql`CASE decision WHEN 'ok' THEN json_array(relation_id) END`,
      details: sql`CASE decision WHEN 'ok' THEN json_object(
        'oldFrom', old_from, 'oldUntil', old_until, 'retires', retires) END`,
    },
    step: sql`CASE decision WHEN 'ok' THEN 'delete' ELSE 'none' END`,
    // The next statement lists the device that would be deleted.
    previewStep: sql`'delete'`,
    undoing,
  }, run);
}

const READ_REMOVED = define({ opId: text }, ({ opId }) =>
  sql`
  SELECT ${DECISION_COLUMNS}, ${changeLog.deletedDeviceIds} AS deletedDeviceIds,
    ${changeLog.deletedRelationIds} AS deletedRelationIds, ${NAMED_COLUMN}
  FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`);

/**
 * Deletes a relation with its past, and the device if that was its last one. The last statement returns a
 * `RemovedMonitorsRow`.
 */
export const REMOVE_MONITORS: Previewable = previewable({
  make: [
    decideRemove(PRINCIPAL_REMOVES, "change"),
    NOTE_DELETED_DEVICES,
    refuseDeletion("change"),
    ...DELETE_DEVICES,
    READ_REMOVED,
  ],
  preview: [
    decideRemove(PRINCIPAL_REMOVES, "preview"),
    NOTE_DELETED_DEVICES,
    refuseDeletion("preview"),
    READ_REMOVED,
  ],
  changesDevices: true,
});

/** The same for an administrator's task. The last statement returns a `DecisionRow`. */
export const REMOVE_MONITORS_AS_ADMINISTRATOR: readonly Statement[] = [
  decideRemove(ADMINISTRATOR, "change"),
  NOTE_DELETED_DEVICES,
  ...DELETE_DEVICES,
  READ_DECISION,
];

/** Ends an open relation now, for an administrator's task. */
const DECIDE_END = recordChange(REMOVE, {
  kind: sql`'monitors.update'`,
  ruled: sql`SELECT ${existing.id} AS relation_id, ${existing.deviceId}, ${existing.validFrom} AS old_from,
      ${existing.validUntil} AS old_until, CASE WHEN ${existing.id} IS NULL THEN 'denied' ELSE 'ok' END AS ruling
    FROM ${ONE_ROW} LEFT JOIN ${existing}
      ON ${existing.id} = ${args.relationId} AND ${existing.roleId} = ${args.roleId} AND ${
    beginOf(existing.validFrom)
  } < ${now}
      AND ${isNotClosed(existing)}`,
  values: {
    roleId: args.roleId,
    deviceId: sql`device_id`,
    relationId: sql`relation_id`,
    details: sql`CASE decision WHEN 'ok' THEN json_object('from', old_from, 'until', ${now},
        'oldFrom', old_from, 'oldUntil', old_until) END`,
  },
  step: sql`CASE decision WHEN 'ok' THEN 'update' ELSE 'none' END`,
});

/** Ends an open relation now, for an administrator's task. The last statement returns a `DecisionRow`. */
export const END_MONITORS_AS_ADMINISTRATOR: readonly Statement[] = [DECIDE_END, UPDATE_PERIOD, READ_DECISION];

/** Refuses to undo the making of a relation that is the last one of its device by now. */
const REFUSE_DEVICE = define({ opId: text }, () =>
  sql`
  UPDATE ${changeLog} SET ${assigned(changeLog, { decision: sql`'changed_since'`, step: sql`'none'` })}
  WHERE ${whenStep("delete")} AND ${changeLog.deletedDeviceIds} <> '[]'`);

/** Deletes a relation that a change made, and nothing else. The last statement returns a `RemovedMonitorsRow`. */
export function undoAttachBatches(undoing: Undoing): Previewable {
  const decided = (run: Run): readonly Statement[] => [
    decideRemove(PRINCIPAL_REMOVES, run, undoing),
    NOTE_DELETED_DEVICES,
    REFUSE_DEVICE,
    refuseDeletion(run),
  ];
  return previewable({
    make: [...decided("change"), DELETE_MONITORS, READ_REMOVED],
    preview: [...decided("preview"), READ_REMOVED],
    changesDevices: true,
  });
}
