import { SECOND_MS } from "../core/clock.ts";
import { defineStatement, type Statement } from "../db/statement.ts";
import { dropSetups } from "../identity/security_queries.ts";
import {
  DENIAL_KEPT_SECONDS,
  DRAINED_SECONDS,
  EXPIRED_KEPT_SECONDS,
  KNOWN_ADDRESS_KEPT_SECONDS,
  LOG_KEPT_SECONDS,
  MAIL_KEPT_SECONDS,
  PURGE_BATCH,
  SESSION_KEPT_SECONDS,
  UNOPENED_ACCOUNT_KEPT_SECONDS,
} from "./retention.ts";

interface Expiry {
  readonly table: string;
  /** The column that retention counts from. It leads an index. */
  readonly time: string;
  readonly keptSeconds: number;
  /** SQL: a further condition on the row. */
  readonly condition?: string;
  /** The primary key, unless it is `id`. */
  readonly key?: readonly string[];
}

/** Deletes up to `PURGE_BATCH` rows, and returns one row for each. */
function deleteExpired(expiry: Expiry): Statement {
  return defineStatement(`DELETE FROM ${expiry.table} WHERE ${isExpired(expiry)} RETURNING 1 AS gone`);
}

function isExpired({ table, time, keptSeconds, condition = "true", key = ["id"] }: Expiry): string {
  const columns = key.join(", ");
  return `(${columns}) IN (
    SELECT ${columns} FROM ${table}
    WHERE ${time} <= :now - ${keptSeconds * SECOND_MS} AND ${condition} LIMIT ${PURGE_BATCH})`;
}

const SETUP_IS_EXPIRED = isExpired({
  table: "second_factor",
  time: "pending_until",
  keptSeconds: EXPIRED_KEPT_SECONDS,
  key: ["user_id", "kind"],
});

/** The account was never opened, is in no role, and has no live link or code that would open it. */
const UNOPENED = `password_hash IS NULL AND password_changed_at IS NULL AND security_version = 0
  AND NOT EXISTS (SELECT 1 FROM member WHERE member.user_id = user_account.id)
  AND NOT EXISTS (SELECT 1 FROM second_factor WHERE second_factor.user_id = user_account.id)
  AND NOT EXISTS (SELECT 1 FROM session WHERE session.user_id = user_account.id)
  AND NOT EXISTS (SELECT 1 FROM password_link WHERE password_link.user_id = user_account.id
    AND password_link.ended_at IS NULL AND password_link.expires_at > :now)
  AND NOT EXISTS (SELECT 1 FROM one_time_code WHERE one_time_code.user_id = user_account.id
    AND one_time_code.ended_at IS NULL AND one_time_code.expires_at > :now)`;

/** The log's last revision is that of the graph, so it is kept, however old. */
const NOT_LAST = "rev < (SELECT max(newest.rev) FROM change_log newest)";

/** The purge statements, by the name that reports use. None deletes a row that is still in use. */
export const PURGES: Readonly<Record<string, Statement>> = {
  "mailed codes": deleteExpired({
    table: "one_time_code",
    time: "expires_at",
    keptSeconds: EXPIRED_KEPT_SECONDS,
    key: ["purpose", "subject"],
  }),
  "password links": deleteExpired({
    table: "password_link",
    time: "expires_at",
    keptSeconds: EXPIRED_KEPT_SECONDS,
  }),
  "undo links": deleteExpired({
    table: "undo_link",
    time: "expires_at",
    keptSeconds: EXPIRED_KEPT_SECONDS,
    key: ["mac"],
  }),
  "reserved addresses": deleteExpired({
    table: "reserved_email",
    time: "reserved_until",
    keptSeconds: EXPIRED_KEPT_SECONDS,
    key: ["email"],
  }),
  "half sign-ins": deleteExpired({
    table: "partial_login",
    time: "expires_at",
    keptSeconds: EXPIRED_KEPT_SECONDS,
  }),
  "unfinished setups": dropSetups(SETUP_IS_EXPIRED, "1 AS gone"),
  "sessions": deleteExpired({ table: "session", time: "idle_until", keptSeconds: SESSION_KEPT_SECONDS }),
  "known addresses": deleteExpired({
    table: "known_address",
    time: "last_sign_in_at",
    keptSeconds: KNOWN_ADDRESS_KEPT_SECONDS,
    key: ["user_id", "address"],
  }),
  "counters": deleteExpired({
    table: "throttle",
    time: "expires_at",
    keptSeconds: EXPIRED_KEPT_SECONDS,
    key: ["scope", "key"],
  }),
  "rate limits": deleteExpired({
    table: "rate_bucket",
    time: "at",
    keptSeconds: DRAINED_SECONDS,
    key: ["user_id"],
  }),
  "mails": deleteExpired({
    table: "outbox",
    time: "created_at",
    keptSeconds: MAIL_KEPT_SECONDS,
    condition: "(delivered_at IS NOT NULL OR dropped_at IS NOT NULL OR expires_at <= :now)",
  }),
  "staged imports": deleteExpired({
    table: "import_chunk",
    time: "created_at",
    keptSeconds: EXPIRED_KEPT_SECONDS,
    key: ["import_id", "kind", "position"],
  }),
  "unopened accounts": deleteExpired({
    table: "user_account",
    time: "created_at",
    keptSeconds: UNOPENED_ACCOUNT_KEPT_SECONDS,
    condition: UNOPENED,
  }),
  "idempotency keys": deleteExpired({
    table: "idempotency_key",
    time: "expires_at",
    keptSeconds: 0,
    key: ["user_id", "key"],
  }),
  "changes": deleteExpired({
    table: "change_log",
    time: "at",
    keptSeconds: LOG_KEPT_SECONDS,
    key: ["rev"],
    condition: NOT_LAST,
  }),
  "refused changes": deleteExpired({
    table: "change_log",
    time: "at",
    keptSeconds: DENIAL_KEPT_SECONDS,
    key: ["rev"],
    condition: `decision NOT IN ('ok', 'noop') AND ${NOT_LAST}`,
  }),
  "security events": deleteExpired({ table: "security_event", time: "at", keptSeconds: LOG_KEPT_SECONDS }),
  "refused attempts": deleteExpired({
    table: "security_event",
    time: "at",
    keptSeconds: DENIAL_KEPT_SECONDS,
    // `ended` is an alarm (a reused refresh token), not a refusal.
    condition: "result <> 'ok' AND result <> 'ended'",
  }),
};
