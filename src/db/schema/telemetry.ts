import { sql } from "drizzle-orm/sql/sql";
import { check } from "drizzle-orm/sqlite-core/checks";
import { blob } from "drizzle-orm/sqlite-core/columns/blob";
import { integer } from "drizzle-orm/sqlite-core/columns/integer";
import { real } from "drizzle-orm/sqlite-core/columns/real";
import { text } from "drizzle-orm/sqlite-core/columns/text";
import { index, uniqueIndex } from "drizzle-orm/sqlite-core/indexes";
import { primaryKey } from "drizzle-orm/sqlite-core/primary-keys";
import { sqliteTable } from "drizzle-orm/sqlite-core/table";
import { unique } from "drizzle-orm/sqlite-core/unique-constraint";

/** A device that telemetry belongs to. Its id comes from the `node` sequence, like those of roles. */
export const device = sqliteTable("device", {
  id: integer("id").primaryKey(),
  /**
   * The device's name for itself, unchangeable; also in `properties`. Unique among devices that are not retired: the
   * decision about a new one sees to it.
   */
  nodeId: text("node_id").notNull(),
  /** JSON object, returned as it was submitted. */
  properties: text("properties").notNull(),
  /** Time of the last change of `properties`, in milliseconds. */
  updatedAt: integer("updated_at").notNull(),
  /** Whether points were or are about to be written, so that a deletion must look for them. */
  hasPoints: integer("has_points").notNull().default(0),
  /** What it counts to; see `counted` of the roles' tables. */
  countedTo: integer("counted_to"),
  countedFor: text("counted_for"),
  /** Its id in another system; see `external` of the roles' tables. */
  externalId: text("external_id"),
  externalRoot: integer("external_root"),
  /** The property `name` if it is a text, for searches: its first 256 characters. */
  name: text("name").generatedAlwaysAs(
    sql`CASE json_type(properties, '$.name') WHEN 'text' THEN substr(properties ->> '$.name', 1, 256) END`,
    { mode: "virtual" },
  ),
}, (t) => [
  index("device_by_node_id").on(t.nodeId),
  // A search reads no properties.
  index("device_texts").on(t.id, t.nodeId, t.name),
  uniqueIndex("device_by_external_id").on(t.externalId, t.externalRoot).where(sql`external_id IS NOT NULL`),
]);

/**
 * Role -> device: the role and its ancestors may read the telemetry of a period. Ids come from the `relation` sequence.
 * A pair has at most one period that is open or to come: the decision about a new one sees to it. Closed ones stay.
 */
export const monitors = sqliteTable("monitors", {
  id: integer("id").primaryKey(),
  roleId: integer("role_id").notNull(),
  deviceId: integer("device_id").notNull(),
  /** The period, in milliseconds: from the first time up to, but not including, the second. Null: no bound. */
  validFrom: integer("valid_from"),
  validUntil: integer("valid_until"),
  /** JSON: the series of the device when the period ended, kept when the device next changes. */
  series: text("series"),
}, (t) => [
  // All that is read of the relations of a device.
  index("monitors_of_device").on(t.deviceId, t.roleId, t.validUntil, t.validFrom),
  index("monitors_of_role").on(t.roleId, t.id),
  // A page of a role's devices is read in the order of their ids.
  index("monitors_by_role").on(t.roleId, t.deviceId, t.validUntil, t.validFrom),
]);

/**
 * The tombstone of a deleted device. Until `purge_at` the device lies in the trash: it can be restored, and its nodeId
 * is free only to the role it was deleted from. After that, the nodeId stays taken until its points are deleted.
 */
export const deviceTombstone = sqliteTable("gone_device", {
  deviceId: integer("device_id").primaryKey(),
  nodeId: text("node_id").notNull(),
  /** When it was deleted, in milliseconds. */
  deletedAt: integer("gone_at").notNull(),
  /** When it ceases to be restorable; not before its deletion. */
  purgeAt: integer("purge_at").notNull().default(0),
  /** The revision of its deletion. */
  rev: integer("rev"),
  /** The role that it was detached from, or the parent of the relation that was deleted. */
  roleId: integer("role_id"),
  /** The device's columns, null if it was deleted at once. */
  properties: text("properties"),
  updatedAt: integer("updated_at"),
  hasPoints: integer("has_points").notNull().default(1),
  countedTo: integer("counted_to"),
  countedFor: text("counted_for"),
  externalId: text("external_id"),
  externalRoot: integer("external_root"),
}, (t) => [
  index("gone_device_by_purge").on(t.purgeAt),
  index("gone_device_by_node_id").on(t.nodeId),
  index("gone_device_by_revision").on(t.rev),
]);

/**
 * Monitors relations that were deleted, for those who restore what they were deleted with. A trigger keeps them
 * (`triggers/monitors.sql`), for as long as the history of other relations.
 */
export const deletedMonitors = sqliteTable("deleted_monitors", {
  monitorsId: integer("monitors_id").notNull(),
  roleId: integer("role_id").notNull(),
  deviceId: integer("device_id").notNull(),
  /** The revision of the deletion. */
  rev: integer("rev").notNull(),
  validFrom: integer("valid_from"),
  validUntil: integer("valid_until"),
}, (t) => [
  primaryKey({ columns: [t.monitorsId, t.rev] }),
  index("deleted_monitors_by_revision").on(t.rev),
  index("deleted_monitors_of_device").on(t.deviceId, t.rev),
]);

