import { defineStatement, type Statement } from "../db/statement.ts";
import { STORED_MESSAGE_COLUMNS } from "./stored_message.ts";

/** The next page of mails that are still in the outbox, oldest first; `:recipient` null: to anybody. */
export const KEPT_MAILS_AFTER: Statement = defineStatement(`
  SELECT ${STORED_MESSAGE_COLUMNS}, created_at AS createdAt, recipient, expires_at AS expiresAt
  FROM outbox
  WHERE (created_at, id) > (:createdAt, :id) AND delivered_at IS NULL AND dropped_at IS NULL
    AND (:recipient IS NULL OR recipient = :recipient)
  ORDER BY created_at, id LIMIT :limit`);

/** Takes mails out of the outbox, given as a JSON list of ids, and wipes their secrets. */
export const TAKE_MAILS: Statement = defineStatement(`
  UPDATE outbox SET delivered_at = :now, sealed_params = NULL
  WHERE delivered_at IS NULL AND id IN (SELECT value FROM json_each(:ids))`);
