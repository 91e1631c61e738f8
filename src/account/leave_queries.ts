import { defineStatement, type Statement } from "../db/statement.ts";
import { CHANGED_USER, decideForActor, mailChangedUser } from "../identity/identity_text.ts";
import { READ_RESULT } from "../identity/security_queries.ts";
import { isLastKeeper } from "../role/member_text.ts";
import { memberLives } from "../role/guard_text.ts";
import { THROTTLE_SCOPES } from "../throttle/limits.ts";

/** SQL: the account is the last member that keeps a root role. */
const IS_LAST_OF_A_ROOT = `EXISTS (SELECT 1 FROM member own
  WHERE own.user_id = account.id AND ${isLastKeeper("own")})`;

/** SQL: a transfer of the account can still be undone. Until then, nobody who took it over may destroy it. */
const CAN_BE_UNDONE = `EXISTS (SELECT 1 FROM undo_link WHERE undo_link.user_id = account.id
  AND undo_link.ended_at IS NULL AND undo_link.expires_at > :now)`;

/** Counters under the account's id. Counters under the HMAC of its address reveal nobody, and expire. */
const OWN_SCOPES = [
  THROTTLE_SCOPES.ownPassword,
  THROTTLE_SCOPES.transferMailGap,
  THROTTLE_SCOPES.transferMailHour,
  THROTTLE_SCOPES.invitationByCaller,
  THROTTLE_SCOPES.preview,
  THROTTLE_SCOPES.evaluations,
  THROTTLE_SCOPES.rolePasswordOverRoles,
  THROTTLE_SCOPES.madeNotice,
];

/** Tables whose rows are deleted with their user. */
const OWN_TABLES = [
  "member",
  "session",
  "partial_login",
  "known_address",
  "second_factor",
  "recovery_code",
  "one_time_code",
  "password_link",
  "undo_link",
  "rate_bucket",
];

/**
 * Deletes the actor's account and all data about it. The logs stay. They keep the user's id, which is never reused, and
 * lose the addresses. The end of each membership is recorded, like every change of the graph, so that the managers of its
 * role read of it. Returns a `ResultRow`.
 */
export const LEAVE: readonly Statement[] = [
  decideForActor({
    event: "account.delete",
    proof: "fresh",
    verdict: `CASE WHEN ${IS_LAST_OF_A_ROOT} THEN 'root_without_member'
      WHEN ${CAN_BE_UNDONE} THEN 'transferred' ELSE 'ok' END`,
  }),
  mailChangedUser("account_deleted"),
  defineStatement(`
    INSERT INTO change_log (op_id, at, actor_id, session_id, kind, role_id, relation_id, subject_id, decision, effect,
      gone_relation_ids)
    SELECT :opId || ' ' || ending.id, :now, :actorId, :sessionId,
      CASE WHEN ${memberLives("ending")} THEN 'member.leave' ELSE 'member.end' END, ending.role_id, ending.id,
      ending.user_id, 'ok', 'delete', json_array(ending.id)
    FROM member ending WHERE ending.user_id = ${CHANGED_USER} ORDER BY ${memberLives("ending")}, ending.id`),
  defineStatement(`
    DELETE FROM reserved_email WHERE user_id = ${CHANGED_USER}
      AND email IN (SELECT email FROM undo_link WHERE user_id = ${CHANGED_USER})`),
  ...OWN_TABLES.map((table) => defineStatement(`DELETE FROM ${table} WHERE user_id = ${CHANGED_USER}`)),
  defineStatement(`
    DELETE FROM throttle WHERE scope IN (${OWN_SCOPES.map((scope) => `'${scope}'`).join(", ")})
      AND key = CAST(${CHANGED_USER} AS TEXT)`),
  defineStatement(`UPDATE security_event SET address = NULL WHERE user_id = ${CHANGED_USER}`),
  defineStatement(`DELETE FROM user_account WHERE id = ${CHANGED_USER}`),
  READ_RESULT,
];
