import { sql } from "drizzle-orm/sql/sql";
import { check } from "drizzle-orm/sqlite-core/checks";
import { integer } from "drizzle-orm/sqlite-core/columns/integer";
import { real } from "drizzle-orm/sqlite-core/columns/real";
import { text } from "drizzle-orm/sqlite-core/columns/text";
import { index, uniqueIndex } from "drizzle-orm/sqlite-core/indexes";
import { primaryKey } from "drizzle-orm/sqlite-core/primary-keys";
import { sqliteTable } from "drizzle-orm/sqlite-core/table";
import { unique } from "drizzle-orm/sqlite-core/unique-constraint";

// No table has foreign keys: what a deletion takes with it is decided and logged before it happens, and `closure:verify`
// finds the rows that keys would refuse.

/**
 * The last id of each sequence: `node` for roles and devices, `relation` for manages, member and monitors relations.
 * Incremented in the batch that inserts, so ids are never reused, and a failed batch uses none.
 */
export const idSequence = sqliteTable("id_sequence", {
  name: text("name").primaryKey(),
  lastId: integer("last_id").notNull(),
});

/**
 * What a role or device counts to in `root_usage`: the root role that its creator acted through, and the top branch of
 * their membership (`changes/chain_queries.ts`), null for one of that root. Both are null for roots and imported
 * roles. In a change log row, they say what the change is charged to.
 */
const counted = { countedTo: integer("counted_to"), countedFor: text("counted_for") };

/**
 * Who made a row, and through which role: the actor of the change that first made it, and `via_role_id` of its row in
 * the log. Both are null for an administrator's, an import's, and rows whose change is not on record.
 */
const given = { givenBy: integer("given_by"), givenVia: integer("given_via") };

/**
 * Who brought whom, down to the member (`changes/chain_queries.ts`). Never shown. All rows that are written without
 * one share a branch of no root.
 */
const brought = { chain: text("chain").notNull().default("0:0") };

/**
 * The second factor that a role demands of its members (`DEMAND_LEVELS`): `needs` from `needs_from` on, before that
 * `needs_before`. Without a time, `needs` holds at once. No level that holds at any time is above a `needs` of 0.
 */
const demand = {
  needs: integer("needs").notNull().default(0),
  needsBefore: integer("needs_before").notNull().default(0),
  needsFrom: integer("needs_from"),
};

/**
 * The id of a role or device in another system, unique among those of its kind with the same `external_root`: the oldest
 * root role above it when the id was set (`role/external_id_queries.ts`).
 */
const external = { externalId: text("external_id"), externalRoot: integer("external_root") };

/** A node of the hierarchy. `self_rights`: the rights of the role on itself, as a 6-bit mask (`graph/rights.ts`). */
export const role = sqliteTable("role", {
  id: integer("id").primaryKey(),
  name: text("name").notNull(),
  selfRights: integer("self_rights").notNull(),
  /** Created by an administrator: needs no manager, and no cascade deletes it. */
  isRoot: integer("is_root").notNull().default(0),
  /** The PHC string of `childRolePassword`, and the most rights that a relation made with it may carry. */
  passwordHash: text("password_hash"),
  passwordRights: integer("password_rights"),
  /** The user who set the password. It carries only what they could still give, and is void without a known user. */
  passwordSetBy: integer("password_set_by"),
  passwordSetAt: integer("password_set_at"),
  /** The role through which they set it; see `givenVia`. */
  passwordSetVia: integer("password_set_via"),
  ...demand,
  ...counted,
  ...external,
}, (t) => [
  uniqueIndex("role_by_external_id").on(t.externalId, t.externalRoot).where(sql`external_id IS NOT NULL`),
  check("role_self_rights_mask", sql`${t.selfRights} BETWEEN 0 AND 63`),
  index("role_by_name").on(t.name, t.id),
  /** For names by their beginning, in any case. */
  index("role_by_any_case").on(sql`name COLLATE NOCASE`),
  index("role_password_of_user").on(t.passwordSetBy).where(sql`password_set_by IS NOT NULL`),
]);

