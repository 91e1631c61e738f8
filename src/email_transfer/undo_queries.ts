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

/** SQL: the address to restore, from the link's row. */
const OLD_EMAIL = `(SELECT email FROM undo_link WHERE mac IN (SELECT value FROM json_each(:macs)))`;

/**
 * Undoes a transfer. The account gets its old address back, and loses its sessions, its pending codes and links, and
 * its password, which may be an attacker's. Returns a row if the link is valid. `:macs` is a JSON list with the HMAC of
 * the token under each key.
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
