import { PAGE_BYTES } from "../../core/page.ts";
import { REVISION_COLUMN } from "../../db/revisions.ts";
import { member, roleClosure } from "../../db/schema/role.ts";
import {
  type Declared,
  define,
  int,
  join,
  nullable,
  type Placeholder,
  type PlaceholdersOf,
  placeholdersOf,
  quoted,
  row,
  rowsOf,
  type SQL,
  sql,
  type SQLiteColumn,
  type SQLiteTable,
  text,
  type Value,
  type ValuesOf,
} from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { FEW_MEMBERSHIPS } from "../rules/guard_queries.ts";
import { areTooManyAbove, isCostly, MAX_ID } from "../rules/price_queries.ts";
import { memberIsAwake, PRINCIPAL, PRINCIPAL_LIVES } from "../rules/principal_queries.ts";

/**
 * Parts of pages of a listing. A page has one or several ways: from the most selective list, from the roles that the actor
 * reaches, or by a walk through the table in order of id, a bounded stretch per statement. A way that would cost too much
 * has no rows, and the next one is tried.
 */

/** The arguments of every page: rows after `:afterId`, up to `:limit` of them. */
export const PAGE = { ...PRINCIPAL, afterId: int, limit: int };
type PageArgs = typeof PAGE;
const { actorId, afterId, limit } = placeholdersOf(PAGE);

/** A list that filters a page, as JSON. Null does not filter. */
export const LIST = nullable(text);

/** A page in one row. No row means that the session has ended. */
export interface PageRow {
  /**
   * A JSON list in no promised order. To read rows one by one would cost the driver more than reading the list. Null if
   * this way would cost too much.
   */
  readonly rows: string | null;
  /** The last id that the page scanned, if rows may follow it. */
  readonly walkedTo: number | null;
  /** The argument whose list is too long for one statement: then there are no rows. */
  readonly costly?: string | null;
}

type PageStatement<D extends Declared> = Statement<ValuesOf<PageArgs & D>, PageRow>;

/** A table whose rows a page may have. */
export type PagedTable = SQLiteTable & Readonly<Record<"id", SQLiteColumn>>;

/** If the actor sees up to this many roles, a page starts from them. */
export const FEW_ROLES = 5000;

/** If there are up to this many candidate rows, a page sorts them. Each role counts for up to one page of rows. */
export const FEW_ROWS = 10_000;

/**
 * Maximum number of rows that a statement reads of all roles of a list together, but up to `LEAST_OF_ROLE` of each. So
 * a page of 1,000 rows from 1,000 roles does not read a million.
 */
export const ROWS_OF_LIST = 50_000;
const LEAST_OF_ROLE = 10;

/**
 * Maximum number of rows that one statement walks for an actor with a single membership, fewer with more: each row is
 * checked against each of a few. No request may occupy a file database for long.
 */
export const WALK_ROWS = 20_000;

/** Maximum number of closure rows read to find few roles. An actor may reach a role through several of their own. */
const REACHED_ROWS = 10 * FEW_ROLES;

/** Selects the roles of which the actor is a member, directly or indirectly, with duplicates. */
export const REACHED: SQL = reachedUnless(sql`false`);

/** The same, or none if they are not needed. */
export function reachedUnless(isNotNeeded: SQL): SQL {
  const { own, mine, source } = rowsOf({ own: member, mine: member, source: roleClosure });
  return sql`SELECT ${own.roleId} FROM ${own}
      WHERE ${own.userId} = ${actorId} AND ${memberIsAwake(own)} AND NOT ${isNotNeeded}
    UNION ALL SELECT ${source.descendantId} FROM ${mine}
      CROSS JOIN ${source} ON ${source.ancestorId} = ${mine.roleId}
      WHERE ${mine.userId} = ${actorId} AND ${memberIsAwake(mine)} AND NOT ${isNotNeeded}`;
}

/**
 * Returns the CTEs `reached`, the roles of a query that may repeat some, and `reach`, the same without duplicates.
 * `FEW_ROLES` + 1 rows mean too many. The limit applies before duplicates are removed; otherwise all rows would be read
 * before any is dropped.
 */
export function reachOf(roles: SQL): SQL[] {
  return [
    sql`reached(role_id) AS MATERIALIZED (
    ${roles}
    LIMIT ${REACHED_ROWS + 1})`,
    sql`reach(role_id) AS MATERIALIZED (SELECT DISTINCT role_id FROM reached LIMIT ${FEW_ROLES + 1})`,
  ];
}

/** `reach` lacks roles. */
export const REACHES_MANY: SQL =
  sql`((SELECT count(*) FROM reached) > ${REACHED_ROWS} OR (SELECT count(*) FROM reach) > ${FEW_ROLES})`;

