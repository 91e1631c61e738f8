import { defineStatement, type Statement } from "../db/statement.ts";
import {
  CHANGED_USER,
  END_EARLIER_PROOFS,
  endAllSessions,
  mailChangedUser,
  READ_RESULT,
} from "../identity/security_queries.ts";
import { updateUser } from "../identity/user_queries.ts";
import { queueMail } from "../mail/queued_mail_queries.ts";

/** SQL: the address to restore, which the link tells. */
const OLD_EMAIL = `(SELECT email FROM undo_link WHERE mac IN (SELECT value FROM json_each(:macs)))`;

/**
 * Takes a transfer back: the account gets its address again and loses its password, which may be a thief's, all sessions
 * and whatever is pending. Ends in a row if the link was good. `:macs` is a JSON list: the token's HMAC under each key.
 */
export const UNDO_TRANSFER: readonly Statement[] = [
  defineStatement(`
    INSERT INTO security_event (op_id, at, event, result, actor_id, user_id, address)
    SELECT :opId, :now, 'email.undo', 'ok', account.id, account.id, :address
    FROM undo_link CROSS JOIN user_account account ON account.id = undo_link.user_id
    WHERE undo_link.mac IN (SELECT value FROM json_each(:macs))
      AND undo_link.ended_at IS NULL AND undo_link.expires_at > :now
      AND NOT EXISTS (SELECT 1 FROM user_account holder WHERE holder.email = undo_link.email) LIMIT 1`),
  queueMail({
    id: ":newMailId",
    template: "transfer_undone",
    language: "language",
    recipient: "email",
    expiresAt: ":mailExpiresAt",
    source: `FROM user_account WHERE id = ${CHANGED_USER}`,
  }),
  updateUser({ email: OLD_EMAIL, passwordHash: "NULL" }, `id = ${CHANGED_USER}`),
  defineStatement(`
    DELETE FROM reserved_email WHERE email = (SELECT email FROM user_account WHERE id = ${CHANGED_USER})`),
  defineStatement(
    `UPDATE undo_link SET ended_at = :now WHERE user_id = ${CHANGED_USER} AND ended_at IS NULL`,
  ),
  ...END_EARLIER_PROOFS,
  endAllSessions("transfer_undone"),
  mailChangedUser("transfer_undone"),
  READ_RESULT,
];
