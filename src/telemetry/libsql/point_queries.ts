import { type Declared, rows, type SQL, sql, type Value, type ValuesOf } from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import type { TurnRow } from "./read_queries.ts";

/**
 * Parts of statements that read points. SQL builds rows as text, since a row object costs more than its point. Values
 * are final JSON texts without line feeds and tabs; times are milliseconds, or JSON strings of nanoseconds if not
 * whole.
 */

/** A time as JSON, in milliseconds or as a string of nanoseconds. */
export function timeText(time: Value): SQL {
  return sql`CASE WHEN ${time} % 1000000 = 0 THEN ${time} / 1000000 ELSE '"' || ${time} || '"' END`;
}

/**
 * A double as JSON: 15 digits if SQLite parses them as the same double, else 17, which are exact. SQLite parses about
 * one text of 15 digits in 20,000 as a neighbour of the nearest double.
 */
export function realText(value: Value): SQL {
  const short = sql`printf('%.15g', ${value})`;
  return sql`CASE WHEN CAST(${short} AS REAL) = ${value} THEN ${short} ELSE printf('%!.17g', ${value}) END`;
}

/** A value as JSON; null if it is null. */
export function valueText(value: Value, kind: Value): SQL {
  return sql`CASE typeof(${value}) WHEN 'real' THEN ${realText(value)} WHEN 'text' THEN json_quote(${value})
    WHEN 'integer' THEN CASE ${kind} WHEN 'boolean' THEN iif(${value}, 'true', 'false') ELSE ${value} END END`;
}

/** The parts of a statement that depend on its direction through time. */
export interface Direction {
  /** Nothing, or DESC. */
  readonly order: SQL;
  /** The bound of the ask at which the walk begins, and the other one. */
  readonly begin: SQL;
  readonly end: SQL;
  /** To the next hour. */
  readonly forth: SQL;
  /** The time lies between `first`, which the walk meets first, and `second`. */
  between(time: Value, first: Value, second: Value): SQL;
}

const FORWARD: Direction = {
  order: sql``,
  begin: sql`asked.from_time`,
  end: sql`asked.to_time`,
  forth: sql`+ 1`,
  between: (time, first, second) => sql`${time} BETWEEN ${first} AND ${second}`,
};

const BACKWARD: Direction = {
  order: sql`DESC`,
  begin: sql`asked.to_time`,
  end: sql`asked.from_time`,
  forth: sql`- 1`,
  between: (time, first, second) => sql`${time} BETWEEN ${second} AND ${first}`,
};

export interface Directed<T> {
  readonly ascending: T;
  readonly descending: T;
}

/** Builds a statement for each direction through time. It returns one row. */
export function inBothDirections<const D extends Declared>(
  declared: D,
  write: (direction: Direction) => SQL,
): Directed<Statement<ValuesOf<D>, TurnRow>> {
  return {
    ascending: rows<TurnRow>()(declared, () => write(FORWARD)),
    descending: rows<TurnRow>()(declared, () => write(BACKWARD)),
  };
}
