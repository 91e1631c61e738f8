import { block, blockRange, countedSeries, point, rootPoints } from "../../db/schema/telemetry.ts";
import {
  assigned,
  bare,
  define,
  excluded,
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
import { BLOCKS_PER_HOUR } from "../points/slots.ts";

/** The bytes that the points of a root's devices take up, which triggers count (`triggers/point.sql`, `block.sql`). */

/** `mostBytes`: of a root; null without a limit. `seriesIds`: JSON list of the series of a write; empty without one. */
export const LIMIT = { mostBytes: nullable(int), seriesIds: text };
const { mostBytes, seriesIds } = placeholdersOf(LIMIT);

const { counted, own } = rowsOf({ counted: countedSeries, own: rootPoints });
/** A root that the write counts to is full. */
export const IS_FULL: SQL<0 | 1> = sql`EXISTS (SELECT 1 FROM json_each(${seriesIds}) written
    CROSS JOIN ${counted} ON ${counted.seriesId} = written.value
    CROSS JOIN ${own} ON ${own.rootId} = ${counted.rootId} AND ${own.bytes} >= ${mostBytes})`;

/**
 * Maximum rows that count belatedly, further ones do not: other writes wait meanwhile. A series has none, unless its
 * first points were stored without counting.
 */
const MOST_BELATED = 20_000;

/**
 * In a points' file: lets series count to their roots, first with what they have already, by the measure of the
 * triggers. `roots`: JSON list of `[id of the series, id of the root]`.
 */
export const COUNT_SERIES = [
  define({ roots: text }, ({ roots }) => {
    const { known, held, range, kept } = rowsOf({
      known: countedSeries,
      held: point,
      range: blockRange,
      kept: block,
    });
    const { names, values } = inserted(rootPoints, { rootId: sql`root_id`, bytes: sql`sum(bytes)` });
    return sql`
    WITH RECURSIVE uncounted(series_id, root_id) AS MATERIALIZED (
      SELECT given.value ->> 0, given.value ->> 1 FROM json_each(${roots}) given
      WHERE NOT EXISTS (SELECT 1 FROM ${known} WHERE ${known.seriesId} = given.value ->> 0)),
    hours(series_id, root_id, hour, until_hour) AS (
      SELECT ${range.seriesId}, uncounted.root_id, ${range.firstHour}, ${range.lastHour}
      FROM uncounted CROSS JOIN ${range} ON ${range.seriesId} = uncounted.series_id
      UNION ALL
      SELECT series_id, root_id, hour + 1, until_hour FROM hours WHERE hour < until_hour LIMIT ${MOST_BELATED}),
    sizes(root_id, bytes) AS (
      SELECT hours.root_id, 20 + octet_length(${kept.points})
      FROM hours CROSS JOIN ${kept} ON ${kept.id} = hours.hour * ${BLOCKS_PER_HOUR} + hours.series_id
      UNION ALL
      SELECT uncounted.root_id, 30 + iif(typeof(${held.value}) = 'text', octet_length(${held.value}), 0)
      FROM uncounted CROSS JOIN ${held} ON ${held.seriesId} = uncounted.series_id
      LIMIT ${MOST_BELATED})
    INSERT INTO ${rootPoints} (${names}) SELECT ${values} FROM sizes WHERE true GROUP BY root_id
    ON CONFLICT (${bare(rootPoints.rootId)})
    DO UPDATE SET ${
      assigned(rootPoints, { bytes: sql`${rootPoints.bytes} + ${excluded(rootPoints.bytes)}` })
    }`;
  }),
  define({ roots: text }, ({ roots }) => {
    const { names, values } = inserted(countedSeries, {
      seriesId: sql`given.value ->> 0`,
      rootId: sql`given.value ->> 1`,
    });
    return sql`
    INSERT INTO ${countedSeries} (${names}) SELECT ${values} FROM json_each(${roots}) given WHERE true
    ON CONFLICT DO NOTHING`;
  }),
] as const;

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
