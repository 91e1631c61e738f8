import { CLOCK_TOLERANCE_MS, SECOND_MS } from "../core/clock.ts";
import { isAhead } from "../db/ahead.ts";
import { reservedEmail, undoLink } from "../db/schema/identity.ts";
import { outbox } from "../db/schema/mail.ts";
import { changeLog, idempotencyKey } from "../db/schema/role.ts";
import { deviceTombstone } from "../db/schema/telemetry.ts";
import {
  assigned,
  bare,
  define,
  int,
  placeholdersOf,
  row,
  type SQL,
  sql,
  type SQLiteColumn,
  type SQLiteTable,
  type ValuesBy,
} from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import { UNDO_SECONDS } from "../accounts/address/lifetimes.ts";
import { RETRY_WAITS_SECONDS } from "../mail/lifetimes.ts";
import { KEY_SECONDS } from "../changes/idempotency_queries.ts";
import { PURGE_BATCH } from "./retention.ts";

/**
 * Moments that were stored while a clock was ahead, and that must not count as absent: what they end may still be undone
 * or repeated. The purge brings each back to what its kind allows now, so that it locks nothing for longer.
 */

const { now } = placeholdersOf({ now: int });

interface Moments<T extends SQLiteTable> {
  /** The primary key. */
  readonly key: (row: T) => readonly SQLiteColumn[];
  /** Leads an index. */
  readonly time: (row: T) => SQLiteColumn;
  /** The greatest length of its kind, in seconds; 0 for the time of what happened. */
  readonly mostSeconds: number;
  /** Which rows a partial index has. */
  readonly indexed?: (row: T) => SQL;
  /** Which of the rows are wrong, if some may lie further ahead. */
  readonly condition?: SQL;
  readonly values: ValuesBy<T>;
}

/**
 * Brings back up to `PURGE_BATCH` moments and returns a row for each: the nearest, or if some rows may lie ahead, the
 * furthest.
 */
function bringBack<T extends SQLiteTable>(table: T, moments: Moments<T>): Statement {
  const { key, time, mostSeconds, indexed, condition, values } = moments;
  const ahead = row(table, "ahead");
  const order = condition === undefined ? sql`ASC` : sql`DESC`;
  return define({ now: int }, () =>
    sql`
  UPDATE ${table} SET ${assigned(table, values)}
  WHERE (${bare(...key(table))}) IN (SELECT ${bare(...key(ahead))} FROM ${ahead}
    WHERE ${time(ahead)} > ${now} + ${mostSeconds * SECOND_MS + CLOCK_TOLERANCE_MS}
      AND ${indexed?.(ahead) ?? sql`true`}
    ORDER BY ${time(ahead)} ${order} LIMIT ${PURGE_BATCH}) AND ${condition ?? sql`true`}
  RETURNING 1 AS gone`);
}

function after(seconds: number): SQL {
  return sql`${now} + ${seconds * SECOND_MS}`;
}

const { purgeAt, deletedAt } = deviceTombstone;

/** Brings back all kinds. Each statement returns a row for each of up to `PURGE_BATCH` rows. */
export const BRING_BACK: readonly Statement[] = [
  bringBack(idempotencyKey, {
    key: ({ userId, key }) => [userId, key],
    time: ({ expiresAt }) => expiresAt,
    mostSeconds: KEY_SECONDS,
    values: { expiresAt: after(KEY_SECONDS) },
  }),
  bringBack(reservedEmail, {
    key: ({ email }) => [email],
    time: ({ reservedUntil }) => reservedUntil,
    mostSeconds: UNDO_SECONDS,
    values: { reservedUntil: after(UNDO_SECONDS) },
  }),
  bringBack(undoLink, {
    key: ({ mac }) => [mac],
    time: ({ expiresAt }) => expiresAt,
    mostSeconds: UNDO_SECONDS,
    values: { expiresAt: after(UNDO_SECONDS) },
  }),
  // How long a device lies in the trash is configured, so its deletion tells.
  bringBack(deviceTombstone, {
    key: ({ deviceId }) => [deviceId],
    time: (gone) => gone.purgeAt,
    mostSeconds: 0,
    condition: isAhead(deletedAt, now),
    values: { purgeAt: sql`${now} + ${purgeAt} - ${deletedAt}`, deletedAt: now },
  }),
  // Mails of an import may be planned for later. A mail with an attempt waits for its lease or the next attempt.
  bringBack(outbox, {
    key: ({ id }) => [id],
    time: ({ nextAttemptAt }) => nextAttemptAt,
    mostSeconds: Math.max(...RETRY_WAITS_SECONDS),
    indexed: ({ deliveredAt, droppedAt }) => sql`${deliveredAt} IS NULL AND ${droppedAt} IS NULL`,
    condition: sql`${outbox.attempts} > 0`,
    values: { nextAttemptAt: now },
  }),
  // Revisions are in the order of time, so one that is ahead takes all later ones with it. None may pass the others.
  bringBack(changeLog, {
    key: ({ rev }) => [rev],
    time: ({ at }) => at,
    mostSeconds: 0,
    values: { at: sql`${now} + ${CLOCK_TOLERANCE_MS}` },
  }),
];
