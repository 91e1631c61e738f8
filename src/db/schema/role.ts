import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, sqliteTable, text, unique } from "drizzle-orm/sqlite-core";

/**
 * The last id given out per sequence: `node` for roles and devices, `relation` for manages, member and monitors
 * relations. Counted up in the batch that inserts, so that ids are never reused and a failed batch costs none.
 */
export const idSequence = sqliteTable("id_sequence", {
  name: text("name").primaryKey(),
  lastId: integer("last_id").notNull(),
});

/** A node of the hierarchy. `self_rights`: the rights the role has on itself, as a 6-bit mask (`role/rights.ts`). */
export const role = sqliteTable("role", {
  id: integer("id").primaryKey(),
  name: text("name").notNull(),
  selfRights: integer("self_rights").notNull(),
  /** Made by the administrator: needs no relation that enters it, is never deleted by a cascade. */
  isRoot: integer("is_root").notNull().default(0),
  /** What `childRolePassword` is checked against (PHC string), and the most that a relation made with it may carry. */
  passwordHash: text("password_hash"),
  passwordRights: integer("password_rights"),
}, (t) => [
  check("role_self_rights_mask", sql`${t.selfRights} BETWEEN 0 AND 63`),
  index("role_by_name").on(t.name, t.id),
]);

/** A relation parent -> child with the rights it lets through. */
export const manages = sqliteTable("manages", {
  id: integer("id").primaryKey(),
  parentId: integer("parent_id").notNull(),
  childId: integer("child_id").notNull(),
  rights: integer("rights").notNull(),
  /** Made with the child's password by somebody who could not have made it without: the child can end it. */
  byPassword: integer("by_password").notNull().default(0),
}, (t) => [
  unique("manages_of_pair").on(t.parentId, t.childId),
  index("manages_into_child").on(t.childId, t.parentId, t.rights),
  index("manages_of_parent").on(t.parentId, t.id),
  check("manages_rights_mask", sql`${t.rights} BETWEEN 0 AND 63`),
  check("manages_not_self", sql`${t.parentId} <> ${t.childId}`),
]);

/** A direct membership. */
export const member = sqliteTable("member", {
  id: integer("id").primaryKey(),
  roleId: integer("role_id").notNull(),
  userId: integer("user_id").notNull(),
}, (t) => [
  unique("member_of_user").on(t.userId, t.roleId),
  index("member_of_role").on(t.roleId, t.id),
]);

/**
 * The materialized rights: one row for each pair of roles that some path joins, with the union over all paths of the
 * rights that every relation on the path carries; 0 is membership without a right. No row joins a role to itself.
 * Without rowid, keyed both ways (the migration says so; Drizzle has no word for it).
 */
export const roleClosure = sqliteTable("role_closure", {
  descendantId: integer("descendant_id").notNull(),
  ancestorId: integer("ancestor_id").notNull(),
  rights: integer("rights").notNull(),
}, (t) => [
  primaryKey({ columns: [t.descendantId, t.ancestorId] }),
  index("role_closure_by_ancestor").on(t.ancestorId, t.descendantId, t.rights),
]);

/**
 * One row per decided change of the graph, denials included. It is the decision that later statements of the same
 * batch read, the audit record, the revision number, and, by its operation id, the proof that a write happened.
 */
export const changeLog = sqliteTable("change_log", {
  rev: integer("rev").primaryKey({ autoIncrement: true }),
  opId: text("op_id").notNull().unique(),
  at: integer("at").notNull(),
  actorId: integer("actor_id").notNull(),
  sessionId: text("session_id").notNull(),
  kind: text("kind").notNull(),
  /** `ok`, `noop`, or why it was refused: `role/decision.ts` names them all. */
  decision: text("decision").notNull(),
  /**
   * What the later statements of the batch do: `none`, `grow`, `shrink`, `delete`, `write`. `compare`: an attempt with a
   * role's password, refused unless the password proves right; then the row of the decision takes its place.
   */
  effect: text("effect").notNull(),
  parentId: integer("parent_id"),
  /** The role the change is about: the child of the relation, the role created or updated, the role of the member. */
  roleId: integer("role_id"),
  relationId: integer("relation_id"),
  /** The user that a change of membership is about. */
  subjectId: integer("subject_id"),
  /** The device that a change is about. */
  deviceId: integer("device_id"),
  oldRights: integer("old_rights"),
  newRights: integer("new_rights"),
  /** Greatest number of closure rows the change could touch, as the bound counts them. */
  cost: integer("cost"),
  /** The role that the change would leave without a role that manages it. */
  blockedRoleId: integer("blocked_role_id"),
  /** JSON arrays of the ids that a deletion takes with it. */
  deletedRoleIds: text("gone_role_ids"),
  deletedDeviceIds: text("gone_device_ids"),
  deletedRelationIds: text("gone_relation_ids"),
  /** JSON: the names and self rights that the change set or replaced. */
  details: text("details"),
}, (t) => [
  index("change_log_by_time").on(t.at),
  index("change_log_denied").on(t.at).where(sql`decision NOT IN ('ok', 'noop')`),
]);

/**
 * What a client's `Idempotency-Key` stands for: the change that was made under it, and what the request said (SHA-256).
 * Written in the batch of the change, so a refused request leaves no key behind. Void once `expires_at` is reached.
 */
export const idempotencyKey = sqliteTable("idempotency_key", {
  userId: integer("user_id").notNull(),
  key: text("key").notNull(),
  opId: text("op_id").notNull(),
  fingerprint: text("fingerprint").notNull(),
  expiresAt: integer("expires_at").notNull(),
}, (t) => [
  primaryKey({ columns: [t.userId, t.key] }),
  index("idempotency_key_by_expiry").on(t.expiresAt),
]);
