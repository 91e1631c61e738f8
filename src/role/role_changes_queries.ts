import { changeLog, manages, OPEN_REVISION, role, roleClosure, roleHistory } from "../db/schema/role.ts";
import {
  assigned,
  columns,
  define,
  inserted,
  int,
  placeholdersOf,
  row,
  rows,
  type SQL,
  sql,
  type SQLiteColumn,
  text,
} from "../db/sql.ts";
import type { RowOf, Statement } from "../db/statement.ts";
import { externalRootOf } from "./external_id_queries.ts";
import { COUNT_CHANGES, importedBy, isOfOperation } from "../changes/import_run_queries.ts";

/** Roles of the database that an import refers to. The lists are JSON. */

const ROLE = columns(role, "id", "externalId", "externalRoot", "name", "selfRights", "isRoot");
/** A role as an import compares it. */
export interface KnownRoleRow extends RowOf<typeof ROLE> {
  /** JSON: the relations that enter it, as [[id of the parent, rights], …]. */
  readonly parents: string;
  /** The root below which new external ids of the role and its devices are unique. */
  readonly root: number | null;
}

const PARENTS: SQL =
  sql`(SELECT json_group_array(json_array(${manages.parentId}, ${manages.rights})) FROM ${manages}
    WHERE ${manages.childId} = ${role.id})`;

function rolesBy(column: SQLiteColumn): Statement<{ readonly list: string }, KnownRoleRow> {
  return rows<KnownRoleRow>()({ list: text }, ({ list }) =>
    sql`
  SELECT ${ROLE}, ${PARENTS} AS parents, ${externalRootOf(role.id)} AS root
  FROM json_each(${list}) listed CROSS JOIN ${role} ON ${column} = listed.value`);
}

/** The roles of a list of ids, or of external ids, of which several roles may have one. */
export const ROLES_BY = { ids: rolesBy(role.id), externalIds: rolesBy(role.externalId) } as const;

/** The roles of a list of ids that are below a role. */
export const BELOW = rows<{ readonly id: number }>()({ list: text, underId: int }, ({ list, underId }) =>
  sql`
  SELECT ${roleClosure.descendantId} AS id FROM json_each(${list}) listed CROSS JOIN ${roleClosure}
    ON ${roleClosure.descendantId} = listed.value AND ${roleClosure.ancestorId} = ${underId}`);

const CHANGE = { opId: text, runId: text, now: int, changed: text };
const { opId, runId, now, changed } = placeholdersOf(CHANGE);

/** A role with its new name and self rights (a mask). */
export type ImportedRoleChange = readonly [roleId: number, name: string, selfRights: number];

const DECIDE = define(CHANGE, () => {
  const { names, values } = inserted(changeLog, {
    opId: sql`${opId} || ' ' || listed.key`,
    at: now,
    ...importedBy(runId),
    kind: sql`'role.update'`,
    roleId: role.id,
    oldRights: role.selfRights,
    newRights: sql`listed.value ->> 2`,
    decision: sql`'ok'`,
    step: sql`'write'`,
    details: sql`json_object('name', listed.value ->> 1, 'oldName', ${role.name})`,
  });
  return sql`
  INSERT INTO ${changeLog} (${names}) SELECT ${values} FROM json_each(${changed}) listed
    CROSS JOIN ${role} ON ${role.id} = listed.value ->> 0 ORDER BY listed.key`;
});

const UPDATE = define({ opId: text }, () => {
  const { newRights: selfRights, details } = changeLog;
  return sql`
  UPDATE ${role} SET ${assigned(role, { name: sql`${details} ->> 'name'`, selfRights })} FROM ${changeLog}
  WHERE ${isOfOperation(changeLog)} AND ${role.id} = ${changeLog.roleId}`;
});

/** Gives the rows of the history the revisions of their own rows of the log; triggers gave them the last one. */
const CLOSE_IN_HISTORY = define({ opId: text }, () => {
  const last = row(changeLog, "last_change");
  return sql`
  UPDATE ${roleHistory} SET ${assigned(roleHistory, { toRev: changeLog.rev })} FROM ${changeLog}
  WHERE ${isOfOperation(changeLog)} AND ${roleHistory.roleId} = ${changeLog.roleId}
    AND ${roleHistory.toRev} = (SELECT max(${last.rev}) FROM ${last})`;
});
const OPEN_IN_HISTORY = define({ opId: text }, () =>
  sql`
  UPDATE ${roleHistory} SET ${assigned(roleHistory, { fromRev: changeLog.rev })} FROM ${changeLog}
  WHERE ${isOfOperation(changeLog)} AND ${roleHistory.roleId} = ${changeLog.roleId}
    AND ${roleHistory.toRev} = ${OPEN_REVISION}`);

/** Renames the roles of a list of `ImportedRoleChange`, or changes their self rights. The last statement counts them. */
export const IMPORT_ROLE_CHANGES = [
  DECIDE,
  UPDATE,
  CLOSE_IN_HISTORY,
  OPEN_IN_HISTORY,
  COUNT_CHANGES,
] as const;
