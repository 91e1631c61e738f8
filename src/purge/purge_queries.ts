import { SECOND_MS } from "../core/clock.ts";
import { compile, deleteFrom, inArray, insertFrom, isNotNull, lte, or, select } from "../db/builder.ts";
import {
  factorLink,
  knownAddress,
  oneTimeCode,
  partialLogin,
  passwordLink,
  reservedEmail,
  secondFactor,
  securityEvent,
  session,
  undoLink,
  usedChallenge,
  userAccount,
} from "../db/schema/identity.ts";
import { importChunk } from "../db/schema/import.ts";
import { outbox } from "../db/schema/mail.ts";
import {
  changeLog,
  deletedKey,
  idempotencyKey,
  managesHistory,
  member,
  memberHistory,
  OPEN_REVISION,
  roleHistory,
  roleKey,
  rootUsage,
} from "../db/schema/role.ts";
import { deletedMonitors, rateBucket } from "../db/schema/telemetry.ts";
import { throttle } from "../db/schema/throttle.ts";
import {
  type Declared,
  int,
  join,
  placeholdersOf,
  quoted,
  row,
  rowsOf,
  type SQL,
  sql,
  type SQLiteColumn,
  type SQLiteTable,
  text,
  type Value,
} from "../db/sql.ts";
import { raiseSetting } from "../db/setting_queries.ts";
import type { Statement } from "../db/statement.ts";
import { PREVIEW_SUFFIX } from "../changes/change_queries.ts";
import { HISTORY_FROM } from "../graph/history/moment_queries.ts";
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

type NamesOf<T extends SQLiteTable> = readonly (keyof T["_"]["columns"] & string)[];

function named<T extends SQLiteTable>(table: T, names: NamesOf<T>): SQL {
  return join(names.map((name) => table[name as keyof T] as SQLiteColumn));
}

/** Whether the row is in the next batch of those that meet the condition. `key` is the primary key. */
function isNext<T extends SQLiteTable>(table: T, key: NamesOf<T>, condition: (past: T) => SQL): SQL {
  const past = row(table, "past");
  return sql`(${named(table, key)}) IN (
    SELECT ${named(past, key)} FROM ${past} WHERE ${condition(past)} LIMIT ${PURGE_BATCH})`;
}

const GONE = { gone: sql<1>`1` };

/** Deletes up to `PURGE_BATCH` rows, and returns one row for each. */
function deleteNext<T extends SQLiteTable>(
  declared: Declared,
  table: T,
  key: NamesOf<T>,
  condition: (past: T) => SQL,
): Statement {
  return compile(declared, () => deleteFrom(table).where(isNext(table, key, condition)).returning(GONE));
}

function isExpired(time: Value, keptSeconds: number): SQL {
  return sql`${time} <= ${now} - ${keptSeconds * SECOND_MS}`;
}

/** Deletes a batch of the rows whose retention is over. It counts from the column `time`, which leads an index. */
function deleteExpired<T extends SQLiteTable>(
  table: T,
  key: NamesOf<T>,
  time: NamesOf<T>[number],
  keptSeconds: number,
  condition: (past: T) => SQL = () => sql`true`,
): Statement {
  return deleteNext(
    { now: int },
    table,
    key,
    (past) => sql`${isExpired(named(past, [time]), keptSeconds)} AND ${condition(past)}`,
  );
}

/** The account was never opened, is in no role, and has no live link or code that would open it. */
function isUnopened(account: typeof userAccount): SQL {
  return sql`${neverOpened(account)}
  AND NOT EXISTS (SELECT 1 FROM ${member} WHERE ${member.userId} = ${account.id})
  AND NOT EXISTS (SELECT 1 FROM ${secondFactor} WHERE ${secondFactor.userId} = ${account.id})
  AND NOT EXISTS (SELECT 1 FROM ${passwordLink} WHERE ${passwordLink.userId} = ${account.id}
    AND ${passwordLink.endedAt} IS NULL AND ${passwordLink.expiresAt} > ${now})
  AND NOT EXISTS (SELECT 1 FROM ${oneTimeCode} WHERE ${oneTimeCode.userId} = ${account.id}
    AND ${oneTimeCode.endedAt} IS NULL AND ${oneTimeCode.expiresAt} > ${now})`;
}