/** A relation parent -> child with the rights it lets through. */
export const manages = sqliteTable("manages", {
  id: integer("id").primaryKey(),
  parentId: integer("parent_id").notNull(),
  childId: integer("child_id").notNull(),
  rights: integer("rights").notNull(),
  /** Made with the child's password by an actor who needed it: members of the child can delete the relation. */
  byPassword: integer("by_password").notNull().default(0),
  ...given,
}, (t) => [
  unique("manages_of_pair").on(t.parentId, t.childId),
  // What a principal gave, by role: readers look up each role of their own, whatever was given elsewhere.
  index("manages_of_giver").on(t.givenBy, t.childId).where(sql`given_by IS NOT NULL`),
  index("manages_of_giver_by_parent").on(t.givenBy, t.parentId).where(sql`given_by IS NOT NULL`),
  index("manages_into_child").on(t.childId, t.parentId, t.rights),
  index("manages_of_parent").on(t.parentId, t.id),
  check("manages_rights_mask", sql`${t.rights} BETWEEN 0 AND 63`),
  check("manages_not_self", sql`${t.parentId} <> ${t.childId}`),
]);

/** A direct membership: of a user, or of a key, whose principal id is minus its own id (`role_key`). */
export const member = sqliteTable("member", {
  id: integer("id").primaryKey(),
  roleId: integer("role_id").notNull(),
  /** The principal: the id of an account, or minus the id of a key. */
  userId: integer("user_id").notNull(),
  /** The most rights that the membership lets its holder use, on any role. */
  rights: integer("rights").notNull().default(63),
  /** The end, from which the row counts as absent. Null: none. */
  endsAt: integer("ends_at"),
  ...given,
  ...brought,
  /** What its role demands. Triggers copy it (`triggers/role.sql`). A key's is 0. */
  ...demand,
  /** The hour in which a session that acted by the membership last met `needs`. A trigger notes changes. */
  metAt: integer("met_at"),
  /** The end of which a mail told. Null: none did. */
  toldEnd: integer("told_end"),
}, (t) => [
  unique("member_of_user").on(t.userId, t.roleId),
  // By age, since a rowid follows each entry. The condition, which all rows meet, keeps it from other statements.
  index("member_by_age").on(t.userId).where(sql`chain <> ''`),
  // All that the guards read of a membership.
  index("member_acting").on(t.userId, t.roleId, t.endsAt, t.rights, t.needs, t.needsBefore, t.needsFrom),
  // The memberships of a user that may be dormant.
  index("member_demanding").on(t.userId, t.roleId).where(sql`needs > 0`),
  index("member_of_role").on(t.roleId, t.id),
  index("member_of_role_by_user").on(t.roleId, t.userId),
  index("member_by_end").on(t.endsAt).where(sql`ends_at IS NOT NULL`),
  index("member_of_giver").on(t.givenBy, t.roleId).where(sql`given_by IS NOT NULL`),
  // Memberships whose end a mail is to tell: a week later than one that was told, it is another end.
  index("member_end_untold").on(t.endsAt).where(
    sql`ends_at IS NOT NULL AND (told_end IS NULL OR ends_at >= told_end + 604800000)`,
  ),
]);

/**
 * A key: the secret of a program that is a member of one role. Its rights and its end are those of its `member` row.
 */
export const roleKey = sqliteTable("role_key", {
  /** Also the id of its `member` row. */
  id: integer("id").primaryKey(),
  roleId: integer("role_id").notNull(),
  name: text("name").notNull(),
  /** The beginning of the secret, by which people recognize it. */
  prefix: text("prefix").notNull(),
  /** HMAC of the secret. */
  secretMac: text("secret_mac").notNull(),
  /** It may ask about the access of others, like a manager of the roles that it reaches. */
  asks: integer("asks").notNull().default(0),
  /** It may add and remove members of its role and below, as far as its maker could. */
  provisions: integer("provisions").notNull().default(0),
  createdAt: integer("created_at").notNull(),
  /** The account that made it; null: an administrator. */
  createdBy: integer("created_by"),
  /** The hour of its latest use, in milliseconds. */
  lastUsedAt: integer("last_used_at"),
}, (t) => [
  index("role_key_of_role").on(t.roleId, t.id),
  index("role_key_of_maker").on(t.createdBy, t.createdAt).where(sql`created_by IS NOT NULL`),
]);

