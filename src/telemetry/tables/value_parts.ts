import { type SQL, sql, type Value } from "../../db/sql.ts";

/**
 * Points as text. SQL makes it, since a row object costs more than its point. Values are final JSON texts without line
 * feeds and tabs.
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
