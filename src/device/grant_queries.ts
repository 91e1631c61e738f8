import { member, roleClosure } from "../db/schema/role.ts";
import { device, monitors } from "../db/schema/telemetry.ts";
import { REVISION } from "../db/revisions.ts";
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
import { fromEitherSide, isVisible } from "../graph/rules/guard_queries.ts";
import { type Acting, reaches } from "../graph/rules/rule_queries.ts";
import { memberIsAwake, PRINCIPAL, PRINCIPAL_LIVES } from "../graph/rules/principal_queries.ts";
import { managesDevicesOf } from "./guard_queries.ts";
import { hasWithin, isOpen, type Period, storedNodeId } from "./period_queries.ts";
import { watchesOf } from "./watch_queries.ts";

/**
 * Grants: the role by which the actor may use a device in a period, and the role of the actor that gives it. A call may
 * name thousands of devices with a hundred roles each, and its caller may have many memberships. So reads find the
 * grants, for a bounded number of roles each, and later statements only check them with a few lookups per grant.
 */

/**
 * Maximum roles of the actor that a grant for the past names. The actor has to manage the device now by the same one, and
 * most have few. A key has one.
 */
const ACTING_AT_ONCE = 8;

interface Use {
  /** Whether the authorizing role may use the device by a relation to this role. */
  readonly allowed: (acting: Acting, on: Value) => SQL;
  /** Whether a relation counts. */
  readonly counted: (relation: Period) => SQL;
}

const USES = {
  /** The actor sees the role. */
  read: { allowed: reaches, counted: () => sql`true` },
  /** The rule of `mayManageDevice`. */
  write: { allowed: managesDevicesOf, counted: isOpen },
  /** The same, with relations of any period: one that is over counts beside an open one of the same authorizing role. */
  past: { allowed: managesDevicesOf, counted: () => sql`true` },
} as const satisfies Readonly<Record<string, Use>>;

export type GrantKind = keyof typeof USES;

const { actorId } = placeholdersOf(PRINCIPAL);
/** Grants in the form of `toGrantsJson`, and the requested role. */
const { grants, belowId } = placeholdersOf({ grants: text, belowId: nullable(int) });

/** Whether the actor sees the requested role, and it is `on` or above it. */
function isMeant(on: Value): SQL {
  const below = row(roleClosure, "below");
  return sql`(${isVisible(belowId)} AND (${on} = ${belowId} OR EXISTS (SELECT 1 FROM ${below}
    WHERE ${below.descendantId} = ${on} AND ${below.ancestorId} = ${belowId})))`;
}

/** Entries have the index of the nodeId in the list. A nodeId may be that of a device and of retired ones. */
interface GrantsRow {
  /**
   * JSON: `[index, device, role, role of the actor, from, until, relation]`, one for each period. For the past, one for each
   * relation, with a JSON list of roles of the actor.
   */
  readonly held: string;
  /** JSON: `[index, requested role]`. */
  readonly meant: string;
  /** The last index that the statement reached; null: the end. */
  readonly lastKey: number | null;
  /** The revision of rights as of which the grants were found. */
  readonly revision: number;
}

