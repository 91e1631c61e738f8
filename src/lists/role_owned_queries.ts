import {
  type Declared,
  type Placeholder,
  placeholdersOf,
  row,
  type SQL,
  sql,
  type Value,
  type ValuesOf,
} from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import { affordedId, MAX_ID } from "../graph/rules/price_queries.ts";
import {
  AFFORDED_END,
  BY_REACH,
  END_OF_STRETCH,
  HORIZON,
  LOOKED_TO,
  PAGE,
  type PagedTable,
  type PageRow,
  type PageRows,
  priced,
  REACHED,
  startingFrom,
  STRETCH_END,
  stretchOf,
  unlessCostly,
  walking,
  whileSessionLives,
} from "../graph/paging/page_queries.ts";

/** Pages of rows that a role owns: relations and memberships. `page_queries.ts` has their common parts. */

const { afterId, limit } = placeholdersOf(PAGE);

/** A kind of rows that a role owns. The role decides who may read them. */
export interface RoleOwnedRows<T extends PagedTable, D extends Declared> {
  readonly table: T;
  /** The arguments of the filter. */
  readonly declared: D;
  /** Returns the role that decides who may read the row. */
  readonly roleOf: (owned: T) => Value;
  /** Whether the actor may read rows of this role. */
  readonly readable: (role: Value) => SQL;
  /** Whether the actor may read the row by itself, without its role. */
  readonly isOwn: (candidate: T) => SQL;
  /** Whether the row is readable by itself and matches the filter, for a query over an index. */
  readonly isOwnOnPage: (candidate: T) => SQL;
  readonly filter: (candidate: T) => SQL;
  /** Returns the values of a row by their names. */
  readonly columns: (owned: T) => PageRows["columns"];
  /** Joins what the values need. */
  readonly joins?: (owned: T) => SQL;
  /**
   * A further filter, of the rows that would be a page without it: it may need many rows to find one, so a page that it
   * shortens says how far it came. Without it, all of them.
   */
  readonly isKept?: (owned: T) => SQL;
}

type PageOf<D extends Declared> = Statement<ValuesOf<typeof PAGE & D>, PageRow>;

function roleOwnedRows<T extends PagedTable>(
  { columns, table, joins, isKept }: RoleOwnedRows<T, Declared>,
  candidates: SQL,
  { ctes = [], lookedTo }: Pick<PageRows, "ctes" | "lookedTo">,
): PageRows {
  const owned = row(table, "owned");
  const paged = sql`SELECT DISTINCT id FROM (${candidates}) ORDER BY id LIMIT +${limit}`;
  const joined = sql`CROSS JOIN ${owned} ON ${owned.id} = candidates.id ${joins?.(owned) ?? sql``}`;
  const from = sql`(${paged}) candidates ${joined}`;
  if (isKept === undefined) return { columns: columns(owned), from, ctes, ...(lookedTo && { lookedTo }) };
  return {
    columns: columns(owned),
    from,
    ctes,
    isKept: isKept(owned),
    lookedTo: sql`coalesce(CASE WHEN count(*) = ${limit} THEN max(${owned.id}) END, ${
      lookedTo ?? sql`NULL`
    })`,
  };
}

/**
 * Whether the row is among those of one role that fit on a page, by the index of the role's column. Selects them once
 * for the role: not every index has them in order of id, and a role may have thousands.
 */
function isOnPageOf<T extends PagedTable>(
  { table, roleOf, filter }: RoleOwnedRows<T, Declared>,
  role: Value,
  candidate: T,
): SQL {
  const listed = row(table, "of_role");
  return sql`${candidate.id} IN (SELECT ${listed.id} FROM ${listed}
      WHERE ${roleOf(listed)} = ${role} AND ${listed.id} > ${afterId} AND ${filter(listed)}
      ORDER BY ${listed.id} LIMIT +${limit})`;
}

/** Selects each role of the listed rows, at its first row: it is judged once, however many rows it has. */
function firstOfRole(listed: SQL): SQL {
  return sql`SELECT min(id) AS id, role_id FROM ${listed} GROUP BY role_id`;
}

/**
 * Returns the CTE `afforded`: the id up to which the roles of `listed` can be judged, at most its last id if it has
 * `most` rows.
 */