const { newest, oldest } = rowsOf({ newest: changeLog, oldest: changeLog });
/** The log's last revision is that of the graph, so it is kept at any age. */
function isNotLast({ rev }: typeof changeLog): SQL {
  return sql`${rev} < (SELECT max(${newest.rev}) FROM ${newest})`;
}

/** The session id in the change log for memberships that the purge ends. No user's session has it. */
const PURGE_SESSION = "purge";

const due = row(member, "due");
/** Up to a batch of the memberships, those of keys included, that have ended by themselves. */
const ENDED = select({ id: due.id }).from(due).where(lte(due.endsAt, now))
  .orderBy(due.endsAt, due.id).limit(PURGE_BATCH);

/** Removes memberships that have ended by themselves, and records it, like every change of the graph. */
const END_MEMBERSHIPS: readonly Statement[] = [
  compile({ opId: text, now: int }, ({ opId }) => {
    const ended = row(member, "ended");
    const ends = select({
      opId: sql<string>`${opId} || ' ' || ${ended.id}`,
      at: now,
      actorId: sql<number>`0`,
      sessionId: quoted(PURGE_SESSION),
      kind: sql`CASE WHEN ${ended.userId} > 0 THEN 'member.end' ELSE 'key.end' END`,
      roleId: ended.roleId,
      relationId: ended.id,
      subjectId: ended.userId,
      decision: sql`'ok'`,
      step: sql`'delete'`,
      oldRights: ended.rights,
      deletedRelationIds: sql`json_array(${ended.id})`,
      details: sql`json_object('oldUntil', ${ended.endsAt})`,
    }).from(sql`${ENDED} past CROSS JOIN ${ended} ON ${ended.id} = past.id`);
    return insertFrom(changeLog, ends);
  }),
  compile({ now: int }, () => deleteFrom(roleKey).where(inArray(roleKey.id, ENDED))),
  compile({ now: int }, () => deleteFrom(member).where(inArray(member.id, ENDED)).returning(GONE)),
];

/** The row was valid only before the kept history. */
function isForgotten({ toRev }: { readonly toRev: SQLiteColumn }): SQL {
  return sql`${toRev} < ${OPEN_REVISION} AND ${toRev} <= ${HISTORY_FROM}`;
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
  deleteNext({}, managesHistory, ["relationId", "toRev"], isForgotten),
  deleteNext({}, deletedMonitors, ["monitorsId", "rev"], ({ rev }) => sql`${rev} <= ${HISTORY_FROM}`),
  deleteNext({}, memberHistory, ["memberId", "toRev"], isForgotten),
  deleteNext(
    {},
    roleHistory,
    ["roleId", "toRev"],
    (past) => sql`${isForgotten(past)} AND ${isOlderThanLog(past.toRev)}`,
  ),
  deleteNext({}, deletedKey, ["id"], ({ rev }) => isOlderThanLog(rev)),
];

/**
 * The purge batches, by their names in reports. Each statement that deletes returns a row for each deleted row, up to
 * `PURGE_BATCH`. None deletes a row that is still in use.
 */
