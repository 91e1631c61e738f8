import { defineStatement, type Statement } from "../../db/statement.ts";

/** Deleting points and empty series, and the readiness check. */

export const IS_READY: Statement = defineStatement("SELECT 1 AS ready");

/** Maximum rows that one statement deletes, since other writes wait meanwhile. */
export const CLEAR_BATCH = 5000;

/**
 * Deletes points of the device `:deviceId`, then empty series, then empty tag sets. Each statement returns a row per
 * deletion. It looks at all series of the device, so it is about a single one.
 */
export const FORGET_DEVICE: readonly Statement[] = [
  defineStatement(`
    DELETE FROM point WHERE (series_id, time) IN (
      SELECT old.series_id, old.time FROM tag_set
        CROSS JOIN series ON series.tag_set_id = tag_set.id CROSS JOIN point old ON old.series_id = series.id
      WHERE tag_set.device_id = :deviceId LIMIT ${CLEAR_BATCH}) RETURNING 1 AS gone`),
  defineStatement(`
    DELETE FROM series WHERE id IN (
      SELECT emptied.id FROM tag_set CROSS JOIN series emptied ON emptied.tag_set_id = tag_set.id
      WHERE tag_set.device_id = :deviceId AND NOT EXISTS (SELECT 1 FROM point WHERE point.series_id = emptied.id)
      LIMIT ${CLEAR_BATCH})
    RETURNING 1 AS gone`),
  defineStatement(`
    DELETE FROM tag_set WHERE id IN (
      SELECT emptied.id FROM tag_set emptied
      WHERE emptied.device_id = :deviceId
        AND NOT EXISTS (SELECT 1 FROM series WHERE series.tag_set_id = emptied.id) LIMIT ${CLEAR_BATCH})
    RETURNING 1 AS gone`),
];

/** Series or tag sets that one statement searches for old or empty ones. */
const CLEAR_PAGE = 2000;

const DAY_NS = 86_400_000_000_000;

function nextOf(table: "series" | "tag_set"): Statement {
  return defineStatement(`
    SELECT max(id) AS lastId FROM (SELECT id FROM ${table} WHERE id > :afterId ORDER BY id LIMIT ${CLEAR_PAGE})`);
}

/**
 * The walks that delete old points, one after the other, in pages. `next` returns the last id of the page after
 * `:afterId`, or null at the end. `clear` deletes what is old (before `:time`) or empty after `:afterId` up to
 * `:lastId`, and returns a row per deleted point. A series whose points are in an engine stays until they are old.
 */
export const CLEAR_PAGES: readonly { readonly next: Statement; readonly clear: readonly Statement[] }[] = [
  {
    next: nextOf("series"),
    clear: [
      defineStatement(`
        DELETE FROM point WHERE (series_id, time) IN (
          SELECT old.series_id, old.time FROM series CROSS JOIN point old ON old.series_id = series.id AND old.time < :time
          WHERE series.id > :afterId AND series.id <= :lastId LIMIT ${CLEAR_BATCH}) RETURNING 1 AS gone`),
      defineStatement(`
        DELETE FROM series WHERE id > :afterId AND id <= :lastId
          AND NOT EXISTS (SELECT 1 FROM point WHERE point.series_id = series.id)
          AND coalesce((last_day + 1) * ${DAY_NS} <= :time, true)`),
    ],
  },
  {
    next: nextOf("tag_set"),
    clear: [
      defineStatement(`
        DELETE FROM tag_set WHERE id > :afterId AND id <= :lastId
          AND NOT EXISTS (SELECT 1 FROM series WHERE series.tag_set_id = tag_set.id)`),
    ],
  },
];
