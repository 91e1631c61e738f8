import { SECOND_MS } from "../../core/clock.ts";
import { defineStatement, type Statement } from "../../db/statement.ts";
import { whenEffect } from "./change_queries.ts";

/**
 * The parts of a batch that let one `Idempotency-Key` create only one thing. Parameters: `:idempotencyKey` and
 * `:fingerprint` (both null without a key), `:actorId`, `:now`, `:opId`.
 */

/** Lifetime of a key, in seconds. */
const KEY_SECONDS = 86_400;

/**
 * SQL: joins the actor's live key as `guard_key`, and the change log row of the first request with that key as `first`.
 * The columns of both are null if there is no such key.
 */
export function joinFirstRequest(first: string): string {
  return `LEFT JOIN idempotency_key guard_key ON guard_key.user_id = :actorId AND guard_key.key = :idempotencyKey
      AND guard_key.expires_at > :now
    LEFT JOIN change_log ${first} ON ${first}.op_id = guard_key.op_id`;
}

/**
 * SQL: the first branches of a decision's CASE. `noop` is a repeated request, whose row copies the ids from the row of
 * the first; `key_reused` is a different request with the same key.
 */
export const REPEATED_REQUEST = `WHEN guard_key.fingerprint <> :fingerprint THEN 'key_reused'
      WHEN guard_key.op_id IS NOT NULL THEN 'noop'`;

/** Stores the key of a change that is made. An expired key may be used again. */
export const KEEP_KEY: Statement = defineStatement(`
  INSERT INTO idempotency_key (user_id, key, op_id, fingerprint, expires_at)
  SELECT actor_id, :idempotencyKey, op_id, :fingerprint, :now + ${KEY_SECONDS * SECOND_MS}
  FROM change_log WHERE ${whenEffect("grow", "write")} AND :idempotencyKey IS NOT NULL
  ON CONFLICT (user_id, key) DO UPDATE SET op_id = excluded.op_id, fingerprint = excluded.fingerprint,
    expires_at = excluded.expires_at`);
