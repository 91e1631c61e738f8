import { SECOND_MS } from "../core/clock.ts";
import {
  oneTimeCode,
  passwordLink,
  secondFactor,
  securityEvent,
  userAccount,
} from "../db/schema/identity.ts";
import { outbox } from "../db/schema/mail.ts";
import {
  changeLog,
  deletedKey,
  member,
  OPEN_REVISION,
  roleHistory,
  roleKey,
  rootUsage,
} from "../db/schema/role.ts";
import { deletedMonitors } from "../db/schema/telemetry.ts";
import {
  define,
  inserted,
  int,
  placeholdersOf,
  quoted,
  raw,
  row,
  rowsOf,
  type SQL,
  sql,
  text,
  type Value,
} from "../db/sql.ts";
import { raiseSetting } from "../db/setting_queries.ts";
import type { Statement } from "../db/statement.ts";
import { PREVIEW_SUFFIX } from "../role/change/change_queries.ts";
import { HISTORY_FROM } from "../role/history/moment_queries.ts";
import { dropSetups } from "../identity/security_queries.ts";
import { neverOpened } from "../identity/user_queries.ts";
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

const { now } = placeholdersOf({ now: int });

interface Expiry {
  readonly table: string;
  /** The column that retention counts from. It leads an index. */
  readonly time: string;
  readonly keptSeconds: number;
  /** A further condition on the row. */
  readonly condition?: SQL;
  /** The primary key, unless it is `id`. */
  readonly key?: readonly string[];
}

/** Deletes up to `PURGE_BATCH` rows, and returns one row for each. */
function deleteExpired(expiry: Expiry): Statement {
  return define({ now: int }, () => {
    // The list of purges below names its tables.
    const table = raw(expiry.table);
    return sql`DELETE FROM ${table} WHERE ${isExpired(expiry)} RETURNING 1 AS gone`;
  });
}

function isExpired(expiry: Expiry): SQL {
  const { keptSeconds, condition = sql`true`, key = ["id"] } = expiry;
  // The list of purges below names its tables, and their columns.
  const [table, time, columns] = [raw(expiry.table), raw(expiry.time), raw(key.join(", "))];
  return sql`(${columns}) IN (
    SELECT ${columns} FROM ${table}
    WHERE ${time} <= ${now} - ${keptSeconds * SECOND_MS} AND ${condition} LIMIT ${PURGE_BATCH})`;
}

const SETUP_IS_EXPIRED = isExpired({
  table: "second_factor",
  time: "pending_until",
  keptSeconds: EXPIRED_KEPT_SECONDS,
  key: ["user_id", "kind"],
});

/** The account was never opened, is in no role, and has no live link or code that would open it. */
const UNOPENED = sql`${neverOpened(userAccount)}
  AND NOT EXISTS (SELECT 1 FROM ${member} WHERE ${member.userId} = ${userAccount.id})
  AND NOT EXISTS (SELECT 1 FROM ${secondFactor} WHERE ${secondFactor.userId} = ${userAccount.id})
  AND NOT EXISTS (SELECT 1 FROM ${passwordLink} WHERE ${passwordLink.userId} = ${userAccount.id}
    AND ${passwordLink.endedAt} IS NULL AND ${passwordLink.expiresAt} > ${now})
  AND NOT EXISTS (SELECT 1 FROM ${oneTimeCode} WHERE ${oneTimeCode.userId} = ${userAccount.id}
    AND ${oneTimeCode.endedAt} IS NULL AND ${oneTimeCode.expiresAt} > ${now})`;

const { newest, oldest } = rowsOf({ newest: changeLog, oldest: changeLog });
/** The log's last revision is that of the graph, so it is kept at any age. */
const NOT_LAST = sql`${changeLog.rev} < (SELECT max(${newest.rev}) FROM ${newest})`;

/** The session id in the change log for memberships that the purge ends. No user's session has it. */
const PURGE_SESSION = "purge";

const due = row(member, "due");
/** Up to a batch of the memberships, those of keys included, that have ended by themselves. */
const ENDED = sql`SELECT ${due.id} FROM ${due} WHERE ${due.endsAt} <= ${now}
    ORDER BY ${due.endsAt}, ${due.id} LIMIT ${PURGE_BATCH}`;

/** Removes memberships that have ended by themselves, and records it, like every change of the graph. */
const END_MEMBERSHIPS: readonly Statement[] = [
  define({ opId: text, now: int }, ({ opId }) => {
    const ended = row(member, "ended");
    const { names, values } = inserted(changeLog, {
      opId: sql`${opId} || ' ' || ${ended.id}`,
      at: now,
      actorId: 0,
      sessionId: quoted(PURGE_SESSION),
      kind: sql`CASE WHEN ${ended.userId} > 0 THEN 'member.end' ELSE 'key.end' END`,
      roleId: ended.roleId,
      relationId: ended.id,
      subjectId: ended.userId,
      decision: sql`'ok'`,
      effect: sql`'delete'`,
      oldRights: ended.rights,
      deletedRelationIds: sql`json_array(${ended.id})`,
      details: sql`json_object('oldUntil', ${ended.endsAt})`,
    });
    return sql`
    INSERT INTO ${changeLog} (${names})
    SELECT ${values}
    FROM (${ENDED}) past CROSS JOIN ${ended} ON ${ended.id} = past.id`;
  }),
  define({ now: int }, () => sql`DELETE FROM ${roleKey} WHERE ${roleKey.id} IN (${ENDED})`),
  define({ now: int }, () => sql`DELETE FROM ${member} WHERE ${member.id} IN (${ENDED}) RETURNING 1 AS gone`),
];

