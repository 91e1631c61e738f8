import { raw, render } from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import { declaredIn } from "../mail/mail_text.ts";
import type { ThrottleScope } from "./limits.ts";
import * as throttle from "./throttle_queries.ts";

/** The parts of `throttle_queries.ts` for statements that are still texts. */

const COLUMNS = { count: "count", next_at: "nextAt", expires_at: "expiresAt" } as const;

export function counterValue(scope: ThrottleScope, key: string, column: keyof typeof COLUMNS): string {
  return render(throttle.counterValue({ scope, key: raw(key) }, COLUMNS[column]));
}

export function countInWindow(
  scope: ThrottleScope,
  key: string,
  windowSeconds: number,
  condition: string,
  amount = "1",
): Statement {
  const window = { scope, key: raw(key), windowSeconds };
  return throttle.countInWindow(declaredIn(key, condition, amount), window, raw(condition), raw(amount));
}

export interface Counter {
  readonly scope: ThrottleScope;
  readonly key: string;
}

export interface Budget extends Counter {
  readonly windowSeconds: number;
  readonly most: number;
}

/** A counter, or more, as templates take it. */
function read<C extends Counter>(counter: C): C & throttle.Counter {
  return { ...counter, key: raw(counter.key) } as C & throttle.Counter;
}

function keysOf(counters: readonly Counter[]): readonly string[] {
  return counters.map(({ key }) => key);
}

export function countGuess(scope: ThrottleScope, key: string, condition: string): Statement {
  return throttle.countGuess(declaredIn(key, condition), { scope, key: raw(key) }, raw(condition));
}

export function takeBack(counters: readonly Counter[], condition: string): Statement {
  const declared = declaredIn(...keysOf(counters), condition);
  return throttle.takeBack(declared, counters.map(read), raw(condition));
}

export function takeBackWithWait(counters: readonly Counter[], condition: string): Statement {
  const declared = declaredIn(...keysOf(counters), condition);
  return throttle.takeBackWithWait(declared, counters.map(read), raw(condition));
}

export function forgetCounters(counters: readonly Counter[], condition: string): Statement {
  const declared = declaredIn(...keysOf(counters), condition);
  return throttle.forgetCounters(declared, counters.map(read), raw(condition));
}

export function withinBudgets(budgets: readonly Budget[]): string {
  return render(throttle.withinBudgets(budgets.map(read)));
}

export function countInBudgets(budgets: readonly Budget[], condition: string): readonly Statement[] {
  return throttle.countInBudgets(
    declaredIn(...keysOf(budgets), condition),
    budgets.map(read),
    raw(condition),
  );
}
