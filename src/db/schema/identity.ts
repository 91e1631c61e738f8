import { index, integer, primaryKey, sqliteTable, text, unique } from "drizzle-orm/sqlite-core";

/** Times are milliseconds since the Unix epoch in every table. */

/** A person. `email` is the normalized address: the one that is compared, shown and written to. */
export const userAccount = sqliteTable("user_account", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  email: text("email").notNull().unique(),
  language: text("language").notNull().default("en"),
  /** PHC string (Argon2id); null until the first password is set. */
  passwordHash: text("password_hash"),
  passwordChangedAt: integer("password_changed_at"),
  createdAt: integer("created_at").notNull(),
});

/** One sign-in and the chain of refresh tokens it leads to. Live while not ended and `idle_until` is ahead. */
export const session = sqliteTable("session", {
  id: text("id").primaryKey(),
  userId: integer("user_id").notNull(),
  /** SHA-256 of the random family id that the refresh tokens carry; the family id itself is never stored. */
  familyHash: text("family_hash").notNull(),
  /** Counts rotations. The refresh token of this generation is the current one. */
  generation: integer("generation").notNull().default(1),
  /** First use of the current generation, and of its predecessor. */
  usedAt: integer("used_at"),
  previousUsedAt: integer("previous_used_at"),
  createdAt: integer("created_at").notNull(),
  /** When the password was proven, for `auth_time`. */
  authenticatedAt: integer("authenticated_at").notNull(),
  /** 1: password; 2: with a second factor (NIST SP 800-63B). */
  assuranceLevel: integer("assurance_level").notNull().default(1),
  /** Never later than `expires_at`, so this alone decides whether the session is over. */
  idleUntil: integer("idle_until").notNull(),
  expiresAt: integer("expires_at").notNull(),
  lastTokenAt: integer("last_token_at").notNull(),
  client: text("client").notNull(),
  endedAt: integer("ended_at"),
  endedReason: text("ended_reason"),
  endedOp: text("ended_op"),
}, (t) => [
  unique("session_of_family").on(t.familyHash),
  index("session_of_user").on(t.userId, t.createdAt),
  index("session_by_end").on(t.idleUntil),
]);

/** Client addresses that a user has signed in from: throttled apart from strangers, so that nobody can lock him out. */
export const knownAddress = sqliteTable("known_address", {
  userId: integer("user_id").notNull(),
  address: text("address").notNull(),
  lastSignInAt: integer("last_sign_in_at").notNull(),
}, (t) => [
  primaryKey({ columns: [t.userId, t.address] }),
]);

/** A mailed link that sets a password. Only an HMAC of its token is kept. */
export const passwordLink = sqliteTable("password_link", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  mac: text("mac").notNull().unique(),
  purpose: text("purpose", { enum: ["invitation", "reset"] }).notNull(),
  userId: integer("user_id"),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
  endedAt: integer("ended_at"),
}, (t) => [
  index("password_link_of_user").on(t.userId),
  index("password_link_by_expiry").on(t.expiresAt),
]);

/** The audit log of account security: one row per decided attempt, in the batch that decides it. Never a secret. */
export const securityEvent = sqliteTable("security_event", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  opId: text("op_id").notNull().unique(),
  at: integer("at").notNull(),
  event: text("event").notNull(),
  result: text("result").notNull(),
  actorId: integer("actor_id"),
  /** The account the event is about; null where the submitted address has none. */
  userId: integer("user_id"),
  sessionId: text("session_id"),
  address: text("address"),
}, (t) => [
  index("security_event_of_user").on(t.userId, t.id),
  index("security_event_by_time").on(t.at),
]);