/** Deletes up to a batch of the rows that were valid only before the kept history. */
function forgetHistory(history: string, key: string, condition = sql`true`): Statement {
  return define({}, () => {
    // The list below names its tables, and their columns.
    const [table, id] = [raw(history), raw(key)];
    return sql`DELETE FROM ${table} WHERE (${id}, to_rev) IN (
    SELECT ${id}, to_rev FROM ${table} WHERE to_rev < ${OPEN_REVISION} AND to_rev <= ${HISTORY_FROM} AND ${condition}
    LIMIT ${PURGE_BATCH}) RETURNING 1 AS gone`;
  });
}

/** Whether no row of the log has the revision, or an earlier one. */
function isOlderThanLog(rev: Value): SQL {
  return sql`${rev} < (SELECT min(${oldest.rev}) FROM ${oldest})`;
}

/**
 * Moves the beginning of the history to the latest revision at `historyBefore`, and deletes rows that were valid only
 * before. The end of a role's history leads to the row of its deletion, so it is kept as long as the log, and so are
 * the names of deleted keys.
 */
const FORGET_HISTORY: readonly Statement[] = [
  raiseSetting({ historyBefore: int }, "history_from", ({ historyBefore }) => {
    const { rev, at } = changeLog;
    return sql`(SELECT ${rev} FROM ${changeLog} WHERE ${at} <= ${historyBefore} ORDER BY ${at} DESC, ${rev} DESC LIMIT 1)`;
  }),
  forgetHistory("manages_history", "relation_id"),
  define({}, () => {
    const past = row(deletedMonitors, "past");
    return sql`DELETE FROM ${deletedMonitors} WHERE (${deletedMonitors.monitorsId}, ${deletedMonitors.rev}) IN (
    SELECT ${past.monitorsId}, ${past.rev} FROM ${past} WHERE ${past.rev} <= ${HISTORY_FROM}
    LIMIT ${PURGE_BATCH}) RETURNING 1 AS gone`;
  }),
  forgetHistory("member_history", "member_id"),
  forgetHistory(
    "role_history",
    "role_id",
    isOlderThanLog(roleHistory.toRev),
  ),
  define({}, () => {
    const past = row(deletedKey, "past");
    return sql`DELETE FROM ${deletedKey} WHERE ${deletedKey.id} IN (
    SELECT ${past.id} FROM ${past} WHERE ${
      isOlderThanLog(past.rev)
    } LIMIT ${PURGE_BATCH}) RETURNING 1 AS gone`;
  }),
];

/**
 * The purge batches, by their names in reports. Each statement that deletes returns a row for each deleted row, up to
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
  "used challenges": deleteExpired({
    table: "used_challenge",
    time: "expires_at",
    keptSeconds: EXPIRED_KEPT_SECONDS,
  }),
  "factor links": deleteExpired({
    table: "factor_link",
    time: "expires_at",
    keptSeconds: EXPIRED_KEPT_SECONDS,
    key: ["mac"],
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
  "unfinished setups": dropSetups({ now: int }, SETUP_IS_EXPIRED, sql`1 AS gone`),
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
    condition: sql`${rootUsage.roles} = 0 AND ${rootUsage.devices} = 0`,
  }),
  "mails": deleteExpired({
    table: "outbox",
    time: "created_at",
    keptSeconds: MAIL_KEPT_SECONDS,
    condition: sql`(${outbox.deliveredAt} IS NOT NULL OR ${outbox.droppedAt} IS NOT NULL
      OR ${outbox.expiresAt} <= ${now})`,
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
    // A revision in the kept history needs its time.
    condition: sql`${changeLog.rev} < ${HISTORY_FROM} AND ${NOT_LAST}`,
  }),
  "previews": deleteExpired({
    table: "change_log",
    time: "at",
    keptSeconds: PREVIEW_KEPT_SECONDS,
    key: ["rev"],
    condition: sql`${changeLog.kind} LIKE ${quoted(`%${PREVIEW_SUFFIX}`)}
      AND ${changeLog.rev} <> ${HISTORY_FROM} AND ${NOT_LAST}`,
  }),
  "refused changes": deleteExpired({
    table: "change_log",
    time: "at",
    keptSeconds: DENIAL_KEPT_SECONDS,
    key: ["rev"],
    condition: sql`${changeLog.decision} NOT IN ('ok', 'noop')
      AND ${changeLog.rev} <> ${HISTORY_FROM} AND ${NOT_LAST}`,
  }),
  "security events": deleteExpired({ table: "security_event", time: "at", keptSeconds: LOG_KEPT_SECONDS }),
  "refused attempts": deleteExpired({
    table: "security_event",
    time: "at",
    keptSeconds: DENIAL_KEPT_SECONDS,
    // `ended` is an alarm (a reused refresh token), not a refusal.
    condition: sql`${securityEvent.result} <> 'ok' AND ${securityEvent.result} <> 'ended'`,
  }),
};
