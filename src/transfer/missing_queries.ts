import { userAccount } from "../db/schema/identity.ts";
import { manages, member, role } from "../db/schema/role.ts";
import { device, monitors } from "../db/schema/telemetry.ts";
import { beginOf, isNotClosed } from "../device/period_queries.ts";
import { int, rows, type SQL, sql, type SQLiteColumn, text, type Value } from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import { memberLives } from "../graph/rules/principal_queries.ts";
import { maskOf } from "../graph/rights.ts";

/** What the database has of a JSON list of roles, for an import that deletes what its files do not name. */

const ROLE_MANAGEMENT = maskOf("roleManagement");

export interface RelationOfRole {
  readonly id: number;
  readonly parentId: number;
  readonly childId: number;
  readonly childName: string;
  /** Whether the parent may manage the child itself. */
  readonly isManaging: 0 | 1;
  /** The external id of the child. */
  readonly externalId: string | null;
  readonly isRoot: 0 | 1;
}

function relationsBy(column: SQLiteColumn): Statement<{ readonly list: string }, RelationOfRole> {
  const { id, parentId, childId, rights } = manages;
  return rows<RelationOfRole>()({ list: text }, ({ list }) =>
    sql`
  SELECT ${id} AS id, ${parentId} AS parentId, ${childId} AS childId, ${role.name} AS childName,
    (${rights} & ${ROLE_MANAGEMENT}) <> 0 AS isManaging, ${role.externalId} AS externalId, ${role.isRoot} AS isRoot
  FROM json_each(${list}) listed CROSS JOIN ${manages} ON ${column} = listed.value
    CROSS JOIN ${role} ON ${role.id} = ${childId}`);
}

/** The relations that start at roles of the list, or enter them. */
export const RELATIONS_BY = {
  parents: relationsBy(manages.parentId),
  children: relationsBy(manages.childId),
} as const;

/** Selects columns with the name of the role `roleId` from the rows of a table that are of the listed roles. */
function ofListedRoles(list: Value, columns: SQL, from: SQL, roleId: SQLiteColumn): SQL {
  return sql`
  SELECT ${columns}, ${roleId} AS roleId, ${role.name} AS roleName
  FROM json_each(${list}) listed CROSS JOIN ${role} ON ${role.id} = listed.value CROSS JOIN ${from}`;
}

interface OfRole {
  readonly id: number;
  readonly roleId: number;
  readonly roleName: string;
}

export interface MemberOfRole extends OfRole {
  readonly userId: number;
  readonly email: string;
}

/** The memberships of people that have not ended. */
export const MEMBERS_OF_ROLES = rows<MemberOfRole>()({ list: text, now: int }, ({ list }) =>
  ofListedRoles(
    list,
    sql`${member.id} AS id, ${member.userId} AS userId, ${userAccount.email} AS email`,
    sql`${member} ON ${member.roleId} = ${role.id} AND ${memberLives(member)}
    CROSS JOIN ${userAccount} ON ${userAccount.id} = ${member.userId}`,
    member.roleId,
  ));

export interface PlaceOfRole extends OfRole {
  readonly deviceId: number;
  readonly nodeId: string;
  /** The external id of the device. */
  readonly externalId: string | null;
  readonly isClosed: 0 | 1;
  readonly hasBegun: 0 | 1;
}

/** The monitors relations, closed ones included. */
export const PLACES_OF_ROLES = rows<PlaceOfRole>()({ list: text, now: int }, ({ list, now }) =>
  ofListedRoles(
    list,
    sql`${monitors.id} AS id, ${monitors.deviceId} AS deviceId, ${device.nodeId} AS nodeId,
    ${device.externalId} AS externalId, NOT ${isNotClosed(monitors)} AS isClosed,
    ${beginOf(monitors.validFrom)} < ${now} AS hasBegun`,
    sql`${monitors} ON ${monitors.roleId} = ${role.id}
    CROSS JOIN ${device} ON ${device.id} = ${monitors.deviceId}`,
    monitors.roleId,
  ));
