import { REVISION_COLUMN } from "../db/revisions.ts";
import { member, roleClosure } from "../db/schema/role.ts";
import { monitors } from "../db/schema/telemetry.ts";
import { int, row, rows, rowsOf, sql, text } from "../db/sql.ts";
import { hasMoved, MAX_SCANNED_MEMBERS, movesDevices } from "../changes/change_queries.ts";
import { holderLives, PRINCIPAL, PRINCIPAL_LIVES } from "../graph/rules/principal_queries.ts";
import { MAX_SCANNED_MONITORS } from "../changes/preview/effect_queries.ts";
import type { EffectRow } from "../changes/preview/effect_rows.ts";

/** Maximum number of paths that are scanned above the roles that monitor the devices. */
const MAX_PATHS = 100_000;

/**
 * Reads the effect of a change of monitors relations: none on rights of roles. What it deletes is in the row of its
 * preview. No row if the session has ended.
 *
 * The relations `relationIds` change, and new ones are made for roles `roleIds` and devices `deviceIds` (JSON lists).
 * `pairs` are the paths from those who read by the changed relations, to all roles that monitor the devices. `watched`
 * lists the relations of these devices: `[id, device, role, from, until]`.
 */
export const EFFECT_ON_DEVICES = rows<EffectRow>()(
  { ...PRINCIPAL, sinceRevision: int, sinceTime: int, relationIds: text, roleIds: text, deviceIds: text },
  ({ relationIds, roleIds, deviceIds }) => {
    const { given, watching } = rowsOf({ given: monitors, watching: monitors });
    const { above, path } = rowsOf({ above: roleClosure, path: roleClosure });
    const joined = row(member, "joined");
    return sql`
  WITH changed(device_id, role_id) AS MATERIALIZED (
    SELECT ${given.deviceId}, ${given.roleId} FROM json_each(${relationIds}) requested
    CROSS JOIN ${given} ON ${given.id} = requested.value),
  relation(id, device_id, role_id, valid_from, valid_until) AS MATERIALIZED (
    SELECT ${watching.id}, ${watching.deviceId}, ${watching.roleId}, ${watching.validFrom}, ${watching.validUntil}
    FROM (SELECT value AS device_id FROM json_each(${deviceIds}) UNION SELECT device_id FROM changed) requested
      CROSS JOIN ${watching} ON ${watching.deviceId} = requested.device_id LIMIT ${MAX_SCANNED_MONITORS} + 1),
  touched(role_id) AS MATERIALIZED (
    SELECT CAST(value AS INTEGER) FROM json_each(${roleIds}) UNION SELECT role_id FROM changed),
  acting(role_id) AS MATERIALIZED (
    SELECT role_id FROM touched UNION SELECT ${above.ancestorId} FROM touched
    CROSS JOIN ${above} ON ${above.descendantId} = touched.role_id LIMIT ${MAX_PATHS} + 1),
  reach(acting_id, role_id) AS MATERIALIZED (
    SELECT role_id, role_id FROM touched
    UNION SELECT role_id, role_id FROM relation
    UNION ALL SELECT ${path.ancestorId}, ${path.descendantId}
    FROM (SELECT role_id FROM touched UNION SELECT role_id FROM relation) monitoring
      CROSS JOIN ${path} ON ${path.descendantId} = monitoring.role_id LIMIT ${MAX_PATHS} + 1),
  holder(acting_id, user_id, rights, lives) AS MATERIALIZED (
    SELECT ${joined.roleId}, ${joined.userId}, ${joined.rights}, ${holderLives(joined)}
    FROM acting CROSS JOIN ${joined} ON ${joined.roleId} = acting.role_id LIMIT ${MAX_SCANNED_MEMBERS} + 1)
  SELECT ${REVISION_COLUMN}, ${hasMoved(movesDevices)} AS moved,
    (SELECT json_group_array(json_array(acting_id, role_id, 0, 0, 0)) FROM reach
      WHERE acting_id IN (SELECT role_id FROM acting)) AS pairs,
    (SELECT json_group_array(json_array(id, device_id, role_id, valid_from, valid_until)) FROM relation) AS watched,
    people.holders, '[]' AS unmanaged,
    (people.scanned > ${MAX_SCANNED_MEMBERS} OR (SELECT count(*) FROM acting) > ${MAX_PATHS}
      OR (SELECT count(*) FROM reach) > ${MAX_PATHS} OR (SELECT count(*) FROM relation) > ${MAX_SCANNED_MONITORS}) AS truncated
  FROM (SELECT json_group_array(json_array(acting_id, user_id, rights)) FILTER (WHERE lives) AS holders,
      count(*) AS scanned FROM holder) people
  WHERE ${PRINCIPAL_LIVES}`;
  },
);