function afforded(listed: SQL, most: Value): SQL {
  return sql`afforded(last_id) AS MATERIALIZED (SELECT min(${affordedId(firstOfRole(listed))},
        (SELECT iif(count(*) = ${most}, max(id), ${MAX_ID}) FROM ${listed})))`;
}

/** Returns the CTE `readable_role`: the roles of `listed` whose rows the actor may read, up to the end of the page. */
function readableRoles(readable: (role: Value) => SQL, listed: SQL): SQL {
  return sql`readable_role(role_id) AS MATERIALIZED (SELECT judged.role_id FROM (
      SELECT DISTINCT role_id FROM ${listed} WHERE id <= ${AFFORDED_END} LIMIT -1) judged
    WHERE ${readable(sql`judged.role_id`)})`;
}

/** Whether the actor may read the row, which is their own or of a readable role. */
function isReadable<T extends PagedTable>({ isOwn, roleOf }: RoleOwnedRows<T, Declared>, candidate: T): SQL {
  return sql`(${isOwn(candidate)} OR ${roleOf(candidate)} IN (SELECT role_id FROM readable_role))`;
}

/** Selects the actor's own rows, which are always readable. */
function ownRows<T extends PagedTable>(
  { table, isOwnOnPage }: RoleOwnedRows<T, Declared>,
  further: (candidate: T) => SQL,
): SQL {
  const candidate = row(table, "candidate");
  return sql`SELECT ${candidate.id} FROM ${candidate} WHERE ${isOwnOnPage(candidate)} AND ${
    further(candidate)
  }`;
}

/** Maximum number of rows that a page by a list of values judges one by one. */
const JUDGED_ROWS = 2000;

/** Maximum number of rows of all values of such a list. No index has them in order, so they are sorted. */
const SORTED_ROWS = 50_000;

/**
 * Returns a page by a JSON list, one of the declared arguments. `found` joins its rows to `json_each` of the list, as
 * `requested`. The caller splits a list with too many rows.
 */
export function pageByValues<T extends PagedTable, D extends Declared>(
  rows: RoleOwnedRows<T, D>,
  list: keyof D & string,
  found: (candidate: T) => SQL,
): PageOf<D> {
  const { table, roleOf, filter } = rows;
  return whileSessionLives(rows.declared, (args) => {
    const requested: Placeholder = args[list];
    const any = row(table, "candidate");
    const listed = row(table, "candidate");
    const candidate = row(table, "candidate");
    const isTooMuch = sql`json_array_length(${requested}) > 1
    AND (SELECT 1 FROM json_each(${requested}) requested CROSS JOIN ${found(any)}
      LIMIT 1 OFFSET ${SORTED_ROWS}) IS NOT NULL`;
    const ctes = [
      priced(requested, isTooMuch),
      sql`listed(id, role_id) AS MATERIALIZED (SELECT ${listed.id}, ${roleOf(listed)}
      FROM json_each(${unlessCostly(requested)}) requested CROSS JOIN ${found(listed)}
      WHERE ${listed.id} > ${afterId} AND ${filter(listed)} ORDER BY 1 LIMIT ${JUDGED_ROWS})`,
      afforded(sql`listed`, JUDGED_ROWS),
      readableRoles(rows.readable, sql`listed`),
    ];
    const candidates =
      sql`SELECT ${candidate.id} FROM listed CROSS JOIN ${candidate} ON ${candidate.id} = listed.id
    WHERE listed.id <= ${AFFORDED_END} AND ${isReadable(rows, candidate)}`;
    return { ...roleOwnedRows(rows, candidates, { ctes, lookedTo: LOOKED_TO }), isPriced: true };
  });
}

/** Returns a page by a JSON list of values of an indexed column. */
export function pageByList<T extends PagedTable, D extends Declared>(
  rows: RoleOwnedRows<T, D>,
  list: keyof D & string,
  valueOf: (candidate: T) => Value,
): PageOf<D> {
  return pageByValues(
    rows,
    list,
    (candidate) => sql`${candidate} ON ${valueOf(candidate)} = requested.value`,
  );
}

/**
 * Returns a page by a JSON list of the roles that own the rows. Readability is checked once per role, and each role
 * gives its rows by its index, up to the end of the stretch.
 */
