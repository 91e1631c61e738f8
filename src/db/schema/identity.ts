import { sql } from "drizzle-orm/sql/sql";
import { integer } from "drizzle-orm/sqlite-core/columns/integer";
import { text } from "drizzle-orm/sqlite-core/columns/text";
import { index, uniqueIndex } from "drizzle-orm/sqlite-core/indexes";
import { primaryKey } from "drizzle-orm/sqlite-core/primary-keys";
import { sqliteTable } from "drizzle-orm/sqlite-core/table";
import { unique } from "drizzle-orm/sqlite-core/unique-constraint";

/** Times are milliseconds since the Unix epoch in every table. */

/** A user. `email` is the normalized address: the spelling that is compared, shown and mailed to. */
export const userAccount = sqliteTable("user_account", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  email: text("email").notNull().unique(),
  language: text("language").notNull().default("en"),
  /** PHC string (Argon2id); null until the first password is set. */
  passwordHash: text("password_hash"),
  passwordChangedAt: integer("password_changed_at"),
  /** Number of changes of password, address and factors. Sudo and partial tokens of an older version are void. */
  securityVersion: integer("security_version").notNull().default(0),
  createdAt: integer("created_at").notNull(),
  /** Its id in the system that it was imported from. Only imports set it. */
  externalId: text("external_id"),
  /** The name that its owner, or an import, gave; null: none, empty: its owner removed it. The address identifies the person. */
  name: text("name"),
}, (t) => [
  uniqueIndex("user_account_by_external_id").on(t.externalId).where(sql`external_id IS NOT NULL`),
  index("user_account_unopened").on(t.createdAt).where(sql`password_hash IS NULL`),
]);

/** One sign-in and its chain of refresh tokens. Live while it is not ended and `idle_until` is in the future. */
export const session = sqliteTable("session", {
  id: text("id").primaryKey(),
  userId: integer("user_id").notNull(),
  /** SHA-256 of the random family id in the refresh tokens; the family id itself is never stored. */
  familyHash: text("family_hash").notNull(),
  /** Counts refresh tokens. The one of this generation is the current one. */
  generation: integer("generation").notNull().default(1),
  /** Tokens between the current one and its parent: successors of the parent that were replaced unused. */
  skipped: integer("skipped").notNull().default(0),
  /** When the current token was issued by a rotation, and the HMAC of the client network that it was issued to. */
  issuedAt: integer("issued_at"),
  issuedTo: text("issued_to"),
  /** First use of the current token. */
  usedAt: integer("used_at"),
  createdAt: integer("created_at").notNull(),
  /** When the password was proven, for `auth_time`. */
  authenticatedAt: integer("authenticated_at").notNull(),
  /** 1: password; 2: with a second factor (NIST SP 800-63B). */
  assuranceLevel: integer("assurance_level").notNull().default(1),
  /** What was shown since the sign-in, as a mask; see `identity/session_proof.ts`. */
  methods: integer("methods").notNull().default(1),
  /** The highest demand of a role for a second factor that was met since the sign-in; see `session_proof.ts`. */
  meets: integer("meets").notNull().default(0),
  /** Never later than `expires_at`, so this alone decides whether the session has expired. */
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
  index("session_open_of_user").on(t.userId, t.createdAt).where(sql`ended_at IS NULL`),
  index("session_by_end").on(t.idleUntil),
]);

/**
 * Client addresses from which a user has signed in or reset their password. They are throttled separately, so that
 * strangers cannot lock the user out.
 */
export const knownAddress = sqliteTable("known_address", {
  userId: integer("user_id").notNull(),
  address: text("address").notNull(),
  lastSignInAt: integer("last_sign_in_at").notNull(),
}, (t) => [
  primaryKey({ columns: [t.userId, t.address] }),
  index("known_address_by_sign_in").on(t.lastSignInAt),
]);

/** A mailed link that sets a password. Only an HMAC of its token is stored. */
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

/**
 * The audit log of account security: one row per decided attempt, written in the batch that decides it. Equal refusals,
 * except guesses, share a row. No secrets.
 */
