import {
  GUESS_LOCK_FAILURES,
  GUESS_LOCK_SECONDS,
  GUESS_MEMORY_SECONDS,
  GUESS_WAITS_SECONDS,
  type ThrottleScope,
} from "./limits.ts";
import { SECOND_MS } from "../core/clock.ts";
import { isAhead } from "../db/ahead.ts";
import { throttle } from "../db/schema/throttle.ts";
import {
  assigned,
  bare,
  type Declared,
  define,
  inserted,
  int,
  join,
  placeholdersOf,
  quoted,
  row,
  type SQL,
  sql,
  text,
  type Value,
} from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";

/**
 * Throttles as parts of a batch. The first statement decides by these conditions, and a later one counts, so each of
 * many concurrent requests sees the counts of those before it. `declared` are the arguments of keys, conditions and
 * amounts.
 */

const { now, networks } = placeholdersOf({ now: int, networks: text });

/** A counter, by the rule that it belongs to and the key that it counts for. */
export interface Counter {
  readonly scope: ThrottleScope;
  readonly key: Value;
}

/** A counter of events in a window that begins with the first of them. */
export interface CountedWindow extends Counter {
  readonly windowSeconds: number;
}

/** Up to `most` events in such a window. */
export interface Budget extends CountedWindow {
  readonly most: number;
}

/** The counter has expired, or counts from a time to come: a clock was ahead. */
function isOver({ startedAt, expiresAt }: typeof throttle): SQL {
  return sql`(${expiresAt} <= ${now} OR ${isAhead(startedAt, now)})`;
}

/** Selects a column of a counter, or 0 if the counter is absent or over. */
export function counterValue({ scope, key }: Counter, column: "count" | "expiresAt"): SQL<number> {
  const counter = row(throttle, "counter");
  return sql<number>`coalesce((SELECT ${counter[column]} FROM ${counter}
    WHERE ${counter.scope} = ${quoted(scope)} AND ${counter.key} = ${key}
      AND NOT ${isOver(counter)}), 0)`;
}

/** Counts one event, if `condition` holds, as `amount`. */
export function countInWindow(
  declared: Declared,
  { scope, key, windowSeconds }: CountedWindow,
  condition: SQL,
  amount: Value = 1,
): Statement {
  const keys = sql`SELECT ${key} AS key`;
  return define({ ...declared, now: int }, () => counting({ scope, keys, windowSeconds, condition, amount }));
}

interface Counting extends Pick<CountedWindow, "scope" | "windowSeconds"> {
  /** Selects the keys of the counters, in the column `key`. */
  readonly keys: SQL;
  readonly condition: SQL;
  readonly amount: Value;
}

/** Returns the statement that counts an event in each of several counters. */
function counting({ scope, keys, windowSeconds, condition, amount }: Counting): SQL {
  const end = sql`${now} + ${windowSeconds * SECOND_MS}`;
  const { names, values } = inserted(throttle, {
    scope: quoted(scope),
    key: sql`counted.key`,
    count: amount,
    startedAt: now,
    expiresAt: end,
  });
  const { count, startedAt, expiresAt } = throttle;
  return sql`
    INSERT INTO ${throttle} (${names})
    SELECT ${values} FROM (${keys}) counted WHERE ${condition}
    ON CONFLICT (${bare(throttle.scope, throttle.key)}) DO UPDATE SET
      ${bare(count)} = iif(${isOver(throttle)}, ${amount}, ${count} + ${amount}),
      ${bare(startedAt)} = iif(${isOver(throttle)}, ${now}, ${startedAt}),
      ${bare(expiresAt)} = iif(${isOver(throttle)}, ${end}, ${expiresAt})`;
}

/** Returns the wait, in milliseconds, after this many consecutive failures on the guess schedule. */
export function guessWait(failures: Value): SQL {
  const last = GUESS_WAITS_SECONDS.length;
  const steps = GUESS_WAITS_SECONDS.map((seconds, i) =>
    i + 1 === last
      ? sql`ELSE ${seconds * SECOND_MS}`
      : sql`WHEN ${failures} <= ${i + 1} THEN ${seconds * SECOND_MS}`
  );
  return sql`CASE WHEN ${failures} >= ${GUESS_LOCK_FAILURES} THEN ${GUESS_LOCK_SECONDS * SECOND_MS}
    ${join(steps, " ")} END`;
}

