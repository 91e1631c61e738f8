import { device, point, series, tagSet } from "../../db/schema/telemetry.ts";
import {
  bare,
  define,
  inserted,
  int,
  join,
  nullable,
  placeholdersOf,
  rows,
  rowsOf,
  type SQL,
  sql,
  takenOver,
  text,
  type Value,
  type ValuesOf,
} from "../../db/sql.ts";
import { LACKS_GRANT, WRITTEN_DEVICES } from "../../device/grant_queries.ts";
import { currentDevice } from "../../device/period_queries.ts";
import { markWithPoints } from "../../device/tombstone_queries.ts";
import { PRINCIPAL, PRINCIPAL_LIVES } from "../../role/guard/principal_queries.ts";
import { type ListName, PARTS } from "./write_parts.ts";

/**
 * Writes points, and registers their series. Most writes go to existing series: one statement finds them, checks the
 * write and takes effect, or does nothing. In that case another one finds the reason, on a reader, and missing series
 * are registered in steps, so that other writes do not wait long.
 */

/** `grants`: write grants for all devices of the request, found beforehand. If one is void, nothing is written. */
const AUTHORIZED = { ...PRINCIPAL, grants: text };
/** `belowId`: the role that the write is meant for, or null. */
const DESCRIPTION = {
  database: text,
  retentionPolicy: text,
  belowId: nullable(int),
  ...PARTS.tagSets,
  ...PARTS.described,
};
/** The arguments of all statements about the series of a request. */
export const DESCRIBING = { ...AUTHORIZED, ...DESCRIPTION };

export type AuthorizedArgs = ValuesOf<typeof AUTHORIZED>;
export type DescriptionArgs = ValuesOf<typeof DESCRIPTION>;

const { database, retentionPolicy } = placeholdersOf(DESCRIPTION);

/** The actor may write to all devices. */
const MAY_WRITE = sql`${PRINCIPAL_LIVES} AND NOT ${LACKS_GRANT}`;

/** Marks devices as having points, so that deleting one leaves a tombstone until its points are deleted. */
const MARK_DEVICES = markWithPoints(
  { ...AUTHORIZED, belowId: nullable(int) },
  () => sql`${device.id} IN (${WRITTEN_DEVICES}) AND ${MAY_WRITE}`,
);

/** Maximum series (tag sets times fields) per device. */
export const MAX_SERIES = 10_000;

/** A FROM clause: the elements (`given`) of a list passed in parts. */
function elementsOf(name: ListName): SQL {
  const parts = Object.values<Value>(placeholdersOf(PARTS[name])).map((part) => sql`(${part})`);
  return sql`(VALUES ${join(parts)}) part CROSS JOIN json_each(part.column1) given`;
}

const { named, known, found } = rowsOf({ named: device, known: tagSet, found: series });
/**
 * CTEs: the tag sets and series of the request, with their stored rows. Elements of `tagSets`: `[t, nodeId,
 * measurement, tags]`; of `described`: `[n, t, field, kind, line]`; `t` and `n` count from 0. Empty if the actor may
 * not write to a device: neither result nor timing reveals whether it exists.
 */
export const DESCRIBED: SQL = sql`
  tagged(t, device_id, measurement, tags, tag_set_id) AS MATERIALIZED (
    SELECT given.value ->> 0, ${named.id}, given.value ->> 2, given.value ->> 3, ${known.id}
    FROM (SELECT 1 WHERE ${MAY_WRITE}) CROSS JOIN ${elementsOf("tagSets")}
      CROSS JOIN ${named} ON ${named.id} = (${currentDevice(sql`given.value ->> 1`)})
      LEFT JOIN ${known} ON ${known.deviceId} = ${named.id} AND ${known.measurement} = given.value ->> 2
        AND ${known.database} = ${database} AND ${known.retentionPolicy} = ${retentionPolicy}
        AND ${known.tags} = given.value ->> 3),
  described(n, device_id, tag_set_id, field, kind, line, series_id, stored_kind) AS MATERIALIZED (
    SELECT given.value ->> 0, tagged.device_id, tagged.tag_set_id, given.value ->> 2, given.value ->> 3,
      given.value ->> 4, ${found.id}, ${found.kind}
    FROM ${elementsOf("described")} CROSS JOIN tagged ON tagged.t = given.value ->> 1
      LEFT JOIN ${found} ON ${found.tagSetId} = tagged.tag_set_id AND ${found.field} = given.value ->> 2)`;

const { owned, held } = rowsOf({ owned: tagSet, held: series });
/**
 * Devices that would have too many series. Only those with new series are counted: that reads up to 10,000 index rows
 * each, so a statement handles few devices.
 */
