import { countedSeries, rootPoints } from "../../db/schema/telemetry.ts";
import {
  define,
  inserted,
  int,
  nullable,
  placeholdersOf,
  row,
  rows,
  rowsOf,
  type SQL,
  sql,
  text,
} from "../../db/sql.ts";
import { probing } from "../../db/statement.ts";

/** The bytes that the points of a root's devices take up, which triggers count (`triggers/point.sql`, `block.sql`). */

/** `mostBytes`: of a root; null without a limit. `seriesIds`: JSON list of the series of a write; empty without one. */
export const LIMIT = { mostBytes: nullable(int), seriesIds: text };
const { mostBytes, seriesIds } = placeholdersOf(LIMIT);

const { counted, own } = rowsOf({ counted: countedSeries, own: rootPoints });
/** A root that the write counts to is full. */
export const IS_FULL: SQL<0 | 1> = sql`EXISTS (SELECT 1 FROM json_each(${seriesIds}) written
    CROSS JOIN ${counted} ON ${counted.seriesId} = written.value
    CROSS JOIN ${own} ON ${own.rootId} = ${counted.rootId} AND ${own.bytes} >= ${mostBytes})`;

/** In a points' file: lets series count to their roots. `roots`: JSON list of `[id of the series, id of the root]`. */
export const COUNT_SERIES = define({ roots: text }, ({ roots }) => {
  const { names, values } = inserted(countedSeries, {
    seriesId: sql`given.value ->> 0`,
    rootId: sql`given.value ->> 1`,
  });
  return sql`
  INSERT INTO ${countedSeries} (${names}) SELECT ${values} FROM json_each(${roots}) given WHERE true
  ON CONFLICT DO NOTHING`;
});

/** Forgets to which roots series counted. `ids`: JSON list. */
export const DISCOUNT_SERIES = define({ ids: text }, ({ ids }) =>
  sql`
  DELETE FROM ${countedSeries} WHERE ${countedSeries.seriesId} IN (SELECT value FROM json_each(${ids}))`);

interface BytesRow {
  readonly bytes: number;
}

/** The bytes of a root's points. No row without any series. */
export const BYTES_OF_ROOT = probing(
  rows<BytesRow>()({ rootId: int }, ({ rootId }) => {
    const shown = row(rootPoints, "shown");
    return sql`SELECT ${shown.bytes} FROM ${shown} WHERE ${shown.rootId} = ${rootId}`;
  }),
);

/** The bytes of the root that has most. */
export const MOST_BYTES = rows<BytesRow>()({}, () => {
  const most = row(rootPoints, "most");
  return sql`SELECT coalesce(max(${most.bytes}), 0) AS bytes FROM ${most}`;
});
