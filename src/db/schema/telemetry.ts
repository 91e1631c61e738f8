import { sql } from "drizzle-orm";
import {
  blob,
  check,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  unique,
} from "drizzle-orm/sqlite-core";

/** What telemetry belongs to. Its id comes from the `node` sequence, as roles' do. */
export const device = sqliteTable("device", {
  id: integer("id").primaryKey(),
  /** The device's name for itself, unique and unchangeable; also in `properties`. */
  nodeId: text("node_id").notNull().unique(),
  /** JSON object, answered as it was given. */
  properties: text("properties").notNull(),
  /** Last change of `properties`, in milliseconds. */
  updatedAt: integer("updated_at").notNull(),
  /** Telemetry was written, or is about to be: what the device leaves behind has to be looked for. */
  hasPoints: integer("has_points").notNull().default(0),
});

/** Role -> device: the role and all above it may read the device's telemetry. Ids from the `relation` sequence. */
export const monitors = sqliteTable("monitors", {
  id: integer("id").primaryKey(),
  roleId: integer("role_id").notNull(),
  deviceId: integer("device_id").notNull(),
}, (t) => [
  unique("monitors_of_pair").on(t.deviceId, t.roleId),
  index("monitors_of_role").on(t.roleId, t.id),
  // A page of a role's devices is read in the order of their ids.
  index("monitors_by_role").on(t.roleId, t.deviceId),
]);

/** A deleted device whose points may still be in the store. Until they are gone its nodeId is taken. */
export const deviceTombstone = sqliteTable("gone_device", {
  deviceId: integer("device_id").primaryKey(),
  nodeId: text("node_id").notNull().unique(),
  /** When it was deleted, in milliseconds. */
  deletedAt: integer("gone_at").notNull(),
}, (t) => [index("gone_device_by_time").on(t.deletedAt)]);

/** The tags that a device's points of one measurement were written with. Kept once, whatever number of fields they have. */
export const tagSet = sqliteTable("tag_set", {
  id: integer("id").primaryKey(),
  deviceId: integer("device_id").notNull(),
  measurement: text("measurement").notNull(),
  database: text("database").notNull(),
  retentionPolicy: text("retention_policy").notNull(),
  /** JSON object with its keys in order, so that equal tag sets are equal texts. */
  tags: text("tags").notNull(),
}, (t) => [
  unique("tag_set_of_place").on(t.deviceId, t.measurement, t.database, t.retentionPolicy, t.tags),
  // A query walks the tag sets of a place in the order of their ids, by keys that are short.
  index("tag_set_in_place").on(t.deviceId, t.measurement, t.database, t.retentionPolicy),
]);

/** One field of one tag set: what the points of one line in a chart have in common. */
export const series = sqliteTable("series", {
  id: integer("id").primaryKey(),
  tagSetId: integer("tag_set_id").notNull(),
  field: text("field").notNull(),
  /** `number`, `boolean` or `string`: a field keeps the kind that it was first written with. */
  kind: text("kind").notNull(),
  /** Where an engine keeps the points: the day (since 1970) of the newest, by which retention tells that all are gone. */
  lastDay: integer("last_day"),
}, (t) => [
  unique("series_of_field").on(t.tagSetId, t.field),
  index("series_by_last_day").on(t.lastDay).where(sql`${t.lastDay} IS NOT NULL`),
  check("series_kind", sql`${t.kind} IN ('number', 'boolean', 'string')`),
]);

/** One value. Without rowid, so that a range of a series is read in order from neighbouring pages. */
export const point = sqliteTable("point", {
  seriesId: integer("series_id").notNull(),
  /** Nanoseconds since 1970: beyond what a JS number holds, so SQL and JSON texts carry it. */
  time: integer("time").notNull(),
  /** By the series' kind: INTEGER or REAL, 0 or 1, TEXT. Declared as a blob, the one type that converts nothing. */
  value: blob("value").notNull(),
}, (t) => [primaryKey({ columns: [t.seriesId, t.time] })]);

/** How full each user's leaky bucket was when it was last looked at. */
export const rateBucket = sqliteTable("rate_bucket", {
  userId: integer("user_id").primaryKey(),
  level: real("level").notNull(),
  /** In milliseconds. */
  at: integer("at").notNull(),
}, (t) => [index("rate_bucket_by_time").on(t.at)]);
