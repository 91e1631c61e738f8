import { PAGE_BYTES } from "../../core/page.ts";
import { REVISION_COLUMN } from "../../db/revisions.ts";
import { member, roleClosure } from "../../db/schema/role.ts";
import {
  type Declared,
  define,
  int,
  join,
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
  type Value,
  type ValuesOf,
} from "../../db/sql.ts";
import { probing, type Statement } from "../../db/statement.ts";
import { FEW_MEMBERSHIPS, unlessMany } from "../guard/guard_queries.ts";
import { areTooManyAbove, isCostly, MAX_ID } from "../guard/price_queries.ts";
import { memberIsAwake, PRINCIPAL, PRINCIPAL_LIVES } from "../guard/principal_queries.ts";

/**
 * Parts of pages of a listing. A page starts from the most selective list, or from all rows that the actor reaches. If
 * these are too many, it walks the table in order of id, a bounded stretch per statement.
 */

/** The arguments of every page: rows after `:afterId`, up to `:limit` of them. */
export const PAGE = { ...PRINCIPAL, afterId: int, limit: int };
type PageArgs = typeof PAGE;
const { actorId, afterId, limit } = placeholdersOf(PAGE);

/** A page in one row. No row means that the session has ended. */
export interface PageRow {
  /** A JSON list in no promised order. To read rows one by one would cost the driver more than reading the list. */
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

/** Returns the CTE `reached`: the roles of which the actor is a member, directly or indirectly, with duplicates. */
export function reachedUnless(isNotNeeded: SQL): SQL {
  const { own, mine, source } = rowsOf({ own: member, mine: member, source: roleClosure });
  return startingFrom(sql`SELECT ${own.roleId} FROM ${own}
      WHERE ${own.userId} = ${actorId} AND ${memberIsAwake(own)} AND NOT ${isNotNeeded}
    UNION ALL SELECT ${source.descendantId} FROM ${mine}
      CROSS JOIN ${source} ON ${source.ancestorId} = ${mine.roleId}
      WHERE ${mine.userId} = ${actorId} AND ${memberIsAwake(mine)} AND NOT ${isNotNeeded}`);
}

/**
 * Returns the CTE `reached` of these roles. The limit applies before duplicates are removed; otherwise all rows would be
 * read before any is dropped.
 */
function startingFrom(roles: SQL): SQL {
  return sql`reached(role_id) AS MATERIALIZED (
    ${roles}
    LIMIT ${REACHED_ROWS + 1})`;
}

/** CTE `reach`: these roles without duplicates. `FEW_ROLES` + 1 rows mean too many. */
export const REACH: SQL = sql`reach(role_id) AS MATERIALIZED (SELECT DISTINCT role_id FROM reached LIMIT ${
  FEW_ROLES + 1
})`;

/** The actor reaches more roles than these. */
export const REACHES_MANY: SQL =
  sql`((SELECT count(*) FROM reached) > ${REACHED_ROWS} OR (SELECT count(*) FROM reach) > ${FEW_ROLES})`;

/** The page starts from what the actor reaches: few rows of few roles, all of them in `reach`. */
export const BY_REACH: SQL = sql`NOT (SELECT is_walk FROM pace)`;

/**
 * The page does not start from what the actor reaches: either few rows in all match the filter, or the actor reaches
 * too many roles or rows, or too many roles are above these. It walks the rows in order of id, up to `HORIZON`.
 */
export const WALKS_TABLE: SQL = sql`(SELECT is_walk FROM pace)`;

/** Few rows in all match the filter, and the page is made of these. */
export const ARE_FEW_NAMED: SQL = sql`(SELECT are_few FROM named)`;

/** The last id that a statement walks to. */
export const HORIZON: SQL = sql`(SELECT horizon_id FROM pace)`;

/** The rows of a page. */
export interface PageRows {
  /** The values of a row by their names. One of them is `id`. */
  readonly columns: Readonly<Record<string, Value>> & { readonly id: Value };
  /** What follows FROM, with one row for each row of the page. */
  readonly from: SQL;
  /** Common table expressions that the rest uses. */
  readonly ctes?: readonly SQL[];
  /** Whether one of them is `stretch`, beyond which the page has no rows. */
  readonly isStretch?: boolean;
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
  return define({ ...PAGE, ...declared }, (args) => livingPage(write(args)));
}

function livingPage(page: PageRows): SQL {
  const stretchEnd = page.isStretch ? sql`nullif(${STRETCH_END}, ${MAX_ID})` : sql`NULL`;
  return sql`${withCtes(page.ctes)}
    SELECT page.rows, coalesce(page.cut_at, ${stretchEnd}) AS walkedTo, ${costlyOf(page)}${REVISION_COLUMN}
    ${fromLiveSession(page)}`;
}

/** Returns the CTE `price`: the name of the JSON list if it costs too much, or null. */
export function priced(list: Placeholder, isTooMuch: SQL = isCostly(list)): SQL {
  return sql`price(costly) AS MATERIALIZED (SELECT CASE WHEN ${isTooMuch} THEN ${quoted(list.name)} END)`;
}

/** Returns the list, or null if a list costs too much: `json_each` has no rows of it. */
export function unlessCostly(list: Value): SQL {
  return sql`iif((SELECT costly FROM price) IS NULL, ${list}, NULL)`;
}

function costlyOf({ isPriced = false, isStretch = false }: PageRows): SQL {
  return isPriced || isStretch ? sql`(SELECT costly FROM price) AS costly, ` : sql``;
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

/** The last id of the CTE `afforded`, up to which the statement can judge; see `affordedId`. */
export const AFFORDED_END: SQL = sql`(SELECT last_id FROM afforded)`;
/** The same for `PageRows.lookedTo`: null at the end. */
export const LOOKED_TO: SQL = sql`nullif(${AFFORDED_END}, ${MAX_ID})`;
/** The end of the stretch or of what can be judged, whichever comes first; null at the end. */
export const LOOKED_TO_IN_STRETCH: SQL = sql`nullif(min(${STRETCH_END}, ${AFFORDED_END}), ${MAX_ID})`;

/**
 * Returns the CTEs `asked_role`, the roles of a JSON list that the actor may read unless the list costs too much
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
    sql`asked_role(id) AS MATERIALIZED (
      SELECT asked.value FROM json_each(${unlessCostly(list)}) asked WHERE ${readable(sql`asked.value`)})`,
    stretch(nextIds(sql`asked_role.id`), share, sql`asked_role`),
  ];
}

/** A page that is read by a probe if that takes few lookups. */
export interface ProbedPage {
  /** `rows` is null for an actor with many memberships, who gets `otherwise`. */
  readonly probe: Statement;
  readonly otherwise: Statement;
}

/** Returns a page like `whileSessionLives`, of few rows that indexes find. Its rows have the condition `HAS_FEW`. */
export function probedPage<const D extends Declared>(
  declared: D,
  write: (args: PlaceholdersOf<PageArgs & D>) => PageRows,
  otherwise: PageStatement<D>,
): ProbedPage {
  const probe = define({ ...PAGE, ...declared }, (args) =>
    sql`
    SELECT ${unlessMany(sql`page.rows`)} AS rows, page.cut_at AS walkedTo, ${REVISION_COLUMN}
    ${fromLiveSession(write(args))}`);
  return { probe: probing(probe), otherwise };
}

function withCtes(ctes: readonly SQL[] = []): SQL {
  return ctes.length === 0 ? sql`` : sql`WITH ${join(ctes)}`;
}

/** A page of all that the actor reaches. */
export interface ReachedRows extends PageRows {
  readonly table: PagedTable;
  /** Joins the candidate rows to `reach`. */
  readonly candidates: SQL;
  /** The rows that match the filter, from an index. If they are few, the page is made of them. */
  readonly named?: SQL;
  /**
   * Whether many matching rows may be hidden from the actor. They are then counted only for an actor who reaches many
   * roles: for another actor, the time would reveal them. Otherwise they are counted first, and the reach may not be
   * needed.
   */
  readonly isReachFirst?: boolean;
  /** Common table expressions that use `pace`. */
  readonly pacedCtes?: readonly SQL[];
}

/**
 * Returns a page like `whileSessionLives`, of rows of `table`, that may use `reach`. `walkedTo` is the last scanned id
 * if rows may follow it, and null if the page is complete.
 */
export function whileSessionReaches<const D extends Declared>(
  declared: D,
  write: (args: PlaceholdersOf<PageArgs & D>) => ReachedRows,
): PageStatement<D> {
  return define({ ...PAGE, ...declared }, (args) => reachedPage(write(args)));
}

function reachedPage(page: ReachedRows): SQL {
  const { table, candidates, named, isReachFirst = false } = page;
  const areFewNamed = named === undefined ? sql`false` : ARE_FEW_NAMED;
  const counting = named === undefined ? [] : [fewNamed(named, isReachFirst)];
  const ctes = [
    ...page.ctes ?? [],
    ...isReachFirst ? [] : counting,
    reachedUnless(isReachFirst ? sql`false` : areFewNamed),
    REACH,
    ...isReachFirst ? counting : [],
    pace(areFewNamed, candidates, table),
    ...page.pacedCtes ?? [],
  ];
  const isCut = sql`${WALKS_TABLE} AND ${HORIZON} < (SELECT max(${table.id}) FROM ${table})`;
  return sql`${withCtes(ctes)}
    SELECT page.rows, ${costlyOf(page)}${REVISION_COLUMN},
    coalesce(page.cut_at, CASE WHEN ${isCut} THEN ${HORIZON} END) AS walkedTo
    ${fromLiveSession(page)}`;
}

/** A page of the rows of some roles, and of the same rows by a walk of the table. */
export interface StartedRows extends Pick<ReachedRows, "table" | "candidates"> {
  /** Selects the roles, which the actor sees, with duplicates. */
  readonly start: SQL;
  /** The page of the rows of `reach`, with the condition `BY_REACH`. */
  readonly started: PageRows;
  /** The page of the rows up to `HORIZON`. */
  readonly walked: PageRows;
}

/**
 * Returns a page like `whileSessionLives`, of the rows of some roles. If these are too many, the probe has no rows, and
 * the page walks the table. In one statement, a server would read the many CTEs of both wherever they are named.
 */
export function whileSessionStarts<const D extends Declared>(
  declared: D,
  write: (args: PlaceholdersOf<PageArgs & D>) => StartedRows,
): ProbedPage {
  const args = { ...PAGE, ...declared };
  return {
    probe: define(args, (given) => {
      const { start, started, candidates } = write(given);
      const rowsOfReach = countUpTo(sql`reach CROSS JOIN ${candidates}`, FEW_ROWS);
      const isWalk = sql`${REACHES_MANY} OR ${rowsOfReach} > ${FEW_ROWS}`;
      const ctes = [
        ...started.ctes ?? [],
        startingFrom(start),
        REACH,
        sql`pace(is_walk) AS MATERIALIZED (SELECT ${isWalk})`,
      ];
      return sql`${withCtes(ctes)}
    SELECT iif(${BY_REACH}, page.rows, NULL) AS rows, page.cut_at AS walkedTo, ${REVISION_COLUMN}
    ${fromLiveSession(started)}`;
    }),
    otherwise: define(args, (given) => {
      const { table, walked } = write(given);
      const horizon = sql`pace(horizon_id) AS MATERIALIZED (SELECT ${walkEnd(table)})`;
      return sql`${withCtes([...walked.ctes ?? [], horizon])}
    SELECT page.rows, coalesce(page.cut_at, ${cutByWalk(table)}) AS walkedTo, ${REVISION_COLUMN}
    ${fromLiveSession(walked)}`;
    }),
  };
}

/** Returns the last id of a walk's stretch. */
function walkEnd(table: PagedTable): SQL {
  const walked = row(table, "walked");
  return sql`coalesce((SELECT ${walked.id} FROM ${walked} WHERE ${walked.id} > ${afterId} ORDER BY ${walked.id}
        LIMIT 1 OFFSET ${WALK_ROWS} / max(1, ${MEMBERSHIPS}) - 1), ${MAX_ID})`;
}

/** Returns that id if rows may follow it. */
function cutByWalk(table: PagedTable): SQL {
  return sql`CASE WHEN ${HORIZON} < (SELECT max(${table.id}) FROM ${table}) THEN ${HORIZON} END`;
}

/** How many memberships each row is checked against. */
export const MEMBERSHIPS: SQL = countUpTo(
  sql`${member} WHERE ${member.userId} = ${actorId}`,
  FEW_MEMBERSHIPS,
);

/** Returns the CTE `named`: whether few rows match the filter. Each is checked against each membership of the actor. */
function fewNamed(named: SQL, isReachFirst: boolean): SQL {
  const areFew = sql`${countUpTo(named, FEW_ROWS)} * max(1, ${MEMBERSHIPS}) <= ${FEW_ROWS}`;
  return sql`named(are_few) AS MATERIALIZED (
      SELECT ${isReachFirst ? sql`iif(${REACHES_MANY}, ${areFew}, false)` : areFew})`;
}

/**
 * Returns the CTE `pace`: whether the page walks the rows in order of id, and the last id of the walk. Without a walk,
 * that is `:afterId`: SQLite evaluates the condition for each row, and would read all rows.
 */
function pace(areFewNamed: SQL, candidates: SQL, table: PagedTable): SQL {
  const rowsOfReach = countUpTo(sql`reach CROSS JOIN ${candidates}`, FEW_ROWS);
  return sql`pace(is_walk, horizon_id) AS MATERIALIZED (SELECT is_walk, CASE WHEN ${areFewNamed} THEN ${MAX_ID}
      WHEN is_walk THEN ${walkEnd(table)}
      ELSE ${afterId} END
    FROM (SELECT ${areFewNamed}
      OR ${REACHES_MANY}
      OR ${rowsOfReach} > ${FEW_ROWS}
      OR ${areTooManyAbove(sql`reach`)} AS is_walk))`;
}

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
