import {
  GUESS_LOCK_FAILURES,
  GUESS_LOCK_SECONDS,
  GUESS_MEMORY_SECONDS,
  GUESS_WAITS_SECONDS,
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

/**
 * Counts one event in a window that begins with its first event. `condition` says whether to count at all, and `amount`,
 * an SQL expression, as how many.
 */
export function countInWindow(
  scope: ThrottleScope,
  key: string,
  windowSeconds: number,
  condition: string,
  amount = "1",
): Statement {
  return countKeysInWindow(scope, `SELECT ${key} AS key`, windowSeconds, condition, amount);
}

/** The same for each of the keys that `keys` selects, in the column `key`. */
function countKeysInWindow(
  scope: ThrottleScope,
  keys: string,
  windowSeconds: number,
  condition: string,
  amount = "1",
): Statement {
  const end = `:now + ${windowSeconds * SECOND_MS}`;
  return defineStatement(`
    INSERT INTO throttle (scope, key, count, started_at, expires_at)
    SELECT '${scope}', counted.key, ${amount}, :now, ${end} FROM (${keys}) counted WHERE ${condition}
    ON CONFLICT (scope, key) DO UPDATE SET
      count = CASE WHEN expires_at <= :now THEN ${amount} ELSE count + ${amount} END,
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

/** A counter to decrement or delete. */
export interface Counter {
  readonly scope: ThrottleScope;
  /** An SQL expression. */
  readonly key: string;
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

/** Deletes the counters whose key is this one, a space and any client address or network. */
export function forgetPairs({ scope, key }: Counter, condition: string): Statement {
  return defineStatement(`
    DELETE FROM throttle WHERE scope = '${scope}'
      AND key >= ${key} || ' ' AND key < ${key} || '!' AND ${condition}`);
}

function isOneOf(counters: readonly Counter[]): string {
  const each = counters.map(({ scope, key }) => `(scope = '${scope}' AND key = ${key})`);
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

/**
 * Up to `most` events of a client, in a window that begins with the first of them, and that many times its factor of
 * each network that the client is in. Its statements take `:networks`, the JSON text of `networksOf`.
 */
export interface NetworkBudget {
  readonly scope: ThrottleScope;
  /** An SQL expression: what the events concern, such as the key of an account. */
  readonly subject?: string;
  readonly windowSeconds: number;
  readonly most: number;
}

/**
 * A budget with a limit over all networks, too. From `crowded` events on, a network with an event has no more, so that
 * what is left is for networks without one.
 */
export interface CrowdedBudget extends NetworkBudget {
  readonly subject: string;
  readonly crowded: number;
  readonly overall: number;
}

/** SQL: the key of the row `network` of `:networks`. */
function networkKey({ subject }: NetworkBudget): string {
  return subject === undefined ? "network.key" : `${subject} || ' ' || network.key`;
}

function isCrowded(budget: NetworkBudget): budget is CrowdedBudget {
  return "crowded" in budget;
}

/** SQL: the keys of all counters of a budget, in the column `key`. */
function budgetKeys(budget: NetworkBudget): string {
  const keys = `SELECT ${networkKey(budget)} AS key FROM json_each(:networks) network`;
  return isCrowded(budget) ? `${keys} UNION ALL SELECT ${budget.subject}` : keys;
}

/**
 * SQL: when the client of `:networks` is within all budgets again, in milliseconds since the Unix epoch; if it is
 * already, 0 or a time that is over. Later events of others may defer it.
 */
export function networksFreeAt(budgets: readonly NetworkBudget[]): string {
  return `max(0, ${budgets.flatMap(listEnds).join(", ")})`;
}

/** SQL: the ends of the windows that the client waits for, 0 for each that is not full. */
function listEnds(budget: NetworkBudget): readonly string[] {
  const { scope, most } = budget;
  const counters = `json_each(:networks) network CROSS JOIN throttle spent
    ON spent.scope = '${scope}' AND spent.key = ${networkKey(budget)}`;
  const isSpent = `spent.count >= ${most} * network.value`;
  if (!isCrowded(budget)) {
    return [`coalesce((SELECT max(spent.expires_at) FROM ${counters} AND ${isSpent}), 0)`];
  }
  const overall = counterValue(scope, budget.subject, "count");
  const overallEnd = counterValue(scope, budget.subject, "expires_at");
  return [
    `coalesce((SELECT max(CASE WHEN ${isSpent} THEN spent.expires_at
        WHEN spent.count > 0 AND ${overall} >= ${budget.crowded} THEN min(spent.expires_at, ${overallEnd}) END)
      FROM ${counters}), 0)`,
    `CASE WHEN ${overall} >= ${budget.overall} THEN ${overallEnd} ELSE 0 END`,
  ];
}

/** Counts one event of the client of `:networks` in the budget. `condition` says whether to count at all. */
export function countInNetworks(budget: NetworkBudget, condition: string): Statement {
  return countKeysInWindow(budget.scope, budgetKeys(budget), budget.windowSeconds, condition);
}

/** Takes one event of the client of `:networks` back. */
export function takeBackInNetworks(budget: NetworkBudget, condition: string): Statement {
  return defineStatement(`
    UPDATE throttle SET count = count - 1
    WHERE scope = '${budget.scope}' AND key IN (${budgetKeys(budget)}) AND count > 0 AND ${condition}`);
}
