import { outbox } from "../db/schema/mail.ts";
import { assigned, columns, define, int, nullable, rows, sql, text } from "../db/sql.ts";
import type { RowOf } from "../db/statement.ts";

/** The columns of a `StoredMessage`. */
export const STORED_MESSAGE = columns(
  outbox,
  "id",
  "template",
  "language",
  "roleName",
  "actorEmail",
  "detail",
  "sealedParams",
);
const KEPT = columns(outbox, "createdAt", "recipient", "expiresAt");

/** Reads the next page of undelivered mails, oldest first; to all recipients if `recipient` is null. */
export const KEPT_MAILS_AFTER = rows<RowOf<typeof STORED_MESSAGE> & RowOf<typeof KEPT>>()(
  { createdAt: int, id: text, recipient: nullable(text), limit: int },
  ({ createdAt, id, recipient, limit }) =>
    sql`
  SELECT ${STORED_MESSAGE}, ${KEPT} FROM ${outbox}
  WHERE (${outbox.createdAt}, ${outbox.id}) > (${createdAt}, ${id})
    AND ${outbox.deliveredAt} IS NULL AND ${outbox.droppedAt} IS NULL
    AND (${recipient} IS NULL OR ${outbox.recipient} = ${recipient})
  ORDER BY ${outbox.createdAt}, ${outbox.id} LIMIT +${limit}`,
);

/** Marks mails (a JSON list of ids) as delivered, and wipes their secrets. */
export const TAKE_MAILS = define({ ids: text, now: int }, ({ ids, now }) =>
  sql`
  UPDATE ${outbox} SET ${assigned(outbox, { deliveredAt: now, sealedParams: sql`NULL` })}
  WHERE ${outbox.deliveredAt} IS NULL AND ${outbox.id} IN (SELECT value FROM json_each(${ids}))`);
