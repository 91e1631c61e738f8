import { defineStatement, type Statement } from "../../db/statement.ts";

/**
 * Parts of the statements that read points. SQL builds rows as text, because a row object costs more than reading its
 * point. Values are JSON texts in their final form, which contain neither line feeds nor tabs. A time is a number of
 * milliseconds or, if it is not a whole number, a JSON string of nanoseconds.
 */

/** SQL: a time as JSON, in milliseconds or as a string of nanoseconds. */
export function timeText(time: string): string {
  return `CASE WHEN ${time} % 1000000 = 0 THEN ${time} / 1000000 ELSE '"' || ${time} || '"' END`;
}

/**
 * SQL: a double as JSON: 15 digits if SQLite parses them as the same double, otherwise 17, which are exact. SQLite
 * parses about one text of 15 digits in 20,000 as a neighbour of the nearest double.
 */
export function realText(value: string): string {
  const short = `printf('%.15g', ${value})`;
  return `CASE WHEN CAST(${short} AS REAL) = ${value} THEN ${short} ELSE printf('%!.17g', ${value}) END`;
}

/** SQL: a value as JSON; null if it is null. */
export function valueText(value: string, kind: string): string {
  return `CASE typeof(${value}) WHEN 'real' THEN ${realText(value)} WHEN 'text' THEN json_quote(${value})
    WHEN 'integer' THEN CASE ${kind} WHEN 'boolean' THEN iif(${value}, 'true', 'false') ELSE ${value} END END`;
}

/** SQL that depends on the direction in which a statement walks through time. */
export interface Direction {
  readonly order: "" | "DESC";
  /** The bound of the query at which the walk begins, and the other one. */
  readonly begin: string;
  readonly end: string;
  /** The aggregate that finds the time that the walk meets first. */
  readonly earliest: "min" | "max";
  /** The time lies between the two others, of which the walk meets `first` first. */
  between(time: string, first: string, second: string): string;
  /** The far end of the window of a time; null without windows. Beyond 64 bits it is a REAL, which compares correctly. */
  windowEnd(time: string): string;
  /** To the time after or before another one. */
  readonly forth: "+ 1" | "- 1";
  readonly back: "- 1" | "+ 1";
}

/** SQL: the offset of a time in its window. The remainder of a negative time is negative. */
function intoWindow(time: string): string {
  return `(${time} % asked.window + iif(${time} % asked.window < 0, asked.window, 0))`;
}

const FORWARD: Direction = {
  order: "",
  begin: "asked.from_time",
  end: "asked.to_time",
  earliest: "min",
  between: (time, first, second) => `${time} BETWEEN ${first} AND ${second}`,
  windowEnd: (time) => `min(asked.to_time, ${time} + (asked.window - 1 - ${intoWindow(time)}))`,
  forth: "+ 1",
  back: "- 1",
};

const BACKWARD: Direction = {
  order: "DESC",
  begin: "asked.to_time",
  end: "asked.from_time",
  earliest: "max",
  between: (time, first, second) => `${time} BETWEEN ${second} AND ${first}`,
  windowEnd: (time) => `max(asked.from_time, ${time} - ${intoWindow(time)})`,
  forth: "- 1",
  back: "+ 1",
};

export interface Directed<T> {
  readonly ascending: T;
  readonly descending: T;
}

/** Builds a statement for each direction through time. It returns one row. */
export function inBothDirections(sql: (direction: Direction) => string): Directed<Statement> {
  return {
    ascending: defineStatement(sql(FORWARD)),
    descending: defineStatement(sql(BACKWARD)),
  };
}
