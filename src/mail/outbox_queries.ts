import { defineStatement, type Statement } from "../db/statement.ts";

/** Marks mails, given as a JSON list of ids, as delivered, and wipes their secrets. */
export const TAKE_MAILS: Statement = defineStatement(`
  UPDATE outbox SET delivered_at = :now, sealed_params = NULL
  WHERE delivered_at IS NULL AND id IN (SELECT value FROM json_each(:ids))`);