/** The rows of a page. */
export interface PageRows {
  /** The values of a row by their names. One of them is `id`. */
  readonly columns: Readonly<Record<string, Value>> & { readonly id: Value };
  /** What follows FROM, with one row for each row of the page. */
  readonly from: SQL;
  /** Common table expressions that the rest uses. */
  readonly ctes?: readonly SQL[];
  /** The last id up to which the page has rows, or null at the end. */
  readonly end?: SQL;
  /** Whether this way would cost too much. The rows have the condition, too, or are not read for another reason. */
  readonly unless?: SQL;
  /** Whether one of them is `price`; see `priced`. */
  readonly isPriced?: boolean;
  /** The bytes of the page up to and including a row, if pages may be large. */
  readonly bytes?: SQL;
  /** Whether the page returns a row that it scans; by default, it returns all. */
  readonly isKept?: SQL;
  /** The last id that a page scans if it drops rows of a bounded number, or null at the end. */
  readonly lookedTo?: SQL;
}

/**
 * Returns the statement of a page, with no row once the session has ended. `walkedTo` is the last id of a page that is
 * cut because of its size, otherwise null. Check and rows take one statement, and so one round trip.
 */
export function whileSessionLives<const D extends Declared>(
  declared: D,
  write: (args: PlaceholdersOf<PageArgs & D>) => PageRows,
): PageStatement<D> {
  return define({ ...PAGE, ...declared }, (args) => {
    const { ctes = [], unless, end = sql`NULL`, isPriced = false, ...page } = write(args);
    const rows = unless === undefined ? sql`page.rows` : sql`iif(${unless}, NULL, page.rows) AS rows`;
    return sql`${ctes.length === 0 ? sql`` : sql`WITH ${join(ctes)}`}
    SELECT ${rows}, coalesce(page.cut_at, ${end}) AS walkedTo, ${
      isPriced ? sql`(SELECT costly FROM price) AS costly, ` : sql``
    }${REVISION_COLUMN}
    ${fromLiveSession(page)}`;
  });
}

/** Ways to read a page, in the order in which they are tried. The last one always has rows. */
export type PageWays = Readonly<Record<string, Statement>>;

/** Returns the CTE `price`: the name of the JSON list if it costs too much, or null. */
export function priced(list: Placeholder, isTooMuch: SQL = isCostly(list)): SQL {
  return sql`price(costly) AS MATERIALIZED (SELECT CASE WHEN ${isTooMuch} THEN ${quoted(list.name)} END)`;
}

/** Returns the list, or null if a list costs too much: `json_each` has no rows of it. */
export function unlessCostly(list: Value): SQL {
  return sql`iif((SELECT costly FROM price) IS NULL, ${list}, NULL)`;
}

/**
 * CTE `stretch`: the id up to which a page goes that merges lists in order of id, so that it reads no more than a share
 * of each. `nextIds` selects the ids of a list in order; `lists` is for FROM.
 */
export function stretch(nextIds: SQL, share: Value, lists: SQL): SQL {
  return sql`stretch(last_id) AS MATERIALIZED (
      SELECT coalesce(min((${nextIds} LIMIT 1 OFFSET ${share} - 1)), ${MAX_ID}) FROM ${lists})`;
}

/** The last id of the stretch. */
export const STRETCH_END: SQL = sql`(SELECT last_id FROM stretch)`;
/** The same for `PageRows.end`: null at the end. */
export const END_OF_STRETCH: SQL = sql`nullif(${STRETCH_END}, ${MAX_ID})`;

/** The last id of the CTE `afforded`, up to which the statement can judge; see `affordedId`. */
export const AFFORDED_END: SQL = sql`(SELECT last_id FROM afforded)`;
/** The same for `PageRows.lookedTo`: null at the end. */
export const LOOKED_TO: SQL = sql`nullif(${AFFORDED_END}, ${MAX_ID})`;
/** The end of the stretch or of what can be judged, whichever comes first; null at the end. */
export const LOOKED_TO_IN_STRETCH: SQL = sql`nullif(min(${STRETCH_END}, ${AFFORDED_END}), ${MAX_ID})`;

/**
 * Returns the CTEs `requested_role`, the roles of a JSON list that the actor may read unless the list costs too much
 * (`price`), and `stretch`, the id up to which each has at most its share of `ROWS_OF_LIST` and at most a page.
 * `nextIds` selects the ids of a role's rows after `:afterId`, from an index in their order.
 */
export function stretchOf(
  list: Placeholder,
  readable: (role: Value) => SQL,
  nextIds: (role: Value) => SQL,
): SQL[] {
  const share =
    sql`min(${limit}, max(${LEAST_OF_ROLE}, ${ROWS_OF_LIST} / max(1, json_array_length(${list}))))`;
  return [
    priced(list),
    sql`requested_role(id) AS MATERIALIZED (
      SELECT requested.value FROM json_each(${unlessCostly(list)}) requested WHERE ${
      readable(sql`requested.value`)
    })`,
    stretch(nextIds(sql`requested_role.id`), share, sql`requested_role`),
  ];
}