/**
 * The tombstone of a deleted key: the log names the key as long as it has rows by it. A trigger writes it
 * (`triggers/role_key.sql`), so no deletion can forget it.
 */
export const deletedKey = sqliteTable("deleted_key", {
  id: integer("id").primaryKey(),
  roleId: integer("role_id").notNull(),
  name: text("name").notNull(),
  createdBy: integer("created_by"),
  /** The revision of its deletion. */
  rev: integer("rev").notNull(),
}, (t) => [index("deleted_key_by_revision").on(t.rev)]);

/**
 * History of roles, relations and memberships. Triggers keep it (`triggers/`), so no writer can forget it.
 * A row was valid from revision `from_rev` up to, but not including, `to_rev`. A change has the revision of its batch's
 * row in the change log, which is inserted first.
 */
const validity = { fromRev: integer("from_rev").notNull(), toRev: integer("to_rev").notNull() };

/** `to_rev` of a row that is still valid: the greatest number that a client reads exactly. */
export const OPEN_REVISION = 9007199254740991;

/** Rows that are no longer valid. */
const CLOSED = sql.raw(`to_rev < ${OPEN_REVISION}`);

export const roleHistory = sqliteTable("role_history", {
  roleId: integer("role_id").notNull(),
  selfRights: integer("self_rights").notNull(),
  ...validity,
  name: text("name"),
  /** What the role demanded, and its external id, when the row ended; changes of these have no row of their own. */
  ...demand,
  ...external,
}, (t) => [
  primaryKey({ columns: [t.roleId, t.toRev] }),
  index("role_history_closed").on(t.toRev).where(CLOSED),
]);

export const managesHistory = sqliteTable("manages_history", {
  relationId: integer("relation_id").notNull(),
  parentId: integer("parent_id").notNull(),
  childId: integer("child_id").notNull(),
  rights: integer("rights").notNull(),
  ...validity,
  byPassword: integer("by_password").notNull().default(0),
  ...given,
}, (t) => [
  primaryKey({ columns: [t.relationId, t.toRev] }),
  index("manages_history_into_child").on(t.childId, t.toRev, t.fromRev, t.parentId, t.rights),
  // Of former relations alone: those of now are in `manages`, so that a new relation costs nothing more.
  index("manages_history_out_of_parent").on(t.parentId, t.relationId).where(CLOSED),
  index("manages_history_closed").on(t.toRev).where(CLOSED),
]);

export const memberHistory = sqliteTable("member_history", {
  memberId: integer("member_id").notNull(),
  roleId: integer("role_id").notNull(),
  userId: integer("user_id").notNull(),
  rights: integer("rights").notNull(),
  endsAt: integer("ends_at"),
  ...validity,
  ...given,
  ...brought,
}, (t) => [
  primaryKey({ columns: [t.memberId, t.toRev] }),
  index("member_history_of_user").on(t.userId, t.toRev),
  index("member_history_of_role").on(t.roleId, t.userId, t.toRev),
  index("member_history_closed").on(t.toRev).where(CLOSED),
  index("member_history_of_giver").on(t.givenBy, t.roleId).where(sql`given_by IS NOT NULL`),
  index("member_history_given_through").on(t.givenBy, t.givenVia, t.memberId).where(
    sql`given_by IS NOT NULL`,
  ),
]);

/**
 * The materialized rights: one row per pair of different roles that a path connects. A path lets the rights through
 * that all its relations carry; `rights` unites all paths, and 0 is membership without a right. Without rowid, indexed
 * both ways (see the migration; Drizzle cannot express it).
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
 * One row per decided change of the graph; equal refusals of a minute share one. It is the decision that later
 * statements of the batch read, the audit record, the revision number and, by its `op_id`, the proof that a write
 * happened.
 */
