import { defineStatement, type Statement } from "../db/statement.ts";

/** The account of a link that still serves. `:macs` is a JSON list: the token's HMAC under each key. */
export const FIND_LINK: Statement = defineStatement(`
  SELECT user_account.email FROM password_link CROSS JOIN user_account ON user_account.id = password_link.user_id
  WHERE password_link.mac IN (SELECT value FROM json_each(:macs))
    AND password_link.ended_at IS NULL AND password_link.expires_at > :now`);

const REDEEMED = "(SELECT user_id FROM security_event WHERE op_id = :opId)";

/**
 * Redeems a link: of many requests at once one finds it live. Sets the password, ends the user's links and sessions, and
 * mails him. Ends in a row if the link was good.
 */
export const REDEEM_LINK: readonly Statement[] = [
  defineStatement(`
    INSERT INTO security_event (op_id, at, event, result, actor_id, user_id, address)
    SELECT :opId, :now, 'password.' || password_link.purpose || '_link', 'ok', user_account.id, user_account.id, :address
    FROM password_link CROSS JOIN user_account ON user_account.id = password_link.user_id
    WHERE password_link.mac IN (SELECT value FROM json_each(:macs))
      AND password_link.ended_at IS NULL AND password_link.expires_at > :now LIMIT 1`),
  defineStatement(
    `UPDATE user_account SET password_hash = :passwordHash, password_changed_at = :now WHERE id = ${REDEEMED}`,
  ),
  defineStatement(
    `UPDATE password_link SET ended_at = :now WHERE user_id = ${REDEEMED} AND ended_at IS NULL`,
  ),
  defineStatement(`
    UPDATE session SET ended_at = :now, ended_reason = 'password_reset', ended_op = :opId
    WHERE user_id = ${REDEEMED} AND ended_at IS NULL`),
  defineStatement(`
    INSERT INTO outbox (id, created_at, template, language, recipient, expires_at)
    SELECT :opId, :now, 'password_set', language, email, :mailExpiresAt FROM user_account WHERE id = ${REDEEMED}`),
  defineStatement(`SELECT result FROM security_event WHERE op_id = :opId`),
];
