import { SECOND_MS } from "../core/clock.ts";
import { defineStatement, probing, type Statement } from "../db/statement.ts";
import { dropFactors } from "../identity/factor/factor_queries.ts";
import { CHANGED_USER, mailChangedUser, updateUser } from "../identity/identity_text.ts";
import { endAllSessions, READ_RESULT } from "../identity/security_queries.ts";
import { queueMail } from "../mail/mail_text.ts";
import { deleteKeysMadeBy } from "../role/key/made_key_text.ts";
import { voidRolePasswords } from "../role/role_password_text.ts";
import { SUSPECT_SECONDS } from "./lifetimes.ts";

/** SQL: the link's row, which is that of its transfer. */
const OF_LINK = "FROM undo_link transfer WHERE transfer.mac IN (SELECT value FROM json_each(:macs))";

/**
 * The user of a live link. `:macs` is a JSON list with the HMAC of the token under each key. It is read before
 * `UNDO_TRANSFER`, which decides, so that invented links cause no write.
 */
export const FIND_UNDO_LINK = probing(defineStatement(`
  SELECT user_id AS userId FROM undo_link
  WHERE mac IN (SELECT value FROM json_each(:macs)) AND ended_at IS NULL AND expires_at > :now LIMIT 1`));

/** SQL: the address to restore. */
const OLD_EMAIL = `(SELECT transfer.email ${OF_LINK})`;

/** SQL: what the account set up from then on may be an attacker's, who is in the account before the transfer begins. */
const SUSPECT_SINCE = `(SELECT coalesce(transfer.begun_at, transfer.created_at) - ${
  SUSPECT_SECONDS * SECOND_MS
} ${OF_LINK})`;

/** SQL: a factor or set of recovery codes may be that of whoever made the transfer. */
const IS_SUSPECT = `(activated_at >= ${SUSPECT_SINCE}
  OR EXISTS (SELECT 1 ${OF_LINK} AND activated_by IN (transfer.begun_by, transfer.completed_by)))`;

/**
 * Undoes a transfer. The account gets its old address back. It loses its sessions, its pending codes and links, and
 * what may be an attacker's: its password, and the second factors, recovery codes, keys and passwords of roles that are
 * not clearly older than the transfer. Returns a row if the link is valid.
 * `:macs` is a JSON list with the HMAC of the token under each key.
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
  ...dropFactors(IS_SUSPECT),
  ...deleteKeysMadeBy({ user: CHANGED_USER, since: SUSPECT_SINCE }),
  ...voidRolePasswords({ user: CHANGED_USER, since: SUSPECT_SINCE }),
  endAllSessions("transfer_undone"),
  mailChangedUser("transfer_undone"),
  READ_RESULT,
];