/** One tag set of a device's points in a measurement. Stored once, for any number of fields. */
export const tagSet = sqliteTable("tag_set", {
  id: integer("id").primaryKey(),
  deviceId: integer("device_id").notNull(),
  measurement: text("measurement").notNull(),
  database: text("database").notNull(),
  retentionPolicy: text("retention_policy").notNull(),
  /** JSON object with sorted keys, so that equal tag sets are equal texts. */
  tags: text("tags").notNull(),
}, (t) => [
  unique("tag_set_of_place").on(t.deviceId, t.measurement, t.database, t.retentionPolicy, t.tags),
  // A query walks the tag sets of a place in the order of their ids; this index has short keys.
  index("tag_set_in_place").on(t.deviceId, t.measurement, t.database, t.retentionPolicy),
]);

/** One field of one tag set: one line in a chart. */
export const series = sqliteTable("series", {
  /** Never given again: another file may have points of a series that was deleted. */
  id: integer("id").primaryKey({ autoIncrement: true }),
  tagSetId: integer("tag_set_id").notNull(),
  field: text("field").notNull(),
  /** `number`, `boolean` or `string`: a field keeps the kind of its first write. */
  kind: text("kind").notNull(),
  /**
   * With a telemetry engine: the day of the newest point, counted from 1970-01-01. Retention sees from it that all
   * points have expired.
   */
  lastDay: integer("last_day"),
}, (t) => [
  unique("series_of_field").on(t.tagSetId, t.field),
  index("series_by_last_day").on(t.lastDay).where(sql`${t.lastDay} IS NOT NULL`),
  check("series_kind", sql`${t.kind} IN ('number', 'boolean', 'string')`),
]);

/** One value. Without rowid, so that a range of a series is read in order from neighbouring pages. */
export const point = sqliteTable("point", {
  seriesId: integer("series_id").notNull(),
  /** Nanoseconds since 1970: beyond 2^53, so it is handled as SQL integers and JSON text. */
  time: integer("time").notNull(),
  /** INTEGER or REAL, 0 or 1, or TEXT, by the series' kind. Declared as a blob, the one type that converts nothing. */
  value: blob("value").notNull(),
}, (t) => [primaryKey({ columns: [t.seriesId, t.time] })]);

/**
 * The level of each leaky bucket, as of `at`. `user_id` is its owner: a user, or minus the id of a role, for all keys of
 * that role. The ids of users are positive, so the two never collide. That of a user is deleted with the account; the
 * purge deletes all that have not been used for a day.
 */
export const rateBucket = sqliteTable("rate_bucket", {
  userId: integer("user_id").primaryKey(),
  level: real("level").notNull(),
  /** In milliseconds. */
  at: integer("at").notNull(),
}, (t) => [index("rate_bucket_by_time").on(t.at)]);

/**
 * Points of the last two hours, in the order in which a fleet's arrive: those of a slot lie together, so that a minute
 * of many devices fills few pages. Without rowid.
 */
export const recentPoint = sqliteTable("recent_point", {
  /** Two minutes, counted from 1970. */
  slot: integer("slot").notNull(),
  seriesId: integer("series_id").notNull(),
  time: integer("time").notNull(),
  /** As in `point`. */
  value: blob("value").notNull(),
}, (t) => [primaryKey({ columns: [t.slot, t.seriesId, t.time] })]);

/** An hour of a series, carried over from `recent_point`. Hours follow each other, so that new ones fill new pages. */
export const block = sqliteTable("block", {
  /** The hour since 1970 times 2^36, plus the id of the series. */
  id: integer("id").primaryKey(),
  /** Offsets in the hour, separated by commas, then a tab before each value (`carry_queries.ts`). */
  points: text("points").notNull(),
});

/** The hours since 1970 in which a series may have blocks. */
export const blockRange = sqliteTable("block_range", {
  seriesId: integer("series_id").primaryKey(),
  firstHour: integer("first_hour").notNull(),
  lastHour: integer("last_hour").notNull(),
});

/** What is kept of an hour of a series beyond the retention of its points. Without rowid. */
export const hourSummary = sqliteTable("hour_summary", {
  seriesId: integer("series_id").notNull(),
  /** Hours since 1970. */
  hour: integer("hour").notNull(),
  /** `HourSummary` as text. */
  summary: text("summary").notNull(),
}, (t) => [primaryKey({ columns: [t.seriesId, t.hour] })]);

/** How far points are carried over: one row, which the job creates. */
export const carryState = sqliteTable(
  "carry_state",
  {
    id: integer("id").primaryKey(),
    /** The first hour since 1970 that may have recent points. */
    hour: integer("hour").notNull(),
    /** 0: the hour takes points. 1: they are being copied, up to `copiedTo`. 2: they are being deleted. */
    phase: integer("phase").notNull(),
    /** Id of the last series whose points are copied. */
    copiedTo: integer("copied_to").notNull(),
  },
  (
    t,
  ) => [
    check("carry_state_only", sql`${t.id} = 1`),
    check("carry_state_phase", sql`${t.phase} IN (0, 1, 2)`),
  ],
);

/**
 * The series whose points count to a root role: that which their device counts to. Triggers add those of new series
 * (`triggers/series.sql`); a file for points has copies.
 */
export const countedSeries = sqliteTable("counted_series", {
  seriesId: integer("series_id").primaryKey(),
  rootId: integer("root_id").notNull(),
});

/** The bytes of `point` and `block` by the root that they count to, which triggers keep. Recent points do not count yet. */
export const rootPoints = sqliteTable("root_points", {
  rootId: integer("root_id").primaryKey(),
  bytes: integer("bytes").notNull().default(0),
}, (t) => [index("root_points_by_bytes").on(t.bytes)]);
