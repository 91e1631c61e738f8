import { SECOND_MS } from "../core/clock.ts";
import { raiseSetting } from "../db/setting_queries.ts";
import { defineStatement, type Statement } from "../db/statement.ts";
import { DRY_RUN_SUFFIX } from "../role/change/change_queries.ts";
import { dropSetups } from "../identity/identity_text.ts";
import {
  DENIAL_KEPT_SECONDS,
  DRAINED_SECONDS,
  EXPIRED_KEPT_SECONDS,
  KNOWN_ADDRESS_KEPT_SECONDS,
  LOG_KEPT_SECONDS,
  MAIL_KEPT_SECONDS,
  PREVIEW_KEPT_SECONDS,
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

/** SQL: the first revision of which history is kept. */
const HISTORY_FROM = "(SELECT CAST(value AS INTEGER) FROM setting WHERE name = 'history_from')";

/** What the change log has in place of a session for what the purge ends. No user's session has it. */
const PURGE_SESSION = "purge";

/** SQL: up to a batch of the memberships, those of keys included, that have ended by themselves. */
const ENDED = `SELECT id FROM member WHERE ends_at <= :now ORDER BY ends_at, id LIMIT ${PURGE_BATCH}`;

/** Removes memberships that have ended by themselves, and records that, like every change of the graph. */
const END_MEMBERSHIPS: readonly Statement[] = [
  defineStatement(`
    INSERT INTO change_log (op_id, at, actor_id, session_id, kind, role_id, relation_id, subject_id, decision, effect,
      gone_relation_ids, details)
    SELECT :opId || ' ' || ended.id, :now, 0, '${PURGE_SESSION}',
      CASE WHEN ended.user_id > 0 THEN 'member.end' ELSE 'key.end' END, ended.role_id, ended.id, ended.user_id, 'ok',
      'delete', json_array(ended.id), json_object('until', ended.ends_at)
    FROM (${ENDED}) past CROSS JOIN member ended ON ended.id = past.id`),
  defineStatement(`DELETE FROM role_key WHERE id IN (${ENDED})`),
  defineStatement(`DELETE FROM member WHERE id IN (${ENDED}) RETURNING 1 AS gone`),
];

/** `to_rev` of history that is still valid: `OPEN_REVISION` in the schema, which is not loaded to serve. */
const OPEN_REVISION = Number.MAX_SAFE_INTEGER;

/** Deletes up to a batch of the rows that were valid before the history that is kept. */
function forgetHistory(table: string, id: string, condition = "true"): Statement {
  return defineStatement(`DELETE FROM ${table} WHERE (${id}, to_rev) IN (
    SELECT ${id}, to_rev FROM ${table} WHERE to_rev < ${OPEN_REVISION} AND to_rev <= ${HISTORY_FROM} AND ${condition}
    LIMIT ${PURGE_BATCH}) RETURNING 1 AS gone`);
}

/**
 * Moves the beginning of the history to the revision that was the latest at `:historyBefore`, and deletes what was
 * valid only before. The end of a role's history leads to the row of its deletion, so it is kept as long as the log.
 */
const FORGET_HISTORY: readonly Statement[] = [
  raiseSetting(
    "history_from",
    "(SELECT rev FROM change_log WHERE at <= :historyBefore ORDER BY at DESC, rev DESC LIMIT 1)",
  ),
  forgetHistory("manages_history", "relation_id"),
  forgetHistory("member_history", "member_id"),
  forgetHistory("role_history", "role_id", "to_rev < (SELECT min(oldest.rev) FROM change_log oldest)"),
];

/**
 * The purge batches, by the name that reports use. Each statement that deletes returns a row for each row, up to
 * `PURGE_BATCH`. None deletes a row that is still in use.
 */
export const PURGES: Readonly<Record<string, Statement | readonly Statement[]>> = {
  "ended memberships": END_MEMBERSHIPS,
  "history": FORGET_HISTORY,
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
  "counts of nothing": deleteExpired({
    table: "root_usage",
    time: "free_at",
    keptSeconds: EXPIRED_KEPT_SECONDS,
    key: ["root_id", "payer"],
    condition: "roles = 0 AND devices = 0",
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
    // A revision of which history is kept needs its time.
    condition: `rev < ${HISTORY_FROM} AND ${NOT_LAST}`,
  }),
  "previews": deleteExpired({
    table: "change_log",
    time: "at",
    keptSeconds: PREVIEW_KEPT_SECONDS,
    key: ["rev"],
    condition: `kind LIKE '%${DRY_RUN_SUFFIX}' AND rev <> ${HISTORY_FROM} AND ${NOT_LAST}`,
  }),
  "refused changes": deleteExpired({
    table: "change_log",
    time: "at",
    keptSeconds: DENIAL_KEPT_SECONDS,
    key: ["rev"],
    condition: `decision NOT IN ('ok', 'noop') AND rev <> ${HISTORY_FROM} AND ${NOT_LAST}`,
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