function findGrants(kind: GrantKind) {
  const { allowed, counted } = USES[kind];
  const declared = { ...PRINCIPAL, nodeIds: text, afterKey: int, belowId: nullable(int) };
  return rows<GrantsRow>()(declared, ({ nodeIds, afterKey }) => {
    const devices = sql`SELECT requested.key, ${device.id} FROM json_each(${nodeIds}) requested
    CROSS JOIN ${device} ON ${device.nodeId} = ${storedNodeId(sql`requested.type`, sql`requested.value`)}
    WHERE requested.key > ${afterKey} ORDER BY requested.key`;
    const giving = (on: Value) => (memberships: SQL, acting: Acting, reached: SQL): SQL => {
      const isAllowed = kind === "read" ? reached : allowed(acting, on);
      if (kind !== "past") {
        return sql`(SELECT ${acting.roleId} FROM ${memberships} WHERE ${isAllowed} LIMIT 1)`;
      }
      return sql`(SELECT nullif(json_group_array(role_id), '[]') FROM (
        SELECT ${acting.roleId} AS role_id FROM ${memberships} WHERE ${isAllowed} LIMIT ${ACTING_AT_ONCE}))`;
    };
    const eachRole = kind === "past" ? sql`, held.role_id` : sql``;
    const watches = watchesOf(
      devices,
      (on, fromMemberships) => fromEitherSide(on, giving(on), fromMemberships),
      { counted },
    );
    const isComplete = sql`watched.key <= coalesce(looked.last_key, watched.key)`;
    return sql`
    WITH ${watches}
    SELECT looked.last_key AS lastKey, coalesce(${REVISION}, 0) AS revision,
      (SELECT json_group_array(json_array(key, device_id, role_id, acting_id, valid_from, valid_until, relation_id)) FROM (
        SELECT watched.key, watched.device_id, min(held.role_id) AS role_id, held.value AS acting_id,
          watched.valid_from, watched.valid_until, watched.relation_id
        FROM watched CROSS JOIN held ON held.role_id = watched.role_id
        WHERE held.value IS NOT NULL AND ${isComplete}
        GROUP BY watched.key, watched.device_id, watched.valid_from, watched.valid_until${eachRole})) AS held,
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
export const FIND_GRANTS = {
  read: findGrants("read"),
  write: findGrants("write"),
  past: findGrants("past"),
} as const;

const { watching, acting } = rowsOf({ watching: monitors, acting: member });
/**
 * The device of the entry `granted`: `[role, role of the actor, requested role, device, from, until, relation, whether the
 * period is past]`. Beside a past one, the list has an open one of the same device and role of the actor.
 */
const GRANTED_DEVICE = sql`granted.value ->> 3`;
/**
 * A source for FROM: the relation of an entry and the membership, if they still exist and the relation still has the
 * times of the entry in its period. The relation is found by its id: a role may have had the device in many periods.
 */
const NAMED_BY_GRANT = sql`${watching}
    CROSS JOIN ${acting} ON ${acting.userId} = ${actorId} AND ${acting.roleId} = granted.value ->> 1
      AND ${memberIsAwake(acting)}`;
const IS_NAMED = sql`${watching.id} = granted.value ->> 6
      AND ${watching.deviceId} = ${GRANTED_DEVICE} AND ${watching.roleId} = granted.value ->> 0
      AND ${hasWithin(watching, sql`granted.value ->> 4`, sql`granted.value ->> 5`)}`;

function isHeld(kind: GrantKind): SQL {
  const { allowed, counted } = USES[kind];
  const isCounted = kind === "write" ? sql`(granted.value ->> 7 OR ${counted(watching)})` : counted(watching);
  return sql`${IS_NAMED} AND ${isCounted} AND ${allowed(acting, watching.roleId)}`;
}

/** The requested role still monitors the device. */
const IS_STILL_MEANT = sql`EXISTS (SELECT 1 FROM ${watching}
    WHERE ${watching.deviceId} = ${GRANTED_DEVICE} AND ${watching.roleId} = granted.value ->> 2
      AND ${isOpen(watching)} AND ${isMeant(watching.roleId)})`;

/** One of the grants to write, `grants`, no longer holds. */
export const LACKS_GRANT: SQL = sql`EXISTS (SELECT 1 FROM json_each(${grants}) granted
  WHERE NOT EXISTS (SELECT 1 FROM ${NAMED_BY_GRANT} WHERE ${isHeld("write")})
    OR (${belowId} IS NOT NULL AND NOT ${IS_STILL_MEANT}))`;

/** Selects the devices of the grants to write. */
export const WRITTEN_DEVICES: SQL = sql`SELECT ${GRANTED_DEVICE} FROM json_each(${grants}) granted`;

interface HeldRow {
  /** The index of a grant. */
  readonly position: number;
}

/** The grants to read, of `grants`, that still hold. */
export const HELD_GRANTS = rows<HeldRow>()({ ...PRINCIPAL, grants: text }, () =>
  sql`
  SELECT granted.key AS position
  FROM json_each(${grants}) granted CROSS JOIN ${NAMED_BY_GRANT}
  WHERE ${PRINCIPAL_LIVES} AND ${isHeld("read")}`);
