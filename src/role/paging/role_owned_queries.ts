import type { Statement } from "../../db/statement.ts";
import { affordedId } from "../price_queries.ts";
import {
  BY_REACH,
  BY_WALK,
  HORIZON,
  LAST_ID,
  type PageRows,
  priced,
  STRETCH_END,
  stretchOf,
  unlessCostly,
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
  const from = `(SELECT DISTINCT id FROM (${candidates}) ORDER BY id LIMIT +:limit) candidates
    CROSS JOIN ${table} owned ON owned.id = candidates.id ${joins}`;
  return { columns, from };
}

/**
 * SQL: the candidates of one role that fit on a page, over the index of the role's column. They are selected once for
 * the role: not every index has them in order of id, and a role may have thousands.
 */
function candidatesOfRole(rows: RoleOwnedRows, role: string): string {
  const filterOfOwn = rows.filter.replaceAll("candidate.", "own_row.");
  return `candidate.id IN (SELECT own_row.id FROM ${rows.table} own_row
      WHERE own_row.${rows.roleColumn} = ${role} AND own_row.id > :afterId AND ${filterOfOwn}
      ORDER BY own_row.id LIMIT +:limit)`;
}

/** SQL: each role of such rows, at its first row: it is judged once, however many rows it has. */
function firstOfRole(listed: string): string {
  return `SELECT min(id) AS id, role_id FROM ${listed} GROUP BY role_id`;
}

/** CTE: those of the roles of `listed` that the actor may read rows of, up to where the page goes. */
function readableRoles(rows: RoleOwnedRows, listed: string): string {
  return `readable_role(role_id) AS MATERIALIZED (SELECT judged.role_id FROM (
      SELECT DISTINCT role_id FROM ${listed} WHERE id <= (SELECT last_id FROM afforded) LIMIT -1) judged
    WHERE ${rows.readable("judged.role_id")})`;
}

/** SQL: the actor may read the row `candidate`, which is one of theirs or of a readable role. */
function isReadable(rows: RoleOwnedRows): string {
  return `(${rows.ownRow} OR candidate.${rows.roleColumn} IN (SELECT role_id FROM readable_role))`;
}

/** Maximum number of rows that a page by a list of values judges one by one. */
const JUDGED_ROWS = 2000;

/**
 * Maximum number of rows that the values of such a list may have together. No index has them in order, so they are
 * sorted.
 */
const SORTED_ROWS = 50_000;

/**
 * A page by the JSON list `list`. `found` joins its rows, as `candidate`, to `json_each` of the list, as `asked`. A
 * list with too many rows is to be split.
 */
export function pageByValues(rows: RoleOwnedRows, list: string, found: string): Statement {
  const { table, roleColumn } = rows;
  const isTooMuch = `json_array_length(${list}) > 1
    AND (SELECT 1 FROM json_each(${list}) asked CROSS JOIN ${found} LIMIT 1 OFFSET ${SORTED_ROWS}) IS NOT NULL`;
  const ctes = [
    priced({ [list]: isTooMuch }),
    `listed(id, role_id) AS MATERIALIZED (SELECT candidate.id, candidate.${roleColumn}
      FROM json_each(${unlessCostly(list)}) asked CROSS JOIN ${found}
      WHERE candidate.id > :afterId AND ${rows.filter} ORDER BY 1 LIMIT ${JUDGED_ROWS})`,
    `afforded(last_id) AS MATERIALIZED (SELECT min(${affordedId(firstOfRole("listed"))},
      (SELECT iif(count(*) = ${JUDGED_ROWS}, max(id), ${LAST_ID}) FROM listed)))`,
    readableRoles(rows, "listed"),
  ];
  const candidates =
    `SELECT candidate.id FROM listed CROSS JOIN ${table} candidate ON candidate.id = listed.id
    WHERE listed.id <= (SELECT last_id FROM afforded) AND ${isReadable(rows)}`;
  const lookedTo = `nullif((SELECT last_id FROM afforded), ${LAST_ID})`;
  return whileSessionLives({ ...roleOwnedRows(rows, candidates), ctes, isPriced: true, lookedTo });
}

/** A page by a JSON list of values of an indexed column. */
export function pageByList(rows: RoleOwnedRows, list: string, column: string): Statement {
  return pageByValues(rows, list, `${rows.table} candidate ON candidate.${column} = asked.value`);
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

/** SQL: maximum number of rows that a walk judges. An actor who reaches many roles may read most of them. */
const WALKED_ROWS = "max(1000, 2 * :limit)";

/** Candidates for an actor who reaches many roles: the rows that a walk in order of id meets up to its horizon. */
function byWalk(rows: RoleOwnedRows): string {
  return `SELECT candidate.id FROM passed CROSS JOIN ${rows.table} candidate ON candidate.id = passed.id
      WHERE passed.id <= (SELECT last_id FROM afforded) AND ${isReadable(rows)}`;
}

/** A page of all rows that the actor reaches. */
export function reachPage(rows: RoleOwnedRows): Statement {
  const candidates = `${byReach(rows)}
    UNION ALL ${byWalk(rows)}
    UNION ALL ${rows.ownRows} AND ${BY_REACH}`;
  const lookedTo = `nullif((SELECT last_id FROM afforded), ${LAST_ID})`;
  return whileSessionReaches({ ...roleOwnedRows(rows, candidates), lookedTo }, {
    table: rows.table,
    candidates: rowsOfReach(rows),
    pacedCtes: [
      `passed(id, role_id) AS MATERIALIZED (
        SELECT candidate.id, candidate.${rows.roleColumn} FROM ${rows.table} candidate
        WHERE ${BY_WALK} AND candidate.id > :afterId AND candidate.id <= ${HORIZON} AND ${rows.filter}
        ORDER BY candidate.id LIMIT ${WALKED_ROWS})`,
      `afforded(last_id) AS MATERIALIZED (SELECT min(${affordedId(firstOfRole("passed"))},
        (SELECT iif(count(*) = ${WALKED_ROWS}, max(id), ${LAST_ID}) FROM passed)))`,
      readableRoles(rows, "passed"),
    ],
  });
}

/** SQL: no own rows. It probes the key, because the plan of `WHERE false` shows a scan, although it never runs. */
export function noOwnRows(table: string): string {
  return `SELECT candidate.id FROM ${table} candidate WHERE candidate.id = NULL`;
}
