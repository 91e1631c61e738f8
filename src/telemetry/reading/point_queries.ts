import { type Declared, rows, type SQL, sql, type Value, type ValuesOf } from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";

/** The only row of a statement. */
export interface TurnRow {
  /**
   * Two lines per piece: the index of the ask, and the points: their times, separated by commas, then a tab before each
   * value. Null if nothing was found.
   */
  readonly text: string | null;
  /** The cost of the statement, in scanned values. */
  readonly spent: number;
  /** The last ask that it visited … */
  readonly n: number;
  /** … and the place of its next piece (null if there is none), and what was read before that. */
  readonly at: string | null;
  readonly k: number;
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
  begin: sql`requested.from_time`,
  end: sql`requested.to_time`,
  forth: sql`+ 1`,
  between: (time, first, second) => sql`${time} BETWEEN ${first} AND ${second}`,
};

const BACKWARD: Direction = {
  order: sql`DESC`,
  begin: sql`requested.to_time`,
  end: sql`requested.from_time`,
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