export const securityEvent = sqliteTable("security_event", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  opId: text("op_id").notNull().unique(),
  at: integer("at").notNull(),
  event: text("event").notNull(),
  result: text("result").notNull(),
  actorId: integer("actor_id"),
  /** The account concerned; null if the submitted address has none. */
  userId: integer("user_id"),
  sessionId: text("session_id"),
  address: text("address"),
  /** The number of equal events of one minute in this row; see `recordEvent`. */
  attempts: integer("attempts").notNull().default(1),
  /** Refusals with the same key share a row. Null: the row is of one operation. */
  mergeKey: text("merge_key"),
}, (t) => [
  uniqueIndex("security_event_merged").on(t.mergeKey).where(sql`merge_key IS NOT NULL`),
  index("security_event_of_user").on(t.userId, t.id),
  index("security_event_by_time").on(t.at),
  index("security_event_denied").on(t.at).where(sql`result <> 'ok'`),
]);

/** A sign-in with the right password that waits for its second factor. Ends with success or the fifth failure. */
export const partialLogin = sqliteTable("partial_login", {
  id: text("id").primaryKey(),
  userId: integer("user_id").notNull(),
  authenticatedAt: integer("authenticated_at").notNull(),
  securityVersion: integer("security_version").notNull(),
  expiresAt: integer("expires_at").notNull(),
  failures: integer("failures").notNull().default(0),
  client: text("client").notNull(),
  /** Whether the user had signed in from this client address before; otherwise it is a stranger's. */
  fromKnownAddress: integer("from_known_address").notNull().default(0),
  endedAt: integer("ended_at"),
}, (t) => [
  index("partial_login_of_user").on(t.userId),
  index("partial_login_open_of_user").on(t.userId, t.authenticatedAt).where(sql`ended_at IS NULL`),
  index("partial_login_by_expiry").on(t.expiresAt),
]);

/**
 * A short mailed code, of which only an HMAC is stored. Each purpose and subject has one live code; a new one replaces
 * it. The subject of a second factor's code is the session or partial login that requested it and alone may use it.
 * Otherwise it is a user's id, or the HMAC of a normalized address whose existence must not leak.
 */
export const oneTimeCode = sqliteTable("one_time_code", {
  purpose: text("purpose", {
    enum: ["password_reset", "email_otp.activation", "email_otp.challenge", "email_transfer"],
  })
    .notNull(),
  subject: text("subject").notNull(),
  mac: text("mac").notNull(),
  userId: integer("user_id"),
  /** For a transfer: the new address, and the session that requested the code. */
  email: text("email"),
  sessionId: text("session_id"),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
  guessesLeft: integer("guesses_left").notNull(),
  endedAt: integer("ended_at"),
}, (t) => [
  primaryKey({ columns: [t.purpose, t.subject] }),
  index("one_time_code_of_user").on(t.userId),
  index("one_time_code_by_expiry").on(t.expiresAt),
]);

/** A former address. No other account can take it before `reserved_until`, so that a transfer can be undone. */
export const reservedEmail = sqliteTable("reserved_email", {
  email: text("email").primaryKey(),
  userId: integer("user_id").notNull(),
  reservedUntil: integer("reserved_until").notNull(),
}, (t) => [
  index("reserved_email_by_expiry").on(t.reservedUntil),
]);

/**
 * A link, mailed to the old address, that restores it. No other change ends it. Only an HMAC of its token is stored.
 */
export const undoLink = sqliteTable("undo_link", {
  mac: text("mac").primaryKey(),
  userId: integer("user_id").notNull(),
  email: text("email").notNull(),
  /** When the transfer began: its code was requested. */
  begunAt: integer("begun_at"),
  /** The sessions that began and completed the transfer. */
  begunBy: text("begun_by"),
  completedBy: text("completed_by"),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
  endedAt: integer("ended_at"),
}, (t) => [
  index("undo_link_of_user").on(t.userId),
  index("undo_link_by_expiry").on(t.expiresAt),
]);

/**
 * A user's second factor; `identity/factors.ts` lists the kinds. While a new setup is pending, the active one keeps
 * working.
 */
