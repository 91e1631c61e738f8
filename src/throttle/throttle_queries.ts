import {
  GUESS_LOCK_FAILURES,
  GUESS_LOCK_SECONDS,
  GUESS_MEMORY_SECONDS,
  GUESS_WAITS_SECONDS,
  STRANGER_FAILURES,
  STRANGER_MEMORY_SECONDS,
  STRANGER_WAIT_SECONDS,
  THROTTLE_SCOPES,
  type ThrottleScope,
} from "./limits.ts";
import { SECOND_MS } from "../core/clock.ts";
import { defineStatement, type Statement } from "../db/statement.ts";

/**
 * Throttles as parts of a batch. The first statement decides by these conditions, and a later one counts, so each of
 * many concurrent requests sees the counts of those before it. All of them use `:now`.
 */

/** SQL: a column of a counter, or 0 if the counter is absent or expired. `key` is an SQL expression. */
export function counterValue(
  scope: ThrottleScope,
  key: string,
  column: "count" | "next_at" | "expires_at",
): string {
  return `coalesce((SELECT counter.${column} FROM throttle counter
    WHERE counter.scope = '${scope}' AND counter.key = ${key} AND counter.expires_at > :now), 0)`;
}

/** Counts one event in a window that begins with its first event. `condition` says whether to count at all. */
export function countInWindow(
  scope: ThrottleScope,
  key: string,
  windowSeconds: number,
  condition: string,
): Statement {
  const end = `:now + ${windowSeconds * SECOND_MS}`;
  return defineStatement(`
    INSERT INTO throttle (scope, key, count, started_at, expires_at)
    SELECT '${scope}', ${key}, 1, :now, ${end} WHERE ${condition}
    ON CONFLICT (scope, key) DO UPDATE SET
      count = CASE WHEN expires_at <= :now THEN 1 ELSE count + 1 END,
      started_at = CASE WHEN expires_at <= :now THEN :now ELSE started_at END,
      expires_at = CASE WHEN expires_at <= :now THEN ${end} ELSE expires_at END`);
}

/** SQL: the wait, in milliseconds, after `failures` (an SQL expression) consecutive failures on the guess schedule. */
export function guessWait(failures: string): string {
  const last = GUESS_WAITS_SECONDS.length;
  const steps = GUESS_WAITS_SECONDS.map((seconds, i) =>
    i + 1 === last
      ? `ELSE ${seconds * SECOND_MS}`
      : `WHEN ${failures} <= ${i + 1} THEN ${seconds * SECOND_MS}`
  );
  const locked = `WHEN ${failures} >= ${GUESS_LOCK_FAILURES} THEN ${GUESS_LOCK_SECONDS * SECOND_MS}`;
  return `CASE ${locked} ${steps.join(" ")} END`;
}

/** Counts one failure on the guess schedule and sets the wait that follows from it. */
export function countGuess(scope: ThrottleScope, key: string, condition: string): Statement {
  const memory = GUESS_MEMORY_SECONDS * SECOND_MS;
  const failures = "CASE WHEN expires_at <= :now THEN 1 ELSE count + 1 END";
  const firstWait = guessWait("1");
  const nextWait = guessWait(`(${failures})`);
  return defineStatement(`
    INSERT INTO throttle (scope, key, count, next_at, started_at, expires_at)
    SELECT '${scope}', ${key}, 1, :now + ${firstWait}, :now, :now + ${firstWait} + ${memory} WHERE ${condition}
    ON CONFLICT (scope, key) DO UPDATE SET
      count = ${failures},
      next_at = :now + ${nextWait},
      started_at = CASE WHEN expires_at <= :now THEN :now ELSE started_at END,
      expires_at = :now + ${nextWait} + ${memory}`);
}

/** Counts one failure on an account from addresses that never signed in to it, and sets the wait that they share. */
export function countStranger(key: string, condition: string): Statement {
  const memory = STRANGER_MEMORY_SECONDS * SECOND_MS;
  return defineStatement(`
    INSERT INTO throttle (scope, key, count, started_at, expires_at)
    SELECT '${THROTTLE_SCOPES.passwordOfStrangers}', ${key}, 1, :now, :now + ${memory} WHERE ${condition}
    ON CONFLICT (scope, key) DO UPDATE SET
      count = CASE WHEN expires_at <= :now THEN 1 ELSE count + 1 END,
      next_at = CASE WHEN expires_at > :now AND count + 1 >= ${STRANGER_FAILURES}
        THEN :now + ${STRANGER_WAIT_SECONDS * SECOND_MS} ELSE 0 END,
      expires_at = :now + ${memory}`);
}

/** A counter to decrement or delete. */
export interface Counter {
  readonly scope: ThrottleScope;
  /** An SQL expression. */
  readonly key: string;
  /** SQL: a further condition, for this counter alone. */
  readonly condition?: string;
}

/** Decrements each counter by one event, and leaves the wait that the event set. */
export function takeBack(counters: readonly Counter[], condition: string): Statement {
  return defineStatement(`
    UPDATE throttle SET count = count - 1 WHERE count > 0 AND ${condition} AND ${isOneOf(counters)}`);
}

/** Decrements each counter by one event, and removes the wait that the event set. */
export function takeBackWithWait(counters: readonly Counter[], condition: string): Statement {
  return defineStatement(`
    UPDATE throttle SET count = count - 1, next_at = 0
    WHERE count > 0 AND ${condition} AND ${isOneOf(counters)}`);
}

/** Deletes counters, with their waits. */
export function forgetCounters(counters: readonly Counter[], condition: string): Statement {
  return defineStatement(`DELETE FROM throttle WHERE ${condition} AND ${isOneOf(counters)}`);
}

/** Deletes the counters whose key is this one, a space and any client address. */
export function forgetPairs({ scope, key }: Omit<Counter, "condition">, condition: string): Statement {
  return defineStatement(`
    DELETE FROM throttle WHERE scope = '${scope}'
      AND key >= ${key} || ' ' AND key < ${key} || '!' AND ${condition}`);
}

function isOneOf(counters: readonly Counter[]): string {
  const each = counters.map(({ scope, key, condition }) =>
    `(scope = '${scope}' AND key = ${key}${condition === undefined ? "" : ` AND ${condition}`})`
  );
  return `(${each.join(" OR ")})`;
}

/** Up to `most` events of a key, in a window that begins with the first of them. */
export interface Budget {
  readonly scope: ThrottleScope;
  /** An SQL expression. */
  readonly key: string;
  readonly windowSeconds: number;
  readonly most: number;
}

function isUsedUp({ scope, key, most }: Budget): string {
  return `${counterValue(scope, key, "count")} >= ${most}`;
}

/** SQL: none of the budgets is used up. */
export function withinBudgets(budgets: readonly Budget[]): string {
  return `NOT (${budgets.map(isUsedUp).join(" OR ")})`;
}

/** SQL: when the last used-up budget becomes free, in milliseconds since the Unix epoch; 0 if none is used up. */
export function budgetsFreeAt(budgets: readonly Budget[]): string {
  const ends = budgets.map((budget) =>
    `CASE WHEN ${isUsedUp(budget)} THEN ${counterValue(budget.scope, budget.key, "expires_at")} ELSE 0 END`
  );
  return `max(0, ${ends.join(", ")})`;
}

/** Counts one event in each of the budgets. `condition` says whether to count at all. */
export function countInBudgets(budgets: readonly Budget[], condition: string): readonly Statement[] {
  return budgets.map(({ scope, key, windowSeconds }) => countInWindow(scope, key, windowSeconds, condition));
}
