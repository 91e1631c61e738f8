import { blockRange, point, recentPoint, series, tagSet } from "../../db/schema/telemetry.ts";
import { define, int, row, rows, rowsOf, type SQL, sql } from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { CLEAR_BATCH } from "../clear/clear_queries.ts";
import { HOUR_NS } from "../points/slots.ts";
import { SLOTS } from "../tables/slot_parts.ts";
import { CUTOFF_ARGS, cutoffOf, namedCutoffs } from "../series/cutoff_parts.ts";

/** Deleting points and empty series, and the readiness check. */

export const IS_READY = rows<{ readonly ready: 1 }>()({}, () => sql`SELECT 1 AS ready`);

/**
 * Deletes the series of the device `deviceId`, whose points are deleted, then empty tag sets. Each statement returns a row
 * per deletion. One device only, because it looks at all its series.
 */
export const FORGET_DEVICE = [
  define({ deviceId: int }, ({ deviceId }) => {
    const { owned, emptied, inside } = rowsOf({ owned: tagSet, emptied: series, inside: point });
    return sql`
    DELETE FROM ${series} WHERE ${series.id} IN (
      SELECT ${emptied.id} FROM ${owned} CROSS JOIN ${emptied} ON ${emptied.tagSetId} = ${owned.id}
      WHERE ${owned.deviceId} = ${deviceId}
        AND NOT EXISTS (SELECT 1 FROM ${inside} WHERE ${inside.seriesId} = ${emptied.id})
      LIMIT ${CLEAR_BATCH})
    RETURNING 1 AS gone`;
  }),
  define({ deviceId: int }, ({ deviceId }) => {
    const { emptied, inside } = rowsOf({ emptied: tagSet, inside: series });
    return sql`
    DELETE FROM ${tagSet} WHERE ${tagSet.id} IN (
      SELECT ${emptied.id} FROM ${emptied}
      WHERE ${emptied.deviceId} = ${deviceId}
        AND NOT EXISTS (SELECT 1 FROM ${inside} WHERE ${inside.tagSetId} = ${emptied.id}) LIMIT ${CLEAR_BATCH})
    RETURNING 1 AS gone`;
  }),
] as const;

/** Number of series or tag sets that one statement searches. */
const CLEAR_PAGE = 2000;

const DAY_NS = 86_400_000_000_000;

interface PageEndRow {
  readonly lastId: number | null;
}

/** Finds the end of a page of a table. */
function nextOf(table: typeof series | typeof tagSet): Statement<{ readonly afterId: number }, PageEndRow> {
  return rows<PageEndRow>()({ afterId: int }, ({ afterId }) =>
    sql`
    SELECT max(id) AS lastId FROM (
      SELECT ${table.id} FROM ${table} WHERE ${table.id} > ${afterId} ORDER BY ${table.id} LIMIT ${CLEAR_PAGE})`);
}

/** The arguments of the deletions of a page. */
const PAGE = { afterId: int, lastId: int };

const { ranged, recent } = rowsOf({ ranged: blockRange, recent: recentPoint });
/** The series has no points. Those that have none in `point` or blocks are looked for in each slot. */
const HAS_NO_POINTS: SQL = sql`NOT EXISTS (SELECT 1 FROM ${point} WHERE ${point.seriesId} = ${series.id})
          AND NOT EXISTS (SELECT 1 FROM ${ranged} WHERE ${ranged.seriesId} = ${series.id})
          AND NOT EXISTS (SELECT 1 FROM slots CROSS JOIN ${recent}
            ON ${recent.slot} = slots.slot AND ${recent.seriesId} = ${series.id})`;

interface OldBlocksRow {
  /** JSON list of `[id of a series, time]`. */
  readonly before: string;
}

/** The series of a page that have blocks from before their cutoff. */
export const OLD_BLOCKS = rows<OldBlocksRow>()(
  { ...PAGE, ...CUTOFF_ARGS },
  ({ afterId, lastId, ...given }) => {
    const { held, owner } = rowsOf({ held: series, owner: tagSet });
    return sql`
  WITH ${namedCutoffs(given)}
  SELECT json_group_array(json_array(id, time)) AS before FROM (
    SELECT ${held.id} AS id, ${cutoffOf(owner, given)} AS time, ${ranged.firstHour} AS first_hour
    FROM ${ranged} CROSS JOIN ${held} ON ${held.id} = ${ranged.seriesId}
      CROSS JOIN ${owner} ON ${owner.id} = ${held.tagSetId}
    WHERE ${ranged.seriesId} > ${afterId} AND ${ranged.seriesId} <= ${lastId})
  WHERE (first_hour + 1) * ${HOUR_NS} <= time`;
  },
);

/**
 * The walks that delete old points, in pages. `next` returns the last id of the page after `afterId`, or null at the
 * end. `clear` deletes old points (before the cutoff of their tag set) and empty rows of the page, and returns a row
 * per point. A series with points in an engine stays until they are old.
 */
export const CLEAR_PAGES: readonly {
  readonly next: ReturnType<typeof nextOf>;
  readonly clear: readonly Statement[];
}[] = [
  {
    next: nextOf(series),
    clear: [
      define({ ...PAGE, ...CUTOFF_ARGS }, ({ afterId, lastId, ...given }) => {
        const { walked, owner, old } = rowsOf({ walked: series, owner: tagSet, old: point });
        return sql`
        WITH ${namedCutoffs(given)}
        DELETE FROM ${point} WHERE (${point.seriesId}, ${point.time}) IN (
          SELECT ${old.seriesId}, ${old.time} FROM ${walked}
            CROSS JOIN ${owner} ON ${owner.id} = ${walked.tagSetId}
            CROSS JOIN ${old} ON ${old.seriesId} = ${walked.id} AND ${old.time} < ${cutoffOf(owner, given)}
          WHERE ${walked.id} > ${afterId} AND ${walked.id} <= ${lastId} LIMIT ${CLEAR_BATCH}) RETURNING 1 AS gone`;
      }),
      define({ ...PAGE, ...CUTOFF_ARGS }, ({ afterId, lastId, ...given }) => {
        const owner = row(tagSet, "owner");
        return sql`
        WITH RECURSIVE ${namedCutoffs(given)}, ${SLOTS}
        DELETE FROM ${series} WHERE ${series.id} > ${afterId} AND ${series.id} <= ${lastId}
          AND ${HAS_NO_POINTS}
          AND (${series.lastDay} IS NULL OR (${series.lastDay} + 1) * ${DAY_NS} <= (
            SELECT ${cutoffOf(owner, given)} FROM ${owner} WHERE ${owner.id} = ${series.tagSetId}))`;
      }),
    ],
  },
  {
    next: nextOf(tagSet),
    clear: [
      define(PAGE, ({ afterId, lastId }) =>
        sql`
        DELETE FROM ${tagSet} WHERE ${tagSet.id} > ${afterId} AND ${tagSet.id} <= ${lastId}
          AND NOT EXISTS (SELECT 1 FROM ${series} WHERE ${series.tagSetId} = ${tagSet.id})`),
    ],
  },
];

interface IdsRow {
  /** JSON list. */
  readonly ids: string;
}

/** The series of a device, which are at most some thousands. */
export const SERIES_OF_DEVICE = rows<IdsRow>()({ deviceId: int }, ({ deviceId }) => {
  const { owned, held } = rowsOf({ owned: tagSet, held: series });
  return sql`
  SELECT json_group_array(${held.id}) AS ids FROM ${owned} CROSS JOIN ${held} ON ${held.tagSetId} = ${owned.id}
  WHERE ${owned.deviceId} = ${deviceId}`;
});
