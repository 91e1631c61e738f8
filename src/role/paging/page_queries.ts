import { sessionLives } from "../../identity/security_queries.ts";

/**
 * How pages of a listing are read. Every page starts from the most selective list, or from all that the actor reaches;
 * only who reaches a great many roles or rows is answered by walking the rows in order of id, a bounded stretch at a time.
 */

/** Up to so many visible roles a page starts from them. */
const FEW_ROLES = 5000;

/** Up to so many rows that may come onto a page, those of each role counted up to a page of them, it is sorted from them. */
const FEW_ROWS = 10_000;

/** No id is greater. */
const LAST_ID = "9223372036854775807";

/**
 * How many ids a statement walks at most, by somebody with a single membership; with more, fewer, since each row is asked
 * for through each of them. No request may keep a file database to itself for long.
 */
const WALK_IDS = 20_000;
const LEAST_WALK_IDS = 100;

/** So many rows of the closure are read to find few roles: somebody may reach the same ones through several of his. */
const REACHED_ROWS = 10 * FEW_ROLES;

/**
 * CTE: the roles of which the actor is a member, directly or indirectly, with duplicates. The limit comes before these
 * go: otherwise all would be collected for the sake of a few.
 */
function reachedUnless(isNotNeeded: string): string {
  return `reached(role_id) AS MATERIALIZED (
    SELECT role_id FROM member WHERE user_id = :actorId AND NOT ${isNotNeeded}
    UNION ALL SELECT source.descendant_id FROM member mine
      CROSS JOIN role_closure source ON source.ancestor_id = mine.role_id
      WHERE mine.user_id = :actorId AND NOT ${isNotNeeded}
    LIMIT ${REACHED_ROWS + 1})`;
}

/** CTE: these roles once each; one more than few stands for many. */
const REACH = `reach(role_id) AS MATERIALIZED (SELECT DISTINCT role_id FROM reached LIMIT ${FEW_ROLES + 1})`;

/** SQL: the page starts from what the actor reaches: few roles, all of them in `reach`, and few rows. */
export const BY_REACH = `NOT (SELECT is_walk FROM pace)`;

/**
 * SQL: the page walks the rows in order of id, because the actor reaches many, or because the filter names few rows
 * whoever may see them.
 */
export const BY_WALK = `(SELECT is_walk FROM pace)`;

/** SQL: the last id that a statement walks to. */
export const HORIZON = `(SELECT horizon_id FROM pace)`;

/**
 * Answers a page of rows only while the session lives: no row at all tells that it does not, one row whose columns are
 * all null that the page is empty. The check and the rows cost one statement, so one round trip.
 */
export function whileSessionLives(page: string): string {
  return `SELECT page.* ${fromLiveSession(page)}`;
}

/** What a page out of all that the actor reaches is made of. */
export interface ReachedRows {
  readonly table: string;
  /** SQL: joins to `reach` the rows that may come onto the page. */
  readonly candidates: string;
  /** SQL: the rows that the filter names, from an index. Where they are few, what the actor reaches does not matter. */
  readonly named?: string;
}

/**
 * The same for a page that may use `reach`, of rows of `table`. `walkedTo` is the id up to which rows were looked at,
 * where there may be more of them beyond it, and null where the page is whole.
 */
export function whileSessionReaches(page: string, { table, candidates, named }: ReachedRows): string {
  const areFewNamed = named === undefined ? "false" : "(SELECT are_few FROM named)";
  const ctes = [
    ...named === undefined ? [] : [fewNamed(named)],
    reachedUnless(areFewNamed),
    REACH,
    pace(areFewNamed, candidates),
  ];
  return `WITH ${ctes.join(", ")}
    SELECT page.*,
    CASE WHEN ${BY_WALK} AND ${HORIZON} < (SELECT max(id) FROM ${table}) THEN ${HORIZON} END AS walkedTo
    ${fromLiveSession(page)}`;
}

/** SQL: how many memberships the actor has; more than `WALK_IDS` make no difference. */
const MEMBERSHIPS = countUpTo("member WHERE user_id = :actorId", WALK_IDS);

/** CTE: one row, whether the filter names few rows; each is asked for through each of the actor's memberships. */
function fewNamed(named: string): string {
  return `named(are_few) AS MATERIALIZED (
      SELECT ${countUpTo(named, FEW_ROWS)} * max(1, ${MEMBERSHIPS}) <= ${FEW_ROWS})`;
}

/** CTE: one row, whether the page is read by walking the rows in order of id, and the last id of that walk. */
function pace(areFewNamed: string, candidates: string): string {
  return `pace(is_walk, horizon_id) AS MATERIALIZED (SELECT ${areFewNamed}
      OR (SELECT count(*) FROM reached) > ${REACHED_ROWS} OR (SELECT count(*) FROM reach) > ${FEW_ROLES}
      OR ${countUpTo(`reach CROSS JOIN ${candidates}`, FEW_ROWS)} > ${FEW_ROWS},
    CASE WHEN ${areFewNamed} THEN ${LAST_ID}
      ELSE :afterId + max(${LEAST_WALK_IDS}, ${WALK_IDS} / max(1, ${MEMBERSHIPS})) END)`;
}

/** SQL: how many rows there are, counted no further than to one more than `most`. */
function countUpTo(rows: string, most: number): string {
  return `(SELECT count(*) FROM (SELECT 1 FROM ${rows} LIMIT ${most + 1}))`;
}

function fromLiveSession(page: string): string {
  return `FROM session guard_session LEFT JOIN (${page}) page ON true
    WHERE ${sessionLives("guard_session")} ORDER BY page.id`;
}

/** SQL: `column` is in the list, or there is no list. */
export function inList(column: string, list: string): string {
  return `(${list} IS NULL OR ${column} IN (SELECT value FROM json_each(${list})))`;
}
