import { sessionLives } from "../identity/security_queries.ts";

/**
 * Who acts under /v1: a user in a session, or a key. `:actorId` is the id of the account, or minus the id of the key,
 * and `:sessionId` the id of the session, or the HMAC of the key's secret. Account ids are positive, so nothing that is
 * kept by principal mixes them up.
 */

/** SQL: the membership has not ended. From its end on, a row counts as absent. Parameter: `:now`. */
export function memberLives(member: string): string {
  return `(${member}.ends_at IS NULL OR ${member}.ends_at > :now)`;
}

/**
 * SQL: the session is live, or the key exists, and so does its membership. Parameters: `:actorId`, `:sessionId`,
 * `:now`.
 */
export const PRINCIPAL_LIVES = `(EXISTS (SELECT 1 FROM session guard_session WHERE ${
  sessionLives("guard_session")
})
    OR EXISTS (SELECT 1 FROM role_key guard_key CROSS JOIN member guard_keyed ON guard_keyed.id = guard_key.id
      WHERE guard_key.id = -:actorId AND guard_key.secret_mac = :sessionId AND ${
  memberLives("guard_keyed")
}))`;

/** SQL: one row to decide from, without a table, for statements with the condition `PRINCIPAL_LIVES`. */
export const ONE_ROW = "(SELECT 1) principal";

/** SQL: the actor is a user. Keys make no keys, add no members, and neither set nor use role passwords. */
export const ACTOR_IS_USER = ":actorId > 0";

/**
 * SQL: the actor is a user without a current sudo token. The results of such a change outlast the session, so a recent
 * sign-in does not replace the token. Parameters: `:actorId`, `:sudoVersion` (null without a token).
 */
export const LACKS_SUDO = `(${ACTOR_IS_USER} AND NOT EXISTS (SELECT 1 FROM user_account guard_proven
    WHERE guard_proven.id = :actorId AND guard_proven.security_version = :sudoVersion))`;

/**
 * SQL: the same, for changes that make something. A factor that this session enrolled as the first proves only
 * possession of the session: a recent sign-in is enough to enrol it, so a thief with a stolen token could enrol their
 * own and step up with it, in this session or another one that they hold. It counts in sessions that began with the
 * password since. Further factors count: enrolling them took proof with an earlier one.
 */
export const LACKS_LASTING_PROOF = `(${LACKS_SUDO} OR coalesce((
    SELECT min(guard_enrolled.activated_by IS :sessionId OR EXISTS (SELECT 1 FROM session guard_since
      WHERE guard_since.id = :sessionId AND guard_since.authenticated_at < guard_enrolled.activated_at))
    FROM second_factor guard_enrolled
    WHERE guard_enrolled.user_id = :actorId AND guard_enrolled.kind IN ('totp', 'email_otp')
      AND guard_enrolled.activated_at IS NOT NULL), false))`;
