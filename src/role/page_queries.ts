import { sessionLives } from "../identity/security_queries.ts";

/**
 * How pages of a listing are read. Every page starts from the most selective list, or from all that the actor reaches;
 * only who reaches a great many roles or rows is answered by walking the rows in order of id, a bounded stretch at a time.
 */

/** Up to so many visible roles a page starts from them. */
const FEW_ROLES = 5000;

/** Up to so many rows that may come onto a page, those of each role counted up to a page of them, it is sorted from them. */
const FEW_ROWS = 10_000;

/** How many ids a statement walks at most: no request may keep a file database to itself for long. */
export const WALK_IDS = 20_000;

/** SQL: the roles of which the actor is a member, directly or indirectly; one more than few stands for many. */
const REACH = `WITH reach(role_id) AS MATERIALIZED (
    SELECT role_id FROM member WHERE user_id = :actorId
    UNION SELECT source.descendant_id FROM member mine
      CROSS JOIN role_closure source ON source.ancestor_id = mine.role_id WHERE mine.user_id = :actorId
    LIMIT ${FEW_ROLES + 1})`;

/** SQL: the actor reaches few roles, all of which are in `reach`, and few rows. */
export const REACHES_FEW = `NOT (SELECT is_walk FROM pace)`;

/** SQL: he reaches many; then a statement looks at ids up to `:horizonId` only. */
export const REACHES_MANY = `(SELECT is_walk FROM pace)`;

/**
 * Answers a page of rows only while the session lives: no row at all tells that it does not, one row whose columns are
 * all null that the page is empty. The check and the rows cost one statement, so one round trip.
 */
export function whileSessionLives(page: string): string {
  return `SELECT page.* ${fromLiveSession(page)}`;
}

/**
 * The same for a page that may use `reach`, of rows of `table`. `candidates` joins to `reach` those that may come onto
 * the page. `walkedTo` is the id up to which rows were looked at, where there may be more of them beyond it, and null
 * where the page is whole.
 */
export function whileSessionReaches(
  page: string,
  { table, candidates }: { table: string; candidates: string },
): string {
  return `${REACH}, pace(is_walk) AS MATERIALIZED (SELECT (SELECT count(*) FROM reach) > ${FEW_ROLES}
      OR (SELECT count(*) FROM (SELECT 1 FROM reach CROSS JOIN ${candidates} LIMIT ${
    FEW_ROWS + 1
  })) > ${FEW_ROWS})
    SELECT page.*,
    CASE WHEN ${REACHES_MANY} AND :horizonId < (SELECT max(id) FROM ${table}) THEN :horizonId END AS walkedTo
    ${fromLiveSession(page)}`;
}

function fromLiveSession(page: string): string {
  return `FROM session guard_session LEFT JOIN (${page}) page ON true
    WHERE ${sessionLives("guard_session")} ORDER BY page.id`;
}

/** SQL: `column` is in the list, or there is no list. */
export function inList(column: string, list: string): string {
  return `(${list} IS NULL OR ${column} IN (SELECT value FROM json_each(${list})))`;
}
