import { SECOND_MS } from "../core/clock.ts";
import { outbox } from "../db/schema/mail.ts";
import {
  assigned,
  columns,
  define,
  derived,
  int,
  placeholdersOf,
  row,
  rows,
  type SQL,
  sql,
  text,
} from "../db/sql.ts";
import {
  AGE_SAMPLE,
  DELIVERY_CLAIM_SIZE,
  DELIVERY_LEASE_SECONDS,
  DROP_BATCH,
  GIVE_UP_SECONDS,
} from "./lifetimes.ts";
import { STORED_MESSAGE } from "./outbox_queries.ts";

const { now, id, attempts } = placeholdersOf({ now: int, id: text, attempts: int });

/** The mail is undelivered and due, by an index. Mails under a lease are not due. */
function isDue({ deliveredAt, droppedAt, nextAttemptAt }: typeof outbox): SQL {
  return sql`${deliveredAt} IS NULL AND ${droppedAt} IS NULL AND ${nextAttemptAt} <= ${now}`;
}

const GIVE_UP_MS = GIVE_UP_SECONDS * SECOND_MS;

/** The mail has no recipient, has expired, or is too old for further attempts. */
function isDead({ recipient, expiresAt, createdAt }: typeof outbox): SQL {
  return sql`(${recipient} IS NULL OR ${expiresAt} <= ${now} OR ${createdAt} <= ${now} - ${GIVE_UP_MS})`;
}

/** Returns a row if any mail is due. Costs a fraction of a write. */
export const FIND_DUE = rows<{ readonly due: 1 }>()(
  { now: int },
  () => sql`SELECT 1 AS due FROM ${outbox} WHERE ${isDue(outbox)} LIMIT 1`,
);

/** The creation time of the oldest of the first mails that are still to be delivered; null if there are none. */
export const FIND_OLDEST = rows<{ readonly createdAt: number | null }>()({}, () => {
  const waiting = derived(outbox, "waiting", "createdAt");
  const { createdAt, deliveredAt, droppedAt, nextAttemptAt } = outbox;
  return sql`
  SELECT min(${waiting.createdAt}) AS createdAt
  FROM (
    SELECT ${createdAt} FROM ${outbox}
    WHERE ${deliveredAt} IS NULL AND ${droppedAt} IS NULL AND ${nextAttemptAt} >= 0
    LIMIT ${AGE_SAMPLE}) ${waiting}`;
});

const DROPPED = assigned(outbox, { droppedAt: now, sealedParams: sql`NULL` });

/** Drops dead mails, and wipes their secrets. Returns a row for each. */
export const DROP_DEAD = define({ now: int }, () => {
  const due = row(outbox, "due");
  return sql`
  UPDATE ${outbox} SET ${DROPPED}
  WHERE ${outbox.id} IN (
    SELECT ${due.id} FROM ${due} WHERE ${isDue(due)} AND ${isDead(due)} LIMIT ${DROP_BATCH})
  RETURNING ${outbox.id}, ${outbox.template}, ${outbox.attempts}, ${outbox.recipient} IS NULL AS hasNoAccount`;
});

const CLAIMED = columns(outbox, "brand", "recipient", "createdAt", "expiresAt", "attempts");

/** Claims mails and returns them. No other instance gets them during the lease. */
export const CLAIM_MAILS = define({ now: int }, () => {
  const due = row(outbox, "due");
  const claimed = assigned(outbox, {
    attempts: sql`${outbox.attempts} + 1`,
    nextAttemptAt: sql`${now} + ${DELIVERY_LEASE_SECONDS * SECOND_MS}`,
  });
  return sql`
  UPDATE ${outbox} SET ${claimed}
  WHERE ${outbox.id} IN (
    SELECT ${due.id} FROM ${due} WHERE ${isDue(due)} AND NOT ${isDead(due)}
    ORDER BY ${due.nextAttemptAt} LIMIT ${DELIVERY_CLAIM_SIZE})
  RETURNING ${STORED_MESSAGE}, ${CLAIMED}`;
});

/** Records a delivery and wipes the mail's secrets, even if the lease has passed to another instance. */
export const MARK_DELIVERED = define({ id: text, now: int }, () =>
  sql`
  UPDATE ${outbox} SET ${assigned(outbox, { deliveredAt: now, sealedParams: sql`NULL` })}
  WHERE ${outbox.id} = ${id} AND ${outbox.deliveredAt} IS NULL`);

/** This attempt still holds the lease. */
const MINE = sql`${outbox.id} = ${id} AND ${outbox.attempts} = ${attempts} AND ${outbox.deliveredAt} IS NULL
  AND ${outbox.droppedAt} IS NULL`;

export const MARK_DROPPED = define(
  { id: text, attempts: int, now: int },
  () => sql`UPDATE ${outbox} SET ${DROPPED} WHERE ${MINE}`,
);

export const POSTPONE = define(
  { id: text, attempts: int, nextAttemptAt: int },
  ({ nextAttemptAt }) => sql`UPDATE ${outbox} SET ${assigned(outbox, { nextAttemptAt })} WHERE ${MINE}`,
);
