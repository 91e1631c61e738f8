import { and, eq, isNull, or, sql } from "drizzle-orm";
import { defineRead, select } from "../db/define_read.ts";
import { outbox } from "../db/schema/mail.ts";

const RECIPIENT = sql.placeholder("recipient");

/** The next page of undelivered mails, oldest first; to all recipients if `:recipient` is null. */
export const KEPT_MAILS_AFTER = defineRead(
  select({
    id: outbox.id,
    template: outbox.template,
    language: outbox.language,
    roleName: outbox.roleName,
    actorEmail: outbox.actorEmail,
    detail: outbox.detail,
    sealedParams: outbox.sealedParams,
    createdAt: outbox.createdAt,
    recipient: outbox.recipient,
    expiresAt: outbox.expiresAt,
  })
    .from(outbox)
    .where(and(
      sql`(${outbox.createdAt}, ${outbox.id}) > (${sql.placeholder("createdAt")}, ${sql.placeholder("id")})`,
      isNull(outbox.deliveredAt),
      isNull(outbox.droppedAt),
      or(isNull(RECIPIENT), eq(outbox.recipient, RECIPIENT)),
    ))
    .orderBy(outbox.createdAt, outbox.id)
    .limit(sql.placeholder("limit")),
);
