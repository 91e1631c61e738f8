import { defineStatement, type Statement } from "../db/statement.ts";
import { sessionLives } from "../identity/security_queries.ts";

/** SQL: rows of a table that are the actor's, while his session lives. */
function ownRows(columns: string, table: string, order: string): Statement {
  return defineStatement(`
    SELECT ${columns} FROM session acting CROSS JOIN ${table} own ON own.user_id = acting.user_id
    WHERE ${sessionLives("acting")} ORDER BY ${order}`);
}

/** The account itself; no row when the actor's session is over. */
export const EXPORT_ACCOUNT: Statement = defineStatement(`
  SELECT account.id, account.email, account.language, account.created_at AS createdAt,
    account.password_hash IS NOT NULL AS hasPassword, account.password_changed_at AS passwordChangedAt
  FROM session acting CROSS JOIN user_account account ON account.id = acting.user_id
  WHERE ${sessionLives("acting")}`);

/**
 * What else is held about a user, by the name of its list in the export. Never a hash, an HMAC, a sealed secret or what
 * else would let somebody in.
 */
export const EXPORT_LISTS: Readonly<Record<string, Statement>> = {
  membership: defineStatement(`
    SELECT own.id, own.role_id AS roleId, role.name AS roleName
    FROM session acting CROSS JOIN member own ON own.user_id = acting.user_id CROSS JOIN role ON role.id = own.role_id
    WHERE ${sessionLives("acting")} ORDER BY own.id`),
  session: ownRows(
    `own.id, own.created_at AS createdAt, own.authenticated_at AS authenticatedAt, own.last_token_at AS lastTokenAt,
    own.expires_at AS expiresAt, own.client, own.ended_at AS endedAt, own.ended_reason AS endedReason`,
    "session",
    "own.created_at, own.id",
  ),
  pendingSignIn: ownRows(
    "own.authenticated_at AS authenticatedAt, own.expires_at AS expiresAt, own.client, own.ended_at AS endedAt",
    "partial_login",
    "own.expires_at",
  ),
  knownAddress: ownRows(
    "own.address, own.last_sign_in_at AS lastSignInAt",
    "known_address",
    "own.address",
  ),
  secondFactor: ownRows(
    `own.kind, own.email, own.activated_at AS activatedAt, own.pending_email AS pendingEmail,
    own.pending_until AS pendingUntil, own.last_mail_at AS lastMailAt, own.failures`,
    "second_factor",
    "own.kind",
  ),
  recoveryCode: ownRows("own.position, own.used_at AS usedAt", "recovery_code", "own.position"),
  code: ownRows(
    "own.purpose, own.email, own.created_at AS createdAt, own.expires_at AS expiresAt, own.ended_at AS endedAt",
    "one_time_code",
    "own.created_at",
  ),
  passwordLink: ownRows(
    "own.purpose, own.created_at AS createdAt, own.expires_at AS expiresAt, own.ended_at AS endedAt",
    "password_link",
    "own.id",
  ),
  undoLink: ownRows(
    "own.email, own.created_at AS createdAt, own.expires_at AS expiresAt, own.ended_at AS endedAt",
    "undo_link",
    "own.created_at",
  ),
  reservedEmail: defineStatement(`
    SELECT reserved.email, reserved.reserved_until AS reservedUntil
    FROM session acting CROSS JOIN undo_link own ON own.user_id = acting.user_id
      CROSS JOIN reserved_email reserved ON reserved.email = own.email AND reserved.user_id = own.user_id
    WHERE ${sessionLives("acting")} ORDER BY reserved.email`),
  mail: defineStatement(`
    SELECT mailed.template, mailed.language, mailed.recipient, mailed.created_at AS createdAt,
      mailed.delivered_at AS deliveredAt
    FROM session acting CROSS JOIN security_event own ON own.user_id = acting.user_id
      CROSS JOIN outbox mailed ON mailed.id = own.op_id
    WHERE ${sessionLives("acting")} ORDER BY own.id`),
};
