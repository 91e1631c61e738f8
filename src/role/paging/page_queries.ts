import { PAGE_BYTES } from "../../core/page.ts";
import { REVISION } from "../../db/revisions.ts";
import { defineStatement, probing, type Statement } from "../../db/statement.ts";
import { FEW_MEMBERSHIPS } from "../guard_queries.ts";
import { memberLives, PRINCIPAL_LIVES, unlessMany } from "../guard_text.ts";
import { areTooManyAbove, isCostly } from "../price_queries.ts";

/**
 * How pages of a listing are read. A page starts from the most selective list, or from all rows that the actor reaches.
 * If these are too many, the page walks the table in order of id, a bounded stretch per statement.
 */

/** If the actor sees up to this many roles, a page starts from them. */
const FEW_ROLES = 5000;

/** If there are up to this many candidate rows, a page sorts them. Each role counts for up to one page of rows. */
const FEW_ROWS = 10_000;

/**
 * Rows that a statement may read of all the roles of a list together, but up to `LEAST_OF_ROLE` of each. So a page of
 * 1,000 rows from 1,000 roles does not read a million.
 */
export const ROWS_OF_LIST = 50_000;
const LEAST_OF_ROLE = 10;

/** The greatest possible id. */
export const LAST_ID = "9223372036854775807";

/**
 * Maximum number of rows that one statement walks for an actor with a single membership. The number falls as
 * memberships rise, since each row is checked against each of a few. No request may occupy a file database for long.
 */
const WALK_ROWS = 20_000;

/** Maximum closure rows read to find few roles. An actor may reach the same role through several of their own. */
const REACHED_ROWS = 10 * FEW_ROLES;

/**
 * CTE: the roles of which the actor is a member, directly or indirectly, with duplicates. The limit applies before
 * duplicates are removed; otherwise all rows would be read before any is dropped.
 */
function reachedUnless(isNotNeeded: string): string {
  return `reached(role_id) AS MATERIALIZED (
    SELECT mine.role_id FROM member mine WHERE mine.user_id = :actorId AND ${
    memberLives("mine")
  } AND NOT ${isNotNeeded}
    UNION ALL SELECT source.descendant_id FROM member mine
      CROSS JOIN role_closure source ON source.ancestor_id = mine.role_id
      WHERE mine.user_id = :actorId AND ${memberLives("mine")} AND NOT ${isNotNeeded}
    LIMIT ${REACHED_ROWS + 1})`;
}

/** CTE: these roles without duplicates. `FEW_ROLES` + 1 rows mean that there are too many. */
const REACH = `reach(role_id) AS MATERIALIZED (SELECT DISTINCT role_id FROM reached LIMIT ${FEW_ROLES + 1})`;

/** SQL: these are not all that the actor reaches. */
const REACHES_MANY =
  `(SELECT count(*) FROM reached) > ${REACHED_ROWS} OR (SELECT count(*) FROM reach) > ${FEW_ROLES}`;

/** SQL: the page starts from what the actor reaches: few rows, and few roles, all of them in `reach`. */
export const BY_REACH = `NOT (SELECT is_walk FROM pace)`;

/**
 * SQL: the page walks the rows in order of id, because the actor reaches many, or because only few rows match the
 * filter at all.
 */
export const BY_WALK = `(SELECT is_walk FROM pace)`;

/** SQL: few rows match the filter at all, and the page is made of these. */
export const ARE_FEW_NAMED = "(SELECT are_few FROM named)";

/** SQL: the last id that a statement walks to. */
export const HORIZON = `(SELECT horizon_id FROM pace)`;

/** The rows of a page. */
export interface PageRows {
  /** SQL: the values of a row by their names. One of them is `id`. */
  readonly columns: Readonly<Record<string, string>>;
  /** SQL: what follows FROM, with one row for each row of the page. */
  readonly from: string;
  /** SQL: common table expressions that the rest uses. */
  readonly ctes?: readonly string[];
  /** Whether one of them is `stretch`, beyond which the page has no rows. */
  readonly isStretch?: boolean;
  /** Whether one of them is `price`; see `priced`. */
  readonly isPriced?: boolean;
  /** SQL: the bytes of the page up to and including a row, if pages may be large. */
  readonly bytes?: string;
  /** SQL: the last id that the page looks at, or null at the end, if it drops rows of a bounded number. */
  readonly lookedTo?: string;
}