export function pageByRole<T extends PagedTable, D extends Declared>(
  rows: RoleOwnedRows<T, D>,
  list: keyof D & string,
): PageOf<D> {
  const { table, roleOf } = rows;
  return whileSessionLives(rows.declared, (args) => {
    const requested: Placeholder = args[list];
    const next = row(table, "next");
    const candidate = row(table, "candidate");
    const isOfList = (own: T): SQL =>
      sql`${own.id} <= ${STRETCH_END}
      AND ${roleOf(own)} IN (SELECT value FROM json_each(${requested}))`;
    const candidates = sql`SELECT ${candidate.id} FROM requested_role CROSS JOIN ${candidate}
      ON ${
      roleOf(candidate)
    } = requested_role.id AND ${candidate.id} > ${afterId} AND ${candidate.id} <= ${STRETCH_END}
    WHERE ${rows.filter(candidate)}
    UNION ALL ${ownRows(rows, isOfList)}`;
    const ctes = stretchOf(requested, rows.readable, (role) =>
      sql`SELECT ${next.id} FROM ${next}
      WHERE ${roleOf(next)} = ${role} AND ${next.id} > ${afterId} ORDER BY ${next.id}`);
    return { ...roleOwnedRows(rows, candidates, { ctes }), isPriced: true, end: END_OF_STRETCH };
  });
}

/** Joins to `reach` up to a page of rows per role. */
function rowsOfReach<T extends PagedTable>(rows: RoleOwnedRows<T, Declared>, candidate: T): SQL {
  return sql`${candidate} ON ${isOnPageOf(rows, sql`reach.role_id`, candidate)}`;
}

/** Selects candidates for an actor who reaches few roles: the rows of those roles. */
function byReach<T extends PagedTable>(rows: RoleOwnedRows<T, Declared>): SQL {
  const candidate = row(rows.table, "candidate");
  return sql`SELECT ${candidate.id} FROM reach CROSS JOIN ${rowsOfReach(rows, candidate)}
      WHERE ${BY_REACH} AND ${rows.filter(candidate)} AND ${rows.readable(sql`reach.role_id`)}`;
}

/** Maximum number of rows that a walk judges. An actor who reaches many roles may read most of them. */
const WALKED_ROWS = sql`max(1000, 2 * ${limit})`;

/** Selects candidates for an actor who reaches many roles: the rows of a walk in order of id, up to its horizon. */
function byWalk<T extends PagedTable>(rows: RoleOwnedRows<T, Declared>): SQL {
  const candidate = row(rows.table, "candidate");
  return sql`SELECT ${candidate.id} FROM passed CROSS JOIN ${candidate} ON ${candidate.id} = passed.id
      WHERE passed.id <= ${AFFORDED_END} AND ${isReadable(rows, candidate)}`;
}

/** Returns the CTE `passed`: the rows of a walk. */
function passed<T extends PagedTable>({ table, roleOf, filter }: RoleOwnedRows<T, Declared>): SQL {
  const candidate = row(table, "candidate");
  return sql`passed(id, role_id) AS MATERIALIZED (
        SELECT ${candidate.id}, ${roleOf(candidate)} FROM ${candidate}
        WHERE ${candidate.id} > ${afterId} AND ${candidate.id} <= ${HORIZON} AND ${filter(candidate)}
        ORDER BY ${candidate.id} LIMIT ${WALKED_ROWS})`;
}

/** Returns the ways of a page of all rows that the actor reaches. */
export function reachPage<T extends PagedTable, D extends Declared>(rows: RoleOwnedRows<T, D>) {
  return {
    reach: whileSessionLives(rows.declared, () => {
      const { ctes, unless } = startingFrom(REACHED, rowsOfReach(rows, row(rows.table, "candidate")));
      const candidates = sql`${byReach(rows)}
    UNION ALL ${ownRows(rows, () => BY_REACH)}`;
      return { ...roleOwnedRows(rows, candidates, { ctes }), unless };
    }),
    walk: whileSessionLives(rows.declared, () => {
      const { ctes, end } = walking(rows.table);
      const further = [
        passed(rows),
        afforded(sql`passed`, WALKED_ROWS),
        readableRoles(rows.readable, sql`passed`),
      ];
      const page = roleOwnedRows(rows, byWalk(rows), { ctes: [...ctes, ...further], lookedTo: LOOKED_TO });
      return { ...page, end };
    }),
  } as const;
}

/**
 * Whether a row is the actor's own: never. Probes the key, because the plan of `WHERE false` shows a scan, although it
 * never runs.
 */
export function isNone(candidate: PagedTable): SQL {
  return sql`${candidate.id} = NULL`;
}
