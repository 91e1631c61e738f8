import { departure, userAccount } from "../../db/schema/identity.ts";
import {
  changeLog,
  manages,
  managesHistory,
  member,
  memberHistory,
  OPEN_REVISION,
  role,
  roleClosure,
  roleHistory,
  roleKey,
  rootUsage,
} from "../../db/schema/role.ts";
import { device, deviceTombstone, monitors } from "../../db/schema/telemetry.ts";
import {
  bare,
  columns,
  define,
  int,
  row,
  rows,
  rowsOf,
  type SQL,
  sql,
  type SQLiteColumn,
  type SQLiteTable,
  takenOver,
  text,
  type Value,
} from "../../db/sql.ts";
import { maskOf } from "../rights.ts";

/** Verification reads all of the graph, page by page, and repairs the closure. It is an administrator's task. */

const REVISION = sql`SELECT coalesce(max(${changeLog.rev}), 0) AS revision FROM ${changeLog}`;

/** The revision of the graph. It increases with every decision. */
export const CURRENT_REVISION = rows<{ readonly revision: number }>()({}, () => REVISION);

/** Number of rows to read, for showing progress. */
export const COUNT_GRAPH = rows<{ readonly total: number }>()({}, () =>
  sql`
  SELECT (SELECT count(*) FROM ${manages}) + (SELECT count(*) FROM ${roleClosure}) AS total`);

const RELATION = columns(manages, "id", "parentId", "childId", "rights");

/** The page of relations after `afterId`. */
export const RELATIONS_AFTER = rows(RELATION)({ afterId: int, limit: int }, ({ afterId, limit }) =>
  sql`
  SELECT ${RELATION} FROM ${manages} WHERE ${manages.id} > ${afterId} ORDER BY ${manages.id} LIMIT +${limit}`);

const CLOSURE_ROW = columns(roleClosure, "descendantId", "ancestorId", "rights");

/** The page of closure rows after a pair, in the order of the table's key. */
export const CLOSURE_ROWS_AFTER = rows(CLOSURE_ROW)(
  { descendantId: int, ancestorId: int, limit: int },
  ({ descendantId, ancestorId, limit }) =>
    sql`
  SELECT ${CLOSURE_ROW} FROM ${roleClosure}
  WHERE (${roleClosure.descendantId}, ${roleClosure.ancestorId}) > (${descendantId}, ${ancestorId})
  ORDER BY ${roleClosure.descendantId}, ${roleClosure.ancestorId} LIMIT +${limit}`,
);

/** Roles after `afterId` that are not managed: not a root, and no relation with roleManagement enters them. */
export const UNMANAGED_ROLES_AFTER = rows<{ readonly id: number }>()(
  { afterId: int, limit: int },
  ({ afterId, limit }) =>
    sql`
  SELECT ${role.id} AS id FROM ${role}
  WHERE ${role.id} > ${afterId} AND ${role.isRoot} = 0 AND NOT EXISTS (SELECT 1 FROM ${manages}
    WHERE ${manages.childId} = ${role.id} AND ${manages.rights} & ${maskOf("roleManagement")})
  ORDER BY ${role.id} LIMIT +${limit}`,
);

/** A row that is wrong, and what it is. */
export interface WrongRow {
  readonly what: string;
  readonly id: number;
}

/** Whether no row of the table has this id. */
function lacks(table: SQLiteTable & { readonly id: SQLiteColumn }, id: SQLiteColumn): SQL {
  const found = row(table, "found");
  return sql`NOT EXISTS (SELECT 1 FROM ${found} WHERE ${found.id} = ${id})`;
}

/** Rows that refer to a missing row, as foreign keys would prevent, and devices that no role monitors. */
export const LOOSE_ROWS = rows<WrongRow>()({ limit: int }, ({ limit }) => {
  const { monitoring, leaving } = rowsOf({ monitoring: monitors, leaving: departure });
  return sql`
  SELECT 'manages relation' AS what, ${manages.id} AS id FROM ${manages}
  WHERE ${lacks(role, manages.parentId)} OR ${lacks(role, manages.childId)}
  UNION ALL SELECT 'membership', ${member.id} FROM ${member}
  WHERE ${lacks(role, member.roleId)} OR ${member.userId} > 0 AND ${lacks(userAccount, member.userId)}
      AND NOT EXISTS (SELECT 1 FROM ${leaving} WHERE ${leaving.userId} = ${member.userId})
    OR ${member.userId} < 0 AND ${lacks(roleKey, member.id)}
  UNION ALL SELECT 'key', ${roleKey.id} FROM ${roleKey} WHERE ${lacks(member, roleKey.id)}
  UNION ALL SELECT 'monitors relation', ${monitors.id} FROM ${monitors}
  WHERE ${lacks(role, monitors.roleId)} OR ${lacks(device, monitors.deviceId)}
  UNION ALL SELECT 'device', ${device.id} FROM ${device}
  WHERE NOT EXISTS (SELECT 1 FROM ${monitoring} WHERE ${monitoring.deviceId} = ${device.id})
  LIMIT +${limit}`;
});

function isOpen({ toRev }: { readonly toRev: SQLiteColumn }): SQL {
  return sql`${toRev} = ${OPEN_REVISION}`;
}