export const secondFactor = sqliteTable("second_factor", {
  userId: integer("user_id").notNull(),
  kind: text("kind").notNull(),
  activatedAt: integer("activated_at"),
  /** The session that activated it. */
  activatedBy: text("activated_by"),
  /** The demand of a role that a session meets once it has shown this factor; not used for passkeys. */
  meets: integer("meets").notNull().default(0),
  /** Email OTP: the address that codes are mailed to. */
  email: text("email"),
  /** TOTP: sealed with AES-256-GCM, with the user's id as associated data. */
  sealedSecret: text("sealed_secret"),
  pendingEmail: text("pending_email"),
  pendingSealedSecret: text("pending_sealed_secret"),
  pendingUntil: integer("pending_until"),
  /** TOTP: the time step that was accepted last; neither it nor an earlier one is accepted again. */
  lastStep: integer("last_step"),
  /** The guess schedule. */
  failures: integer("failures").notNull().default(0),
  nextGuessAt: integer("next_guess_at").notNull().default(0),
  /**
   * Email OTP: consecutive mails, the time of the next one at the earliest, and the mails of the current day. Mails for
   * sign-ins from unknown addresses wait on their own, and count among those of the day.
   */
  mails: integer("mails").notNull().default(0),
  lastMailAt: integer("last_mail_at"),
  nextMailAt: integer("next_mail_at").notNull().default(0),
  mailDayStartedAt: integer("mail_day_started_at"),
  mailsOfDay: integer("mails_of_day").notNull().default(0),
  strangerMailsOfDay: integer("stranger_mails_of_day").notNull().default(0),
  strangerNextMailAt: integer("stranger_next_mail_at").notNull().default(0),
}, (t) => [
  primaryKey({ columns: [t.userId, t.kind] }),
  index("second_factor_pending").on(t.pendingUntil).where(sql`pending_until IS NOT NULL`),
]);

/** A user's recovery codes: Argon2id with one salt per set, single use. */
export const recoveryCode = sqliteTable("recovery_code", {
  userId: integer("user_id").notNull(),
  position: integer("position").notNull(),
  hash: text("hash").notNull(),
  usedAt: integer("used_at"),
}, (t) => [
  primaryKey({ columns: [t.userId, t.position] }),
]);

/** A passkey (W3C WebAuthn Level 3, 4, "credential record"). Its factor is the row `passkey` of `second_factor`. */
export const passkey = sqliteTable("passkey", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  userId: integer("user_id").notNull(),
  /** In base64url, like the key. */
  credentialId: text("credential_id").notNull().unique(),
  /** In the format COSE_Key (RFC 9052). */
  publicKey: text("public_key").notNull(),
  /** The account as authenticators know it: 32 random bytes, the same for all passkeys of an account. */
  userHandle: text("user_handle").notNull(),
  name: text("name").notNull(),
  /** The signature counter; 0 if the authenticator has none. */
  counter: integer("counter").notNull(),
  /** JSON list of the ways to reach the authenticator. */
  transports: text("transports").notNull(),
  /** Whether the authenticator verified its user when the passkey was made. Only then does it count as two factors. */
  uvInitialized: integer("uv_initialized").notNull(),
  /** Whether it can be copied to other devices of the user, and is. */
  backupEligible: integer("backup_eligible").notNull(),
  backedUp: integer("backed_up").notNull(),
  createdAt: integer("created_at").notNull(),
  /** The session that made it. */
  createdBy: text("created_by").notNull(),
  lastUsedAt: integer("last_used_at"),
  /** The demand of a role that a session meets once it has shown this passkey. */
  meets: integer("meets").notNull().default(0),
}, (t) => [
  index("passkey_of_user").on(t.userId, t.id),
]);

/** The challenges that were answered. Each is sealed, so one that was only asked for has no row. */
export const usedChallenge = sqliteTable("used_challenge", {
  id: text("id").primaryKey(),
  expiresAt: integer("expires_at").notNull(),
}, (t) => [
  index("used_challenge_by_expiry").on(t.expiresAt),
]);

/**
 * A mailed link that confirms a factor, so that it can meet demands of roles. Only an HMAC of its token is stored. It
 * works while its factor is the one that was activated then.
 */
export const factorLink = sqliteTable("factor_link", {
  mac: text("mac").primaryKey(),
  userId: integer("user_id").notNull(),
  kind: text("kind").notNull(),
  /** The passkey, if it is one. */
  passkeyId: integer("passkey_id"),
  /** When the factor was activated. */
  activatedAt: integer("activated_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
}, (t) => [
  index("factor_link_of_user").on(t.userId),
  index("factor_link_by_expiry").on(t.expiresAt),
]);

/** A deleted account whose memberships are still to be ended: until its last step, other readers must not count them. */
export const departure = sqliteTable("departure", {
  userId: integer("user_id").primaryKey(),
  /** Of the deletion, whose event stays in the log. */
  opId: text("op_id").notNull().unique(),
  /** The session that deleted the account. */
  sessionId: text("session_id").notNull(),
});
