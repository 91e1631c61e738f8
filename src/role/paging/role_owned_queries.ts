import type { Statement } from "../../db/statement.ts";
import {
  BY_REACH,
  BY_WALK,
  HORIZON,
  type PageRows,
  STRETCH_END,
  stretchOf,
  whileSessionLives,
  whileSessionReaches,
} from "./page_queries.ts";

/** Pages of rows that a role owns: relations and memberships. `listing_queries.ts` explains the parameters. */

/** A kind of rows that a role owns. The role decides who may read them. */
export interface RoleOwnedRows {
  readonly table: string;
  /** The column of the role that decides who may read the row. */
  readonly roleColumn: string;
  /** SQL: the actor may read rows of this role. */
  readonly readable: (role: string) => string;
  /** SQL: the actor may read the row `candidate` whatever its role. */
  readonly ownRow: string;
  /** SQL: selects the actor's own rows, which are always readable. Ends in a WHERE that can be extended. */
  readonly ownRows: string;
  readonly filter: string;
  /** SQL: the values of a row, which is called `owned`, by their names. */
  readonly columns: PageRows["columns"];
  readonly joins: string;
}

function roleOwnedRows({ columns, table, joins }: RoleOwnedRows, candidates: string): PageRows {
  const from = `(SELECT DISTINCT id FROM (${candidates}) ORDER BY id LIMIT :limit) candidates
    CROSS JOIN ${table} owned ON owned.id = candidates.id ${joins}`;
  return { columns, from };
}

/** A page from candidates. `candidates` selects ids, possibly more than fit on a page. */
export function roleOwnedPage(rows: RoleOwnedRows, candidates: string): Statement {
  return whileSessionLives(roleOwnedRows(rows, candidates));
}

/** SQL: the candidates of one role that fit on a page, over the index of the role's column. */
function candidatesOfRole(rows: RoleOwnedRows, role: string): string {
  const filterOfLast = rows.filter.replaceAll("candidate.", "last.");
  return `candidate.${rows.roleColumn} = ${role} AND candidate.id > :afterId
    AND candidate.id <= coalesce((SELECT last.id FROM ${rows.table} last
      WHERE last.${rows.roleColumn} = ${role} AND last.id > :afterId AND ${filterOfLast}
      ORDER BY last.id LIMIT 1 OFFSET :limit - 1), 9223372036854775807)`;
}

/** SQL: the actor may read the row `candidate`, and it matches the filter. */
export function readableRow(rows: RoleOwnedRows): string {
  return `(${rows.ownRow} OR ${rows.readable(`candidate.${rows.roleColumn}`)}) AND ${rows.filter}`;
}

/** Candidates by a JSON list of values of an indexed column. */
export function byList(rows: RoleOwnedRows, list: string, column: string): string {
  return `SELECT candidate.id FROM json_each(${list}) asked
    CROSS JOIN ${rows.table} candidate ON candidate.${column} = asked.value
    WHERE candidate.id > :afterId AND ${readableRow(rows)}`;
}

/**
 * A page by a JSON list of the roles that own the rows. Readability is checked once per role, and each role gives its
 * rows over its index, up to the end of the stretch.
 */
export function pageByRole(rows: RoleOwnedRows, list: string): Statement {
  const { table, roleColumn } = rows;
  const candidates = `SELECT candidate.id FROM asked_role CROSS JOIN ${table} candidate
      ON candidate.${roleColumn} = asked_role.id AND candidate.id > :afterId AND candidate.id <= ${STRETCH_END}
    WHERE ${rows.filter}
    UNION ALL ${rows.ownRows} AND candidate.id <= ${STRETCH_END}
      AND candidate.${roleColumn} IN (SELECT value FROM json_each(${list}))`;
  const ctes = stretchOf(list, rows.readable, (role) =>
    `SELECT next.id FROM ${table} next
      WHERE next.${roleColumn} = ${role} AND next.id > :afterId ORDER BY next.id`);
  return whileSessionLives({ ...roleOwnedRows(rows, candidates), ctes, isStretch: true });
}

/** SQL: joins to `reach` up to a page of rows per role. */
function rowsOfReach(rows: RoleOwnedRows): string {
  return `${rows.table} candidate ON ${candidatesOfRole(rows, "reach.role_id")}`;
}

/** Candidates for an actor who reaches few roles: the rows of those roles. */
function byReach(rows: RoleOwnedRows): string {
  return `SELECT candidate.id FROM reach CROSS JOIN ${rowsOfReach(rows)}
      WHERE ${BY_REACH} AND ${rows.filter} AND ${rows.readable("reach.role_id")}`;
}

/** Candidates for an actor who reaches many roles: the rows that a walk in order of id meets up to its horizon. */
function byWalk(rows: RoleOwnedRows): string {
  return `SELECT id FROM (SELECT candidate.id FROM ${rows.table} candidate
      WHERE ${BY_WALK} AND candidate.id > :afterId AND candidate.id <= ${HORIZON}
        AND ${readableRow(rows)}
      ORDER BY candidate.id LIMIT :limit)`;
}

/** A page of all rows that the actor reaches. */
export function reachPage(rows: RoleOwnedRows): Statement {
  const candidates = `${byReach(rows)}
    UNION ALL ${byWalk(rows)}
    UNION ALL ${rows.ownRows} AND ${BY_REACH}`;
  const page = roleOwnedRows(rows, candidates);
  return whileSessionReaches(page, { table: rows.table, candidates: rowsOfReach(rows) });
}

/** SQL: no own rows. It probes the key, because the plan of `WHERE false` shows a scan, although it never runs. */
export function noOwnRows(table: string): string {
  return `SELECT candidate.id FROM ${table} candidate WHERE candidate.id = NULL`;
}
