import { SECOND_MS } from "../core/clock.ts";
import { defineStatement, type Statement } from "../db/statement.ts";
import { DELIVERY_CLAIM_SIZE, DELIVERY_LEASE_SECONDS, DROP_BATCH, GIVE_UP_SECONDS } from "./lifetimes.ts";
import { STORED_MESSAGE_COLUMNS } from "./stored_message.ts";

/** SQL: of the index of mails that are still to be delivered; those that somebody is delivering now are not due. */
const DUE = "delivered_at IS NULL AND dropped_at IS NULL AND next_attempt_at <= :now";

const GIVE_UP_MS = GIVE_UP_SECONDS * SECOND_MS;

/** SQL: nobody is to get it any more, or ever was. */
const DEAD = `(recipient IS NULL OR expires_at <= :now OR created_at <= :now - ${GIVE_UP_MS})`;

/** A row if there is anything to do: a read costs a fraction of a write. */
export const FIND_DUE: Statement = defineStatement(`SELECT 1 AS due FROM outbox WHERE ${DUE} LIMIT 1`);

/** Gives up what cannot be delivered any more, and wipes its secrets. Answers a row for each. */
export const DROP_DEAD: Statement = defineStatement(`
  UPDATE outbox SET dropped_at = :now, sealed_params = NULL
  WHERE id IN (SELECT id FROM outbox WHERE ${DUE} AND ${DEAD} LIMIT ${DROP_BATCH})
  RETURNING id, template, attempts, recipient IS NULL AS nobody`);

/** Claims mails for as long as the lease: nobody else gets them meanwhile. Answers them. */
export const CLAIM_MAILS: Statement = defineStatement(`
  UPDATE outbox SET attempts = attempts + 1, next_attempt_at = :now + ${DELIVERY_LEASE_SECONDS * SECOND_MS}
  WHERE id IN (
    SELECT id FROM outbox WHERE ${DUE} AND NOT ${DEAD} ORDER BY next_attempt_at LIMIT ${DELIVERY_CLAIM_SIZE})
  RETURNING ${STORED_MESSAGE_COLUMNS}, brand, recipient, created_at AS createdAt, expires_at AS expiresAt, attempts`);

/** Notes that a mail was handed over, and wipes its secrets; a fact, whoever holds the lease by now. */
export const MARK_DELIVERED: Statement = defineStatement(`
  UPDATE outbox SET delivered_at = :now, sealed_params = NULL WHERE id = :id AND delivered_at IS NULL`);

/** SQL: the lease is still the one that `:attempts` counted. */
const MINE = "id = :id AND attempts = :attempts AND delivered_at IS NULL AND dropped_at IS NULL";

export const MARK_DROPPED: Statement = defineStatement(
  `UPDATE outbox SET dropped_at = :now, sealed_params = NULL WHERE ${MINE}`,
);

export const POSTPONE: Statement = defineStatement(
  `UPDATE outbox SET next_attempt_at = :nextAttemptAt WHERE ${MINE}`,
);
