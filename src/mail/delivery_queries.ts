import { SECOND_MS } from "../core/clock.ts";
import { and, compile, eq, inArray, isNull, lte, not, or, pick, select, update } from "../db/builder.ts";
import { outbox } from "../db/schema/mail.ts";
import { derived, int, placeholdersOf, row, rows, type SQL, sql, text } from "../db/sql.ts";
import {
  AGE_SAMPLE,
  DELIVERY_CLAIM_SIZE,
  DELIVERY_LEASE_SECONDS,
  DROP_BATCH,
  GIVE_UP_SECONDS,
} from "./lifetimes.ts";
import { DELIVERED, MESSAGE } from "./outbox_queries.ts";

const { now, id, attempts } = placeholdersOf({ now: int, id: text, attempts: int });

/** The mail is undelivered and due, by an index. Mails under a lease are not due. */
function isDue({ deliveredAt, droppedAt, nextAttemptAt }: typeof outbox): SQL {
  return and(isNull(deliveredAt), isNull(droppedAt), lte(nextAttemptAt, now));
}

const GIVE_UP_MS = GIVE_UP_SECONDS * SECOND_MS;

/** The mail has no recipient, has expired, or is too old for further attempts. */
function isDead({ recipient, expiresAt, createdAt }: typeof outbox): SQL {
  return or(isNull(recipient), lte(expiresAt, now), lte(createdAt, sql`${now} - ${GIVE_UP_MS}`));
}

/** Returns a row if any mail is due. Costs a fraction of a write. */
export const FIND_DUE = compile(
  { now: int },
  () => select({ due: sql<1>`1` }).from(outbox).where(isDue(outbox)).limit(1),
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

const DROPPED = { droppedAt: now, sealedParams: null };

/** Drops dead mails, and wipes their secrets. Returns a row for each. */
export const DROP_DEAD = compile({ now: int }, () => {
  const due = row(outbox, "due");
  const dead = select({ id: due.id }).from(due).where(and(isDue(due), isDead(due))).limit(DROP_BATCH);
  return update(outbox, DROPPED).where(inArray(outbox.id, dead))
    .returning({ ...pick(outbox, "id", "template", "attempts"), hasNoAccount: isNull(outbox.recipient) });
});

/** Claims mails and returns them; `attempts` counts the claim. No other instance gets them during the lease. */
export const CLAIM_MAILS = compile({ now: int }, () => {
  const due = row(outbox, "due");
  const next = select({ id: due.id }).from(due).where(and(isDue(due), not(isDead(due))))
    .orderBy(due.nextAttemptAt).limit(DELIVERY_CLAIM_SIZE);
  const claimed = {
    attempts: sql`${outbox.attempts} + 1`,
    nextAttemptAt: sql`${now} + ${DELIVERY_LEASE_SECONDS * SECOND_MS}`,
  };
  return update(outbox, claimed).where(inArray(outbox.id, next))
    .returning({
      ...MESSAGE,
      // A mail without a recipient is dead.
      recipient: sql<string>`${outbox.recipient}`,
      ...pick(outbox, "brand", "createdAt", "expiresAt", "attempts"),
    });
});

/** Records a delivery and wipes the mail's secrets, even if the lease has passed to another instance. */
export const MARK_DELIVERED = compile(
  { id: text, now: int },
  () => update(outbox, DELIVERED).where(and(eq(outbox.id, id), isNull(outbox.deliveredAt))),
);

/** This attempt still holds the lease. */
const MINE = and(
  eq(outbox.id, id),
  eq(outbox.attempts, attempts),
  isNull(outbox.deliveredAt),
  isNull(outbox.droppedAt),
);

export const MARK_DROPPED = compile(
  { id: text, attempts: int, now: int },
  () => update(outbox, DROPPED).where(MINE),
);

export const POSTPONE = compile(
  { id: text, attempts: int, nextAttemptAt: int },
  ({ nextAttemptAt }) => update(outbox, { nextAttemptAt }).where(MINE),
);