/** Returns `nextAt`, when the next guess is checked; 0 if that lies further ahead than after so many failures. */
export function unlessAhead(nextAt: Value, failures: Value): SQL {
  return sql`iif(${isAhead(nextAt, now, guessWait(failures))}, 0, ${nextAt})`;
}

/** Returns when the next guess is checked, in milliseconds since the Unix epoch; 0 or a past time if one is now. */
export function nextGuessAt({ scope, key }: Counter): SQL<number> {
  const counter = row(throttle, "counter");
  return sql<number>`coalesce((SELECT ${unlessAhead(counter.nextAt, counter.count)} FROM ${counter}
    WHERE ${counter.scope} = ${quoted(scope)} AND ${counter.key} = ${key}), 0)`;
}

/**
 * Counts one failure on the guess schedule, and sets its wait. A failure counts although a clock was ahead: otherwise
 * instances whose clocks differ would forget each other's failures.
 */
export function countGuess(declared: Declared, { scope, key }: Counter, condition: SQL): Statement {
  return define({ ...declared, now: int }, () => {
    const memory = GUESS_MEMORY_SECONDS * SECOND_MS;
    const { count, nextAt, startedAt, expiresAt } = throttle;
    const failures = sql`iif(${expiresAt} <= ${now}, 1, ${count} + 1)`;
    const firstWait = guessWait(1);
    const nextWait = guessWait(sql`(${failures})`);
    const { names, values } = inserted(throttle, {
      scope: quoted(scope),
      key,
      count: 1,
      nextAt: sql`${now} + ${firstWait}`,
      startedAt: now,
      expiresAt: sql`${now} + ${firstWait} + ${memory}`,
    });
    return sql`
    INSERT INTO ${throttle} (${names})
    SELECT ${values} WHERE ${condition}
    ON CONFLICT (${bare(throttle.scope, throttle.key)}) DO UPDATE SET
      ${bare(count)} = ${failures},
      ${bare(nextAt)} = ${now} + ${nextWait},
      ${bare(startedAt)} = ${now},
      ${bare(expiresAt)} = ${now} + ${nextWait} + ${memory}`;
  });
}

const DECREMENTED = assigned(throttle, { count: sql`${throttle.count} - 1` });

/** Decrements each counter by one event, and leaves the wait that the event set. */
export function takeBack(declared: Declared, counters: readonly Counter[], condition: SQL): Statement {
  return define(declared, () =>
    sql`
    UPDATE ${throttle} SET ${DECREMENTED}
    WHERE ${throttle.count} > 0 AND ${condition} AND ${isOneOf(counters)}`);
}

/** Decrements each counter by one event, and removes the wait that the event set. */
export function takeBackWithWait(
  declared: Declared,
  counters: readonly Counter[],
  condition: SQL,
): Statement {
  return define(declared, () =>
    sql`
    UPDATE ${throttle} SET ${DECREMENTED}, ${assigned(throttle, { nextAt: 0 })}
    WHERE ${throttle.count} > 0 AND ${condition} AND ${isOneOf(counters)}`);
}

/** Deletes counters, with their waits. */
export function forgetCounters(declared: Declared, counters: readonly Counter[], condition: SQL): Statement {
  return define(declared, () => sql`DELETE FROM ${throttle} WHERE ${condition} AND ${isOneOf(counters)}`);
}

/** Deletes the counters whose key is this one, a space and any client address or network. */
export function forgetPairs(declared: Declared, { scope, key }: Counter, condition: SQL): Statement {
  return define(declared, () =>
    sql`
    DELETE FROM ${throttle} WHERE ${throttle.scope} = ${quoted(scope)}
      AND ${throttle.key} >= ${key} || ' ' AND ${throttle.key} < ${key} || '!' AND ${condition}`);
}

function isOneOf(counters: readonly Counter[]): SQL {
  const each = counters.map(({ scope, key }) =>
    sql`(${throttle.scope} = ${quoted(scope)} AND ${throttle.key} = ${key})`
  );
  return sql`(${join(each, " OR ")})`;
}

function isUsedUp(budget: Budget): SQL {
  return sql`${counterValue(budget, "count")} >= ${budget.most}`;
}

/** Whether none of the budgets is used up. */
export function withinBudgets(budgets: readonly Budget[]): SQL {
  return sql`NOT (${join(budgets.map(isUsedUp), " OR ")})`;
}

/** Returns when the last used-up budget becomes free, in milliseconds since the Unix epoch; 0 if none is used up. */
export function budgetsFreeAt(budgets: readonly Budget[]): SQL {
  const ends = budgets.map((budget) =>
    sql`CASE WHEN ${isUsedUp(budget)} THEN ${counterValue(budget, "expiresAt")} ELSE 0 END`
  );
  return sql`max(0, ${join(ends)})`;
}

