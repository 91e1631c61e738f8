import { and, compile, isNull, pick, select, update, within } from "../db/builder.ts";
import { outbox } from "../db/schema/mail.ts";
import { int, nullable, placeholdersOf, sql, text } from "../db/sql.ts";

const { now } = placeholdersOf({ now: int });

/** The columns of a `StoredMessage`. */
export const MESSAGE = pick(
  outbox,
  "id",
  "template",
  "language",
  "recipient",
  "roleName",
  "actorEmail",
  "detail",
  "sealedParams",
);

/** What a delivered mail has: no secrets any more. */
export const DELIVERED = { deliveredAt: now, sealedParams: null };

/** Reads the next page of undelivered mails, oldest first; to all recipients if `recipient` is null. */
export const KEPT_MAILS_AFTER = compile(
  { createdAt: int, id: text, recipient: nullable(text), limit: int },
  ({ createdAt, id, recipient, limit }) =>
    select({ ...MESSAGE, ...pick(outbox, "createdAt", "expiresAt") }).from(outbox)
      .where(and(
        sql`(${outbox.createdAt}, ${outbox.id}) > (${createdAt}, ${id})`,
        isNull(outbox.deliveredAt),
        isNull(outbox.droppedAt),
        sql`(${recipient} IS NULL OR ${outbox.recipient} = ${recipient})`,
      ))
      .orderBy(outbox.createdAt, outbox.id).limit(limit),
);

/** Marks mails (a JSON list of ids) as delivered, and wipes their secrets. */
export const TAKE_MAILS = compile(
  { ids: text, now: int },
  ({ ids }) => update(outbox, DELIVERED).where(and(isNull(outbox.deliveredAt), within(outbox.id, ids))),
);
