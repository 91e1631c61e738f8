import { SECOND_MS } from "../../core/clock.ts";
import { defineStatement, type Statement } from "../../db/statement.ts";
import { whenEffect } from "./change_text.ts";

/**
 * The parts of a batch that let one `Idempotency-Key` create only one thing. Parameters: `:idempotencyKey`,
 * `:fingerprint`, `:actorId`, `:now`, `:opId`. A request without a key has a batch without them, which a server
 * prepares in less time.
 */
export interface KeyParts {
  /** SQL: joins the actor's live key as `guard_key`, and the change log row of the first request as `first`. */
  readonly join: string;
  /** SQL: the first branches of the decision's CASE; see `REPEATED_REQUEST`. */
  readonly branches: string;
  /** SQL: a column of `first`, null for a first request. */
  readonly ofFirst: (column: string) => string;
  /** Whether the batch may return what an earlier one created. */
  readonly mayRepeat: boolean;
  /** Stores the key of a change that is made. */
  readonly keep: readonly Statement[];
}

/** Lifetime of a key, in seconds. */
const KEY_SECONDS = 86_400;

const JOIN_FIRST_REQUEST =
  `LEFT JOIN idempotency_key guard_key ON guard_key.user_id = :actorId AND guard_key.key = :idempotencyKey
      AND guard_key.expires_at > :now
    LEFT JOIN change_log first ON first.op_id = guard_key.op_id`;

/**
 * `noop` is a repeated request, whose row copies the ids from the row of the first; `key_reused` is a different request
 * with the same key.
 */
const REPEATED_REQUEST = `WHEN guard_key.fingerprint <> :fingerprint THEN 'key_reused'
      WHEN guard_key.op_id IS NOT NULL THEN 'noop'`;

/** An expired key may be used again. */
const KEEP_KEY: Statement = defineStatement(`
  INSERT INTO idempotency_key (user_id, key, op_id, fingerprint, expires_at)
  SELECT actor_id, :idempotencyKey, op_id, :fingerprint, :now + ${KEY_SECONDS * SECOND_MS}
  FROM change_log WHERE ${whenEffect("grow", "write")}
  ON CONFLICT (user_id, key) DO UPDATE SET op_id = excluded.op_id, fingerprint = excluded.fingerprint,
    expires_at = excluded.expires_at`);

const KEYED: KeyParts = {
  join: JOIN_FIRST_REQUEST,
  branches: REPEATED_REQUEST,
  ofFirst: (column) => `first.${column}`,
  mayRepeat: true,
  keep: [KEEP_KEY],
};

const KEYLESS: KeyParts = { join: "", branches: "", ofFirst: () => "NULL", mayRepeat: false, keep: [] };

/** The two variants of a batch that creates something. */
export interface CreatingBatch {
  readonly keyed: readonly Statement[];
  readonly keyless: readonly Statement[];
}

/** Puts the parts into a batch. */
export function withAndWithoutKey(batch: (key: KeyParts) => readonly Statement[]): CreatingBatch {
  return { keyed: batch(KEYED), keyless: batch(KEYLESS) };
}