/** Counts one event in each of the budgets, if `condition` holds. */
export function countInBudgets(
  declared: Declared,
  budgets: readonly Budget[],
  condition: SQL,
): readonly Statement[] {
  return budgets.map((budget) => countInWindow(declared, budget, condition));
}

/**
 * Up to `most` events of a client, in a window that begins with the first of them, and of each of its networks that
 * many times the network's factor. Its statements take `networks`, the JSON text of `networksOf`.
 */
export interface NetworkBudget {
  readonly scope: ThrottleScope;
  /** The subject of the events, such as the key of an account. */
  readonly subject?: Value;
  readonly windowSeconds: number;
  readonly most: number;
}

/**
 * A budget with a limit over all networks, too. From `crowded` events on, a network with an event gets no more, so that
 * the rest is for networks without one.
 */
export interface CrowdedBudget extends NetworkBudget {
  readonly subject: Value;
  readonly crowded: number;
  readonly overall: number;
}

/** The networks of the client, with their factors. */
const EACH_NETWORK = sql`json_each(${networks}) network`;

/** Returns the key of the row `network` of `EACH_NETWORK`. */
function networkKey({ subject }: NetworkBudget): SQL {
  return subject === undefined ? sql`network.key` : sql`${subject} || ' ' || network.key`;
}

function isCrowded(budget: NetworkBudget): budget is CrowdedBudget {
  return "crowded" in budget;
}

/** Selects the keys of all counters of a budget, in the column `key`. */
function budgetKeys(budget: NetworkBudget): SQL {
  const keys = sql`SELECT ${networkKey(budget)} AS key FROM ${EACH_NETWORK}`;
  return isCrowded(budget) ? sql`${keys} UNION ALL SELECT ${budget.subject}` : keys;
}

/**
 * Returns when the client of `networks` is within all budgets again, in milliseconds since the Unix epoch; 0 or a past
 * time if it is. Later events of other clients may defer it.
 */
export function networksFreeAt(budgets: readonly NetworkBudget[]): SQL {
  return sql`max(0, ${join(budgets.flatMap(listEnds))})`;
}

/** Returns the ends of the windows that the client waits for, 0 for each that is not full. */
function listEnds(budget: NetworkBudget): readonly SQL[] {
  const { scope, most } = budget;
  const spent = row(throttle, "spent");
  const counters = sql`${EACH_NETWORK} CROSS JOIN ${spent}
    ON ${spent.scope} = ${quoted(scope)} AND ${spent.key} = ${networkKey(budget)}
      AND NOT ${isAhead(spent.startedAt, now)}`;
  const isSpent = sql`${spent.count} >= ${most} * network.value`;
  if (!isCrowded(budget)) {
    return [sql`coalesce((SELECT max(${spent.expiresAt}) FROM ${counters} AND ${isSpent}), 0)`];
  }
  const { subject: key, crowded, overall } = budget;
  const count = counterValue({ scope, key }, "count");
  const end = counterValue({ scope, key }, "expiresAt");
  return [
    sql`coalesce((SELECT max(CASE WHEN ${isSpent} THEN ${spent.expiresAt}
        WHEN ${spent.count} > 0 AND ${count} >= ${crowded} THEN min(${spent.expiresAt}, ${end}) END)
      FROM ${counters}), 0)`,
    sql`CASE WHEN ${count} >= ${overall} THEN ${end} ELSE 0 END`,
  ];
}

/** Counts one event of the client of `networks` in the budget, if `condition` holds. */
export function countInNetworks(declared: Declared, budget: NetworkBudget, condition: SQL): Statement {
  const { scope, windowSeconds } = budget;
  const keys = budgetKeys(budget);
  return define(
    { ...declared, networks: text, now: int },
    () => counting({ scope, keys, windowSeconds, condition, amount: 1 }),
  );
}

/** Takes one event of the client of `networks` back. */
export function takeBackInNetworks(declared: Declared, budget: NetworkBudget, condition: SQL): Statement {
  return define({ ...declared, networks: text }, () =>
    sql`
    UPDATE ${throttle} SET ${DECREMENTED}
    WHERE ${throttle.scope} = ${quoted(budget.scope)} AND ${throttle.key} IN (${budgetKeys(budget)})
      AND ${throttle.count} > 0 AND ${condition}`);
}