export const changeLog = sqliteTable("change_log", {
  rev: integer("rev").primaryKey({ autoIncrement: true }),
  opId: text("op_id").notNull().unique(),
  at: integer("at").notNull(),
  actorId: integer("actor_id").notNull(),
  /**
   * The role through which the actor acted: the oldest whose membership authorizes the change. Null for a refusal and
   * an administrator.
   */
  viaRoleId: integer("via_role_id"),
  sessionId: text("session_id").notNull(),
  kind: text("kind").notNull(),
  /** `ok`, `noop`, or the reason of the refusal, as listed in `changes/decision.ts`. */
  decision: text("decision").notNull(),
  /**
   * What the later statements of the batch do: `none`, `grow`, `shrink`, `delete`, `restore`, `write`, `update`. `compare` is an
   * unsettled attempt with a role's password, which counts as refused; `abandoned` is one whose password was not
   * compared. `part` is what a transfer of several devices, whose row comes before it, does to one of them.
   */
  step: text("step").notNull(),
  /** The parent of the relation or of the created role; the role through which a password was set. */
  parentId: integer("parent_id"),
  /** The role the change is about: the child of the relation, the role created or updated, the role of the member. */
  roleId: integer("role_id"),
  relationId: integer("relation_id"),
  /** The user whose membership changes, or whose access ends (`access.end`). */
  subjectId: integer("subject_id"),
  /** The device concerned. */
  deviceId: integer("device_id"),
  oldRights: integer("old_rights"),
  newRights: integer("new_rights"),
  /**
   * Upper bound on the work of the change, in closure rows, which `CLOSURE_MAX_CHANGE` limits. For a change that a full
   * bucket refused: the seconds until there is room. For `needs_step_up`: the level that the session would have to meet.
   */
  cost: integer("cost"),
  /** The rows of the closure that the change added, less those that it removed. Null for none. */
  closureRows: integer("closure_rows"),
  /** The role that the change would leave without a manager. */
  blockedRoleId: integer("blocked_role_id"),
  /** JSON arrays of the ids that a deletion removes. */
  deletedRoleIds: text("gone_role_ids"),
  deletedDeviceIds: text("gone_device_ids"),
  deletedRelationIds: text("gone_relation_ids"),
  /**
   * JSON: for example the names and self rights that the change set or replaced, or who set the password that it used.
   */
  details: text("details"),
  /** Number of equal refusals, noops or previews of one minute that the row stands for; see `MERGE_TRIED`. */
  attempts: integer("attempts").notNull().default(1),
  /** Those with the same key share a row. Null: the row is of one operation. */
  mergeKey: text("merge_key"),
  /** The revision of the change that this one undoes. */
  undoes: integer("undoes"),
  ...counted,
}, (t) => [
  uniqueIndex("change_log_merged").on(t.mergeKey).where(sql`merge_key IS NOT NULL`),
  index("change_log_by_time").on(t.at),
  index("change_log_of_role").on(t.roleId, t.rev),
  index("change_log_of_parent").on(t.parentId, t.rev),
  index("change_log_previews").on(t.at).where(sql`kind LIKE '%.dry_run'`),
  // Whom `access.end` bars from every restore at and below its role, in later revisions than the deletion.
  index("change_log_of_ended").on(t.subjectId, t.roleId).where(sql`kind = 'access.end' AND decision = 'ok'`),
  // What has last changed the monitors relations of a device.
  index("change_log_of_device").on(t.deviceId, t.rev).where(
    sql`decision = 'ok' AND kind IN ('device.transfer', 'monitors.add', 'monitors.remove', 'monitors.update')`,
  ),
  index("change_log_denied").on(t.at).where(sql`decision NOT IN ('ok', 'noop')`),
]);

/**
 * What is stored below a root role, and how fast that grows. Each root has a row with the branch '' for the whole, and
 * one for each top branch that acts below it. Triggers on `role` and `device` keep the counts, so that no writer can forget
 * them (`triggers/`). `free_at` is a leaky bucket of bytes: the time at which it is empty, in milliseconds.
 */
export const rootUsage = sqliteTable("root_usage", {
  rootId: integer("root_id").notNull(),
  branch: text("branch").notNull(),
  roles: integer("roles").notNull().default(0),
  devices: integer("devices").notNull().default(0),
  freeAt: real("free_at").notNull().default(0),
}, (t) => [
  primaryKey({ columns: [t.rootId, t.branch] }),
  index("root_usage_unused").on(t.freeAt).where(sql`roles = 0 AND devices = 0`),
]);

/**
 * A client's `Idempotency-Key`: the change that was made under it, and the SHA-256 of the request. Written in the
 * batch of the change, so a refused request leaves no key behind. Void from `expires_at` on.
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
