import { roleClosure, roleKey } from "../../db/schema/role.ts";
import { monitors } from "../../db/schema/telemetry.ts";
import { placeholdersOf, rows, rowsOf, sql } from "../../db/sql.ts";
import { isOpen } from "../../device/period_queries.ts";
import { PRINCIPAL, PRINCIPAL_LIVES } from "../../graph/rules/principal_queries.ts";
import { FULL_DEVICES } from "./bucket.ts";

/** Maximum number of roles below, by their ids, and of monitors relations that a count scans. */
const COUNTED_ROLES = 20_000;
const COUNTED_RELATIONS = 20_000;

const { actorId } = placeholdersOf(PRINCIPAL);

/**
 * The number of devices that the role of the actor's key and the roles below it monitor now, as far as
 * `FULL_DEVICES`. Scans nothing and returns no row if the key has ended. Beyond the scanned rows, devices are missed.
 */
export const COUNT_DEVICES = rows<{ readonly devices: number }>()(PRINCIPAL, () => {
  const { own, asking, path } = rowsOf({ own: roleKey, asking: roleKey, path: roleClosure });
  const { watching } = rowsOf({ watching: monitors });
  return sql`
  SELECT (WITH counted(role_id) AS MATERIALIZED (
      SELECT ${own.roleId} FROM ${own} WHERE ${own.id} = -${actorId}
      UNION ALL SELECT ${path.descendantId} FROM ${asking}
        CROSS JOIN ${path} ON ${path.ancestorId} = ${asking.roleId} WHERE ${asking.id} = -${actorId}
      LIMIT ${COUNTED_ROLES + 1}),
    watched(device_id, is_open) AS MATERIALIZED (
      SELECT ${watching.deviceId}, ${isOpen(watching)} FROM counted
        CROSS JOIN ${watching} ON ${watching.roleId} = counted.role_id
      LIMIT ${COUNTED_RELATIONS})
    SELECT min(count(DISTINCT device_id), ${FULL_DEVICES}) FROM watched WHERE is_open) AS devices
  WHERE ${PRINCIPAL_LIVES}`;
});