/** Roles, relations and memberships whose latest history is missing or differs, and latest history without a row. */
export const WRONG_HISTORY = rows<WrongRow>()({ limit: int }, ({ limit }) => {
  const { ofRole, ofRelation, ofMember } = rowsOf({
    ofRole: roleHistory,
    ofRelation: managesHistory,
    ofMember: memberHistory,
  });
  return sql`
  SELECT 'role' AS what, ${role.id} AS id FROM ${role}
  WHERE NOT EXISTS (SELECT 1 FROM ${ofRole} WHERE ${isOpen(ofRole)}
    AND ${ofRole.roleId} = ${role.id} AND ${ofRole.selfRights} = ${role.selfRights})
  UNION ALL SELECT 'role', ${roleHistory.roleId} FROM ${roleHistory}
  WHERE ${isOpen(roleHistory)} AND ${lacks(role, roleHistory.roleId)}
  UNION ALL SELECT 'manages relation', ${manages.id} FROM ${manages}
  WHERE NOT EXISTS (SELECT 1 FROM ${ofRelation} WHERE ${isOpen(ofRelation)}
    AND ${ofRelation.relationId} = ${manages.id} AND ${ofRelation.parentId} = ${manages.parentId}
    AND ${ofRelation.childId} = ${manages.childId} AND ${ofRelation.rights} = ${manages.rights})
  UNION ALL SELECT 'manages relation', ${managesHistory.relationId} FROM ${managesHistory}
  WHERE ${isOpen(managesHistory)} AND ${lacks(manages, managesHistory.relationId)}
  UNION ALL SELECT 'membership', ${member.id} FROM ${member}
  WHERE NOT EXISTS (SELECT 1 FROM ${ofMember} WHERE ${isOpen(ofMember)}
    AND ${ofMember.memberId} = ${member.id} AND ${ofMember.roleId} = ${member.roleId}
    AND ${ofMember.userId} = ${member.userId} AND ${ofMember.rights} = ${member.rights}
    AND ${ofMember.endsAt} IS ${member.endsAt})
  UNION ALL SELECT 'membership', ${memberHistory.memberId} FROM ${memberHistory}
  WHERE ${isOpen(memberHistory)} AND ${lacks(member, memberHistory.memberId)}
  LIMIT +${limit}`;
});

/** Memberships that do not say what their role demands; keys' say nothing. */
export const WRONG_DEMANDS = rows<{ readonly id: number }>()({ limit: int }, ({ limit }) => {
  const copied = sql`${member.needs}, ${member.needsBefore}, ${member.needsFrom}`;
  const demanded = sql`${role.needs}, ${role.needsBefore}, ${role.needsFrom}`;
  return sql`
  SELECT ${member.id} AS id FROM ${member} CROSS JOIN ${role} ON ${role.id} = ${member.roleId}
  WHERE CASE WHEN ${member.userId} > 0 THEN (${copied}) IS NOT (${demanded}) ELSE ${member.needs} > 0 END
  LIMIT +${limit}`;
});

/** Whether the graph is still at this revision. */
function isStillAt(revision: Value): SQL {
  return sql`(${REVISION}) = ${revision}`;
}

const ROW = bare(roleClosure.descendantId, roleClosure.ancestorId, roleClosure.rights);
const PAIR = bare(roleClosure.descendantId, roleClosure.ancestorId);

/** Writes corrected rows, as JSON [[descendant, ancestor, rights or null]], if the graph is still at the revision. */
export const REPAIR_UPSERT = define({ rows: text, revision: int }, ({ rows, revision }) =>
  sql`
  INSERT INTO ${roleClosure} (${ROW})
  SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(${rows})
  WHERE value ->> 2 IS NOT NULL AND ${isStillAt(revision)}
  ON CONFLICT (${PAIR}) DO UPDATE SET ${takenOver(roleClosure.rights)}`);

export const REPAIR_DELETE = define({ rows: text, revision: int }, ({ rows, revision }) =>
  sql`
  DELETE FROM ${roleClosure}
  WHERE ${isStillAt(revision)} AND (${roleClosure.descendantId}, ${roleClosure.ancestorId}) IN (
    SELECT value ->> 0, value ->> 1 FROM json_each(${rows}) WHERE value ->> 2 IS NULL)`);

export interface WrongUsageRow {
  readonly rootId: number;
  /** Empty: the counts of the whole root. */
  readonly branch: string;
}

/** The rows of `root_usage` whose counts differ from the roles and devices, those in the trash included. Reads all of them. */
export const WRONG_USAGE = rows<WrongUsageRow>()({ limit: int }, ({ limit }) => {
  const counted = (
    table: typeof role | typeof device | typeof deviceTombstone,
    roles: number,
    devices: number,
  ): SQL =>
    sql`
    UNION ALL SELECT ${table.countedTo}, '', -${roles}, -${devices} FROM ${table}
      WHERE ${table.countedTo} IS NOT NULL
    UNION ALL SELECT ${table.countedTo}, ${table.countedFor}, -${roles}, -${devices} FROM ${table}
      WHERE ${table.countedFor} IS NOT NULL`;
  return sql`
  SELECT root_id AS rootId, branch FROM (
    SELECT ${rootUsage.rootId}, ${rootUsage.branch}, ${rootUsage.roles}, ${rootUsage.devices} FROM ${rootUsage}
    ${counted(role, 1, 0)}${counted(device, 0, 1)}${counted(deviceTombstone, 0, 1)})
  GROUP BY root_id, branch HAVING sum(roles) <> 0 OR sum(devices) <> 0 LIMIT +${limit}`;
});