export const PURGES: Readonly<Record<string, Statement | readonly Statement[]>> = {
  "ended memberships": END_MEMBERSHIPS,
  "history": FORGET_HISTORY,
  "mailed codes": deleteExpired(oneTimeCode, ["purpose", "subject"], "expiresAt", EXPIRED_KEPT_SECONDS),
  "password links": deleteExpired(passwordLink, ["id"], "expiresAt", EXPIRED_KEPT_SECONDS),
  "used challenges": deleteExpired(usedChallenge, ["id"], "expiresAt", EXPIRED_KEPT_SECONDS),
  "factor links": deleteExpired(factorLink, ["mac"], "expiresAt", EXPIRED_KEPT_SECONDS),
  "undo links": deleteExpired(undoLink, ["mac"], "expiresAt", EXPIRED_KEPT_SECONDS),
  "reserved addresses": deleteExpired(reservedEmail, ["email"], "reservedUntil", EXPIRED_KEPT_SECONDS),
  "half sign-ins": deleteExpired(partialLogin, ["id"], "expiresAt", EXPIRED_KEPT_SECONDS),
  "unfinished setups": dropSetups(
    { now: int },
    isNext(secondFactor, ["userId", "kind"], (past) => isExpired(past.pendingUntil, EXPIRED_KEPT_SECONDS)),
    sql`1 AS gone`,
  ),
  "sessions": deleteExpired(session, ["id"], "idleUntil", SESSION_KEPT_SECONDS),
  "known addresses": deleteExpired(
    knownAddress,
    ["userId", "address"],
    "lastSignInAt",
    KNOWN_ADDRESS_KEPT_SECONDS,
  ),
  "counters": deleteExpired(throttle, ["scope", "key"], "expiresAt", EXPIRED_KEPT_SECONDS),
  "rate limits": deleteExpired(rateBucket, ["userId"], "at", DRAINED_SECONDS),
  "counts of nothing": deleteExpired(
    rootUsage,
    ["rootId", "branch"],
    "freeAt",
    EXPIRED_KEPT_SECONDS,
    ({ roles, devices }) => sql`${roles} = 0 AND ${devices} = 0`,
  ),
  "mails": deleteExpired(
    outbox,
    ["id"],
    "createdAt",
    MAIL_KEPT_SECONDS,
    ({ deliveredAt, droppedAt, expiresAt }) =>
      or(isNotNull(deliveredAt), isNotNull(droppedAt), lte(expiresAt, now)),
  ),
  "staged imports": deleteExpired(
    importChunk,
    ["importId", "kind", "position"],
    "createdAt",
    EXPIRED_KEPT_SECONDS,
  ),
  "unopened accounts": deleteExpired(
    userAccount,
    ["id"],
    "createdAt",
    UNOPENED_ACCOUNT_KEPT_SECONDS,
    isUnopened,
  ),
  "idempotency keys": deleteExpired(idempotencyKey, ["userId", "key"], "expiresAt", 0),
  // A revision in the kept history needs its time.
  "changes": deleteExpired(
    changeLog,
    ["rev"],
    "at",
    LOG_KEPT_SECONDS,
    (past) => sql`${past.rev} < ${HISTORY_FROM} AND ${isNotLast(past)}`,
  ),
  "previews": deleteExpired(
    changeLog,
    ["rev"],
    "at",
    PREVIEW_KEPT_SECONDS,
    (past) =>
      sql`${past.kind} LIKE ${quoted(`%${PREVIEW_SUFFIX}`)}
      AND ${past.rev} <> ${HISTORY_FROM} AND ${isNotLast(past)}`,
  ),
  "refused changes": deleteExpired(
    changeLog,
    ["rev"],
    "at",
    DENIAL_KEPT_SECONDS,
    (past) =>
      sql`${past.decision} NOT IN ('ok', 'noop')
      AND ${past.rev} <> ${HISTORY_FROM} AND ${isNotLast(past)}`,
  ),
  "security events": deleteExpired(securityEvent, ["id"], "at", LOG_KEPT_SECONDS),
  // `ended` is an alarm (a reused refresh token), not a refusal.
  "refused attempts": deleteExpired(
    securityEvent,
    ["id"],
    "at",
    DENIAL_KEPT_SECONDS,
    ({ result }) => sql`${result} <> 'ok' AND ${result} <> 'ended'`,
  ),
};