/**
 * A page in one row, only while the session lives; no row means that it has ended. `rows` is a JSON list, in no
 * promised order: to hand out rows one by one costs the driver more than reading them. `walkedTo` is the last id of a
 * page that is cut because of its size, otherwise null. Check and rows take one statement, and so one round trip.
 * `costly` of a priced page is the name of a list that is too long: then there are no rows.
 */
export function whileSessionLives(page: PageRows): Statement {
  const stretchEnd = page.isStretch ? `nullif(${STRETCH_END}, ${LAST_ID})` : "NULL";
  return defineStatement(`${withCtes(page.ctes)}
    SELECT page.rows, coalesce(page.cut_at, ${stretchEnd}) AS walkedTo, ${costlyOf(page)}${REVISION} ${
    fromLiveSession(page)
  }`);
}

/**
 * CTE `price`: the first of the lists that costs too much, or null. `conditions` say so in SQL, by the lists'
 * parameters, such as `:ids`.
 */
export function priced(conditions: Readonly<Record<string, string>>): string {
  const cases = Object.entries(conditions).map(([list, isTooMuch]) =>
    `WHEN ${isTooMuch} THEN '${list.slice(1)}'`
  );
  return `price(costly) AS MATERIALIZED (SELECT CASE ${cases.join(" ")} END)`;
}

/** SQL: the list, or null if a list costs too much: `json_each` has no rows of it. */
export function unlessCostly(list: string): string {
  return `iif((SELECT costly FROM price) IS NULL, ${list}, NULL)`;
}

function costlyOf({ isPriced = false, isStretch = false }: PageRows): string {
  return isPriced || isStretch ? "(SELECT costly FROM price) AS costly, " : "";
}

/** SQL: the last id that a page from a list of roles looks at. */
export const STRETCH_END = "(SELECT last_id FROM stretch)";

/**
 * CTEs: the roles of a JSON list that the actor may read as `asked_role`, unless the list costs too much (`price`), and
 * in `stretch` the id up to which none of them has more rows than its share of `ROWS_OF_LIST`, nor more than a page.
 * `nextIds` selects the ids of the rows of a role after `:afterId`, from an index in their order.
 */
export function stretchOf(
  list: string,
  readable: (role: string) => string,
  nextIds: (role: string) => string,
): string[] {
  const share = `min(:limit, max(${LEAST_OF_ROLE}, ${ROWS_OF_LIST} / max(1, json_array_length(${list}))))`;
  return [
    priced({ [list]: isCostly(list) }),
    `asked_role(id) AS MATERIALIZED (
      SELECT asked.value FROM json_each(${unlessCostly(list)}) asked WHERE ${readable("asked.value")})`,
    `stretch(last_id) AS MATERIALIZED (SELECT coalesce(min((${nextIds("asked_role.id")} LIMIT 1
      OFFSET ${share} - 1)), ${LAST_ID}) FROM asked_role)`,
  ];
}

/** A page that is read by a probe if that takes few lookups. */
export interface ProbedPage {
  /** `rows` is null for an actor with many memberships, whom `otherwise` serves. */
  readonly probe: Statement;
  readonly otherwise: Statement;
}

/** Like `whileSessionLives`, for a page of few rows that indexes find. Its rows have the condition `HAS_FEW`. */
export function probedPage(page: PageRows, otherwise: Statement): ProbedPage {
  const probe = defineStatement(`
    SELECT ${unlessMany("page.rows")} AS rows, page.cut_at AS walkedTo, ${REVISION} ${
    fromLiveSession(page)
  }`);
  return { probe: probing(probe), otherwise };
}

function withCtes(ctes: readonly string[] = []): string {
  return ctes.length === 0 ? "" : `WITH ${ctes.join(", ")}`;
}

/** The parts of a page of all that the actor reaches. */
export interface ReachedRows {
  readonly table: string;
  /** SQL: joins the candidate rows to `reach`. */
  readonly candidates: string;
  /** SQL: the rows that match the filter, from an index. If they are few, the page is made of them. */
  readonly named?: string;
  /**
   * Whether the matching rows of others may be many. These are then only counted for an actor who reaches many roles;
   * for anybody else, the time would tell of them. Otherwise they come first, and the reach may not be needed.
   */
  readonly isReachFirst?: boolean;
  /** SQL: common table expressions that use `pace`. */
  readonly pacedCtes?: readonly string[];
}

