import { outbox } from "../db/schema/mail.ts";
import { assigned, define, int, sql, text } from "../db/sql.ts";

/** Marks mails, given as a JSON list of ids, as delivered, and wipes their secrets. */
export const TAKE_MAILS = define({ ids: text, now: int }, ({ ids, now }) =>
  sql`
  UPDATE ${outbox} SET ${assigned(outbox, { deliveredAt: now, sealedParams: sql`NULL` })}
  WHERE ${outbox.deliveredAt} IS NULL AND ${outbox.id} IN (SELECT value FROM json_each(${ids}))`);