const CROWDED = sql`SELECT 1 FROM described WHERE series_id IS NULL GROUP BY device_id
  HAVING count(*) + (SELECT count(*) FROM (
    SELECT 1 FROM ${owned} CROSS JOIN ${held} ON ${held.tagSetId} = ${owned.id}
    WHERE ${owned.deviceId} = described.device_id LIMIT ${MAX_SERIES})
  ) > ${MAX_SERIES}`;

/** CTE: one row if all series exist, with the kinds of the request. */
export const ACCEPTED: SQL = sql`accepted AS MATERIALIZED (
    SELECT 1 WHERE EXISTS (SELECT 1 FROM described) AND NOT EXISTS (
      SELECT 1 FROM described WHERE stored_kind IS NOT kind))`;

/** Why a write did not take effect: otherwise, a grant is void. No row if the session is over. */
export interface WriteVerdictRow {
  /** The first line whose field already has another kind, and that kind. */
  readonly line: number | null;
  readonly kind: string | null;
  /** JSON list of the `n` of series that are not registered. */
  readonly missing: string;
}

export const JUDGE_WRITE = rows<WriteVerdictRow>()(DESCRIBING, () =>
  sql`
  WITH ${DESCRIBED},
  conflict(line, kind) AS MATERIALIZED (
    SELECT line, stored_kind FROM described WHERE stored_kind <> kind ORDER BY line LIMIT 1)
  SELECT (SELECT line FROM conflict) AS line, (SELECT kind FROM conflict) AS kind,
    (SELECT json_group_array(n) FROM described WHERE series_id IS NULL) AS missing
  WHERE ${PRINCIPAL_LIVES}`);

/** Maximum series and devices per `REGISTER_SERIES`: other writes wait for it, 0.15 s on a file. */
export const STEP_SERIES = 2000;
export const STEP_DEVICES = 16;

interface CrowdedRow {
  readonly isCrowded: 1;
}

/** Returns a row if a device would have too many series. Same limits as `REGISTER_SERIES`. */
export const FIND_CROWDED = rows<CrowdedRow>()(DESCRIBING, () =>
  sql`
  WITH ${DESCRIBED} SELECT 1 AS isCrowded WHERE EXISTS (${CROWDED})`);

/** CTE: one row if no device would have too many series. */
const FITS = sql`fits AS MATERIALIZED (SELECT 1 WHERE NOT EXISTS (${CROWDED}))`;

const MISSING_TAG_SETS = inserted(tagSet, {
  deviceId: sql`tagged.device_id`,
  measurement: sql`tagged.measurement`,
  database,
  retentionPolicy,
  tags: sql`tagged.tags`,
});
const MISSING_SERIES = inserted(series, {
  tagSetId: sql`described.tag_set_id`,
  field: sql`described.field`,
  kind: sql`described.kind`,
});

/** Adds the missing series of a request and their tag sets; none if a device would have too many. */
export const REGISTER_SERIES = [
  define(DESCRIBING, () =>
    sql`
    WITH ${DESCRIBED}, ${FITS}
    INSERT INTO ${tagSet} (${MISSING_TAG_SETS.names})
    SELECT ${MISSING_TAG_SETS.values}
    FROM fits CROSS JOIN tagged WHERE tagged.tag_set_id IS NULL`),
  define(DESCRIBING, () =>
    sql`
    WITH ${DESCRIBED}, ${FITS}
    INSERT INTO ${series} (${MISSING_SERIES.names})
    SELECT ${MISSING_SERIES.values} FROM fits CROSS JOIN described
    WHERE described.series_id IS NULL AND described.tag_set_id IS NOT NULL`),
  MARK_DEVICES,
] as const;

/** The number of points written; 0 if the write was not accepted. */
export interface WrittenRow {
  readonly written: number;
}

const WRITTEN = inserted(point, {
  seriesId: sql`described.series_id`,
  time: sql`CAST(timed.key AS INTEGER)`,
  value: sql`timed.value`,
});

/**
 * Writes points to existing series. Elements of `points`: `[n of the series, values by time]`. Returns a
 * `WrittenRow`. SQLite parses about one in 6000 decimals of 17 digits as a neighbour of the nearest double.
 */
export const WRITE_POINTS = [
  define({ ...DESCRIBING, ...PARTS.points }, () =>
    sql`
    WITH ${DESCRIBED}, ${ACCEPTED}
    INSERT INTO ${point} (${WRITTEN.names})
    SELECT ${WRITTEN.values}
    FROM accepted CROSS JOIN ${elementsOf("points")} CROSS JOIN described ON described.n = given.value ->> 0
      CROSS JOIN json_each(given.value, '$[1]') timed
    WHERE true ON CONFLICT (${bare(point.seriesId, point.time)}) DO UPDATE SET ${takenOver(point.value)}`),
  rows<WrittenRow>()({}, () => sql`SELECT changes() AS written`),
] as const;