/**
 * Like `whileSessionLives`, for a page of rows of `table` that may use `reach`. `walkedTo` is the last scanned id if
 * rows may follow it, and null if the page is complete.
 */
export function whileSessionReaches(
  page: PageRows,
  { table, candidates, named, isReachFirst = false, pacedCtes = [] }: ReachedRows,
): Statement {
  const areFewNamed = named === undefined ? "false" : ARE_FEW_NAMED;
  const counting = named === undefined ? [] : [fewNamed(named, isReachFirst)];
  const ctes = [
    ...page.ctes ?? [],
    ...isReachFirst ? [] : counting,
    reachedUnless(isReachFirst ? "false" : areFewNamed),
    REACH,
    ...isReachFirst ? counting : [],
    pace(areFewNamed, candidates, table),
    ...pacedCtes,
  ];
  return defineStatement(`${withCtes(ctes)}
    SELECT page.rows, ${costlyOf(page)}${REVISION},
    coalesce(page.cut_at,
      CASE WHEN ${BY_WALK} AND ${HORIZON} < (SELECT max(id) FROM ${table}) THEN ${HORIZON} END) AS walkedTo
    ${fromLiveSession(page)}`);
}

/** SQL: how many memberships each row is checked against. */
const MEMBERSHIPS = countUpTo("member WHERE user_id = :actorId", FEW_MEMBERSHIPS);

/** CTE: one row that says whether few rows match the filter. Each is checked against each membership of the actor. */
function fewNamed(named: string, isReachFirst: boolean): string {
  const areFew = `${countUpTo(named, FEW_ROWS)} * max(1, ${MEMBERSHIPS}) <= ${FEW_ROWS}`;
  return `named(are_few) AS MATERIALIZED (
      SELECT ${isReachFirst ? `iif(${REACHES_MANY}, ${areFew}, false)` : areFew})`;
}

/**
 * CTE: one row that says whether the page walks the rows in order of id, and the last id of the walk. Without a walk
 * that is `:afterId`: SQLite evaluates the condition for each row, and would read all rows.
 */
function pace(areFewNamed: string, candidates: string, table: string): string {
  return `pace(is_walk, horizon_id) AS MATERIALIZED (SELECT is_walk, CASE WHEN ${areFewNamed} THEN ${LAST_ID}
      WHEN is_walk THEN coalesce((SELECT walked.id FROM ${table} walked WHERE walked.id > :afterId ORDER BY walked.id
        LIMIT 1 OFFSET ${WALK_ROWS} / max(1, ${MEMBERSHIPS}) - 1), ${LAST_ID})
      ELSE :afterId END
    FROM (SELECT ${areFewNamed}
      OR ${REACHES_MANY}
      OR ${countUpTo(`reach CROSS JOIN ${candidates}`, FEW_ROWS)} > ${FEW_ROWS} OR ${
    areTooManyAbove("reach")
  } AS is_walk))`;
}

/** SQL: the number of rows. Counting stops at `most` + 1. */
function countUpTo(rows: string, most: number): string {
  return `(SELECT count(*) FROM (SELECT 1 FROM ${rows} LIMIT ${most + 1}))`;
}

function fromLiveSession({ columns, from, bytes, lookedTo = "NULL" }: PageRows): string {
  const fields = Object.entries(columns).map(([name, value]) => `'${name}', ${value}`);
  const fits = bytes === undefined ? "" : ` FILTER (WHERE ${bytes} <= ${PAGE_BYTES})`;
  const cutAt = bytes === undefined
    ? lookedTo
    : `coalesce(CASE WHEN max(${bytes}) > ${PAGE_BYTES} THEN max(${columns["id"]})${fits} END, ${lookedTo})`;
  return `FROM (
      SELECT json_group_array(json_object(${fields.join(", ")}))${fits} AS rows, ${cutAt} AS cut_at
      FROM ${from}) page
    WHERE ${PRINCIPAL_LIVES}`;
}

/** SQL: `column` is in the list, or there is no list. */
export function inList(column: string, list: string): string {
  return `(${list} IS NULL OR ${column} IN (SELECT value FROM json_each(${list})))`;
}
