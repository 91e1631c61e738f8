import { SECOND_MS } from "../core/clock.ts";
import { defineStatement, type Statement } from "../db/statement.ts";
import { DELIVERY_CLAIM_SIZE, DELIVERY_LEASE_SECONDS, DROP_BATCH, GIVE_UP_SECONDS } from "./lifetimes.ts";
import { STORED_MESSAGE_COLUMNS } from "./stored_message.ts";

/** SQL: undelivered mails whose time has come, served by an index. Mails under a lease are not due. */
const DUE = "delivered_at IS NULL AND dropped_at IS NULL AND next_attempt_at <= :now";

const GIVE_UP_MS = GIVE_UP_SECONDS * SECOND_MS;

/** SQL: the mail has no recipient, has expired, or was tried for too long. */
const DEAD = `(recipient IS NULL OR expires_at <= :now OR created_at <= :now - ${GIVE_UP_MS})`;

/** One row if any mail is due. This read costs a fraction of a write. */
export const FIND_DUE: Statement = defineStatement(`SELECT 1 AS due FROM outbox WHERE ${DUE} LIMIT 1`);

/** Drops mails that cannot be delivered any more, and wipes their secrets. Returns a row for each. */
export const DROP_DEAD: Statement = defineStatement(`
  UPDATE outbox SET dropped_at = :now, sealed_params = NULL
  WHERE id IN (SELECT id FROM outbox WHERE ${DUE} AND ${DEAD} LIMIT ${DROP_BATCH})
  RETURNING id, template, attempts, recipient IS NULL AS nobody`);

/** Claims mails and returns them. Nobody else gets them during the lease. */
export const CLAIM_MAILS: Statement = defineStatement(`
  UPDATE outbox SET attempts = attempts + 1, next_attempt_at = :now + ${DELIVERY_LEASE_SECONDS * SECOND_MS}
  WHERE id IN (
    SELECT id FROM outbox WHERE ${DUE} AND NOT ${DEAD} ORDER BY next_attempt_at LIMIT ${DELIVERY_CLAIM_SIZE})
  RETURNING ${STORED_MESSAGE_COLUMNS}, brand, recipient, created_at AS createdAt, expires_at AS expiresAt, attempts`);

/** Records that a mail was handed over, whoever holds the lease by now, and wipes its secrets. */
export const MARK_DELIVERED: Statement = defineStatement(`
  UPDATE outbox SET delivered_at = :now, sealed_params = NULL WHERE id = :id AND delivered_at IS NULL`);

/** SQL: the lease is still that of the attempt `:attempts`. */
const MINE = "id = :id AND attempts = :attempts AND delivered_at IS NULL AND dropped_at IS NULL";

export const MARK_DROPPED: Statement = defineStatement(
  `UPDATE outbox SET dropped_at = :now, sealed_params = NULL WHERE ${MINE}`,
);

export const POSTPONE: Statement = defineStatement(
  `UPDATE outbox SET next_attempt_at = :nextAttemptAt WHERE ${MINE}`,
);