/** The condition of the rows of a page that starts from roles: these and their rows are few. */
export const BY_REACH: SQL = sql`(SELECT are_few FROM fit)`;

/**
 * Returns the parts of a way that starts from roles, which a query selects with duplicates (see `reachOf`). `candidates`
 * joins the candidate rows to `reach`. It costs too much if the roles or their rows are too many, or the roles above, if
 * the page judges each role by these.
 */
export function startingFrom(
  roles: SQL,
  candidates: SQL,
  { judges = true }: { readonly judges?: boolean } = {},
): { ctes: SQL[]; unless: SQL } {
  const rowsOfReach = countUpTo(sql`reach CROSS JOIN ${candidates}`, FEW_ROWS);
  const areManyAbove = judges ? areTooManyAbove(sql`reach`) : sql`false`;
  const areMany = sql`${REACHES_MANY} OR ${rowsOfReach} > ${FEW_ROWS} OR ${areManyAbove}`;
  return {
    ctes: [...reachOf(roles), sql`fit(are_few) AS MATERIALIZED (SELECT NOT (${areMany}))`],
    unless: sql`NOT ${BY_REACH}`,
  };
}

/** The last id that a statement walks to. */
export const HORIZON: SQL = sql`(SELECT last_id FROM horizon)`;

/** Returns the parts of a way that walks a table in order of id, from `:afterId` up to `HORIZON`. */
export function walking(table: PagedTable): { ctes: SQL[]; end: SQL } {
  return {
    ctes: [sql`horizon(last_id) AS MATERIALIZED (SELECT ${walkEnd(table)})`],
    end: sql`CASE WHEN ${HORIZON} < (SELECT max(${table.id}) FROM ${table}) THEN ${HORIZON} END`,
  };
}

/** The condition of the rows of a page that starts from the rows that match a filter: few do. */
export const ARE_FEW_NAMED: SQL = sql`(SELECT are_few FROM named)`;

/**
 * Returns the parts of a way that starts from the rows that match a filter, which is for FROM. Each is checked against
 * each membership of the actor. Uses the CTEs of `reachOf`: only for an actor who reaches many roles may the time tell how
 * many there are, hidden ones too.
 */
export function naming(named: SQL): { ctes: SQL[]; unless: SQL } {
  const areFew = sql`${countUpTo(named, FEW_ROWS)} * max(1, ${MEMBERSHIPS}) <= ${FEW_ROWS}`;
  return {
    ctes: [sql`named(are_few) AS MATERIALIZED (SELECT iif(${REACHES_MANY}, ${areFew}, false))`],
    unless: sql`NOT ${ARE_FEW_NAMED}`,
  };
}

/** Returns the last id of a walk's stretch. */
function walkEnd(table: PagedTable): SQL {
  const walked = row(table, "walked");
  return sql`coalesce((SELECT ${walked.id} FROM ${walked} WHERE ${walked.id} > ${afterId} ORDER BY ${walked.id}
        LIMIT 1 OFFSET ${WALK_ROWS} / max(1, ${MEMBERSHIPS}) - 1), ${MAX_ID})`;
}

/** How many memberships each row is checked against. */
export const MEMBERSHIPS: SQL = countUpTo(
  sql`${member} WHERE ${member.userId} = ${actorId}`,
  FEW_MEMBERSHIPS,
);

/** Counts the rows, up to `most` + 1. */
export function countUpTo(rows: SQL, most: number): SQL {
  return sql`(SELECT count(*) FROM (SELECT 1 FROM ${rows} LIMIT ${most + 1}))`;
}

function fromLiveSession({ columns, from, bytes, isKept, lookedTo = sql`NULL` }: PageRows): SQL {
  const fields = join(Object.entries(columns).map(([name, value]) => sql`${quoted(name)}, ${value}`));
  const isWithin = bytes === undefined ? undefined : sql`${bytes} <= ${PAGE_BYTES}`;
  const fits = filterOf(isWithin);
  const cutAt = bytes === undefined
    ? lookedTo
    : sql`coalesce(CASE WHEN max(${bytes}) > ${PAGE_BYTES} THEN max(${columns.id})${fits} END, ${lookedTo})`;
  return sql`FROM (
      SELECT json_group_array(json_object(${fields}))${filterOf(isWithin, isKept)} AS rows, ${cutAt} AS cut_at
      FROM ${from}) page
    WHERE ${PRINCIPAL_LIVES}`;
}

/** Returns the filter of an aggregate to rows that meet all of the conditions. */
function filterOf(...conditions: readonly (SQL | undefined)[]): SQL {
  const [first, ...others] = conditions.filter((each) => each !== undefined);
  return first === undefined
    ? sql``
    : sql` FILTER (WHERE ${others.reduce((all, each) => sql`${all} AND ${each}`, first)})`;
}

/** Whether `column` is in the list, or there is no list. */
export function inList(column: Value, list: Value): SQL {
  return sql`(${list} IS NULL OR ${column} IN (SELECT value FROM json_each(${list})))`;
}
