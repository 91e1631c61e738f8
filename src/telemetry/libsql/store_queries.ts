import { defineStatement, type Statement } from "../../db/statement.ts";

/** Clearing points, for both stores, and asking whether there is a database. */

export const IS_READY: Statement = defineStatement("SELECT 1 AS ready");

/** Points that one statement deletes at most: other writes wait meanwhile. */
export const CLEAR_BATCH = 5000;

/** Deletes points of the devices of `:deviceIds` (a JSON list), a row for each, then series and tag sets without any. */
export const FORGET_DEVICES: readonly Statement[] = [
  defineStatement(`
    DELETE FROM point WHERE (series_id, time) IN (
      SELECT old.series_id, old.time FROM json_each(:deviceIds) gone
        CROSS JOIN tag_set ON tag_set.device_id = gone.value
        CROSS JOIN series ON series.tag_set_id = tag_set.id CROSS JOIN point old ON old.series_id = series.id
      LIMIT ${CLEAR_BATCH}) RETURNING 1 AS gone`),
  defineStatement(`
    DELETE FROM series WHERE id IN (
      SELECT emptied.id FROM json_each(:deviceIds) gone CROSS JOIN tag_set ON tag_set.device_id = gone.value
        CROSS JOIN series emptied ON emptied.tag_set_id = tag_set.id
      WHERE NOT EXISTS (SELECT 1 FROM point WHERE point.series_id = emptied.id) LIMIT ${CLEAR_BATCH})
    RETURNING 1 AS gone`),
  defineStatement(`
    DELETE FROM tag_set WHERE id IN (
      SELECT emptied.id FROM json_each(:deviceIds) gone CROSS JOIN tag_set emptied ON emptied.device_id = gone.value
      WHERE NOT EXISTS (SELECT 1 FROM series WHERE series.tag_set_id = emptied.id) LIMIT ${CLEAR_BATCH})
    RETURNING 1 AS gone`),
];

/** How many series, or tag sets, one statement looks through for what is old or empty. */
const CLEAR_PAGE = 2000;

const DAY_NS = 86_400_000_000_000;

function nextOf(table: "series" | "tag_set"): Statement {
  return defineStatement(`
    SELECT max(id) AS lastId FROM (SELECT id FROM ${table} WHERE id > :afterId ORDER BY id LIMIT ${CLEAR_PAGE})`);
}

/**
 * What clearing goes through, a page at a time, one after the other: `next` answers the last of the next rows after
 * `:afterId`, null beyond the last one; `clear` deletes what is old (before `:time`) or empty after `:afterId` up to `:lastId`,
 * its first statement with a row for each that is gone. A series whose points an engine keeps stays until these are old.
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
