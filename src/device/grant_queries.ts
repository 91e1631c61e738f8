import { member, roleClosure } from "../db/schema/role.ts";
import { device, monitors } from "../db/schema/telemetry.ts";
import {
  int,
  nullable,
  placeholdersOf,
  row,
  rows,
  rowsOf,
  type SQL,
  sql,
  text,
  type Value,
} from "../db/sql.ts";
import { fromEitherSide, isVisible } from "../role/guard/guard_queries.ts";
import { type Acting, reaches } from "../role/guard/rule_queries.ts";
import { memberLives, PRINCIPAL, PRINCIPAL_LIVES } from "../role/guard/principal_queries.ts";
import { managesDevicesOf } from "./guard_queries.ts";
import { watchesOf } from "./watch_queries.ts";

/**
 * Grants: the role by which the actor may use a device, and the role of the actor that gives it. A call may name
 * thousands of devices with a hundred roles each, and its caller may have many memberships. So reads find the grants,
 * for a bounded number of roles each, and a write only checks them with two lookups per device.
 */

/** Uses of a device's telemetry. The authorizing role meets the condition on a role that monitors the device. */
const CONDITIONS = {
  /** Whether the actor sees the role. */
  read: reaches,
  /** The rule of `mayManageDevice`. */
  write: managesDevicesOf,
} as const;

export type GrantKind = keyof typeof CONDITIONS;

const { actorId } = placeholdersOf(PRINCIPAL);
/** Grants in the form of `toGrantsJson`, and the requested role. */
const { grants, belowId } = placeholdersOf({ grants: text, belowId: nullable(int) });

/** Whether the actor sees the requested role, and it is `on` or above it. */
function isMeant(on: Value): SQL {
  const below = row(roleClosure, "below");
  return sql`(${isVisible(belowId)} AND (${on} = ${belowId} OR EXISTS (SELECT 1 FROM ${below}
    WHERE ${below.descendantId} = ${on} AND ${below.ancestorId} = ${belowId})))`;
}

/** Entries have the index of the nodeId in the list. */
interface GrantsRow {
  /** JSON: `[index, device, role, role of the actor]`. */
  readonly held: string;
  /** JSON: `[index, requested role]`. */
  readonly meant: string;
  /** The last index that the statement reached; null: the end. */
  readonly lastKey: number | null;
}

function findGrants(kind: GrantKind) {
  const declared = { ...PRINCIPAL, nodeIds: text, afterKey: int, belowId: nullable(int) };
  return rows<GrantsRow>()(declared, ({ nodeIds, afterKey }) => {
    const devices = sql`SELECT asked.key, ${device.id} FROM json_each(${nodeIds}) asked
    CROSS JOIN ${device} ON ${device.nodeId} = asked.value WHERE asked.key > ${afterKey} ORDER BY asked.key`;
    const allowed = (on: Value) => (memberships: SQL, acting: Acting, reached: SQL): SQL => {
      const isAllowed = kind === "read" ? reached : CONDITIONS[kind](acting, on);
      return sql`(SELECT ${acting.roleId} FROM ${memberships} WHERE ${isAllowed} LIMIT 1)`;
    };
    const watches = watchesOf(
      devices,
      (on, fromMemberships) => fromEitherSide(on, allowed(on), fromMemberships),
    );
    const isComplete = sql`watched.key <= coalesce(looked.last_key, watched.key)`;
    return sql`
    WITH ${watches}
    SELECT looked.last_key AS lastKey,
      (SELECT json_group_array(json_array(key, device_id, role_id, acting_id)) FROM (
        SELECT watched.key, watched.device_id, min(held.role_id) AS role_id, held.value AS acting_id
        FROM watched CROSS JOIN held ON held.role_id = watched.role_id
        WHERE held.value IS NOT NULL AND ${isComplete} GROUP BY watched.key)) AS held,
      (SELECT json_group_array(json_array(key, role_id)) FROM (
        SELECT watched.key, min(watched.role_id) AS role_id FROM watched
        WHERE ${belowId} IS NOT NULL AND ${isMeant(sql`watched.role_id`)} AND ${isComplete}
        GROUP BY watched.key)) AS meant
    FROM looked WHERE ${PRINCIPAL_LIVES}`;
  });
}

/**
 * Finds grants for the devices `nodeIds` (a JSON list) after index `afterKey`, as many as one statement can judge. No
 * row if the principal does not live.
 */
export const FIND_GRANTS = { read: findGrants("read"), write: findGrants("write") } as const;

const { asked, watching, acting } = rowsOf({ asked: device, watching: monitors, acting: member });
/**
 * A source for FROM: the device, the relation and the membership of the entry `granted`, `[nodeId, role, role of the
 * actor, requested role]`, if they still exist.
 */
const NAMED_BY_GRANT = sql`${asked}
    CROSS JOIN ${watching} ON ${watching.deviceId} = ${asked.id} AND ${watching.roleId} = granted.value ->> 1
    CROSS JOIN ${acting} ON ${acting.userId} = ${actorId} AND ${acting.roleId} = granted.value ->> 2
      AND ${memberLives(acting)}`;
const IS_NAMED = sql`${asked.nodeId} = granted.value ->> 0`;

function isHeld(kind: GrantKind): SQL {
  return sql`${IS_NAMED} AND ${CONDITIONS[kind](acting, watching.roleId)}`;
}

/** The requested role still monitors the device. */
const IS_STILL_MEANT = sql`EXISTS (SELECT 1 FROM ${asked}
    CROSS JOIN ${watching} ON ${watching.deviceId} = ${asked.id} AND ${watching.roleId} = granted.value ->> 3
    WHERE ${IS_NAMED} AND ${isMeant(watching.roleId)})`;

/** One of the grants to write, `grants`, no longer holds. */
export const LACKS_GRANT: SQL = sql`EXISTS (SELECT 1 FROM json_each(${grants}) granted
  WHERE NOT EXISTS (SELECT 1 FROM ${NAMED_BY_GRANT} WHERE ${isHeld("write")})
    OR (${belowId} IS NOT NULL AND NOT ${IS_STILL_MEANT}))`;

interface ReadableRow {
  readonly nodeId: string;
  readonly deviceId: number;
}

/** The devices of the grants to read, `grants`, that still hold. */
export const READABLE_DEVICES = rows<ReadableRow>()({ ...PRINCIPAL, grants: text }, () =>
  sql`
  SELECT ${asked.nodeId} AS nodeId, ${asked.id} AS deviceId
  FROM json_each(${grants}) granted CROSS JOIN ${NAMED_BY_GRANT}
  WHERE ${PRINCIPAL_LIVES} AND ${isHeld("read")}`);
