import { isPassing, Problem, toProblem } from "../../problem.ts";
import { pauseAfter } from "../../retry.ts";

/** What became of many steps, but for those that were taken. */
export interface Steps<T> {
  /** Those that the service refused, with its reason. */
  readonly refused: readonly { readonly item: T; readonly problem: Problem }[];
  /** Those that were not tried, since `problem` or the user ended it. */
  readonly left: readonly T[];
  readonly problem: Problem | undefined;
}

/** A wait that is worth it, in seconds. Limits of a day are longer. */
const LONGEST_WAIT = 120;

/**
 * Takes a step for each item, one after another. A refusal concerns its item alone; a short wait is waited for; a lost
 * connection, a longer wait or the end of the session ends it, as does the signal after the current step.
 */
export async function runSteps<T>(
  items: readonly T[],
  step: (item: T) => Promise<unknown>,
  onStep: (taken: number) => void,
  signal: AbortSignal,
): Promise<Steps<T>> {
  const refused: { item: T; problem: Problem }[] = [];
  const end = (i: number, problem?: Problem): Steps<T> => ({ refused, left: items.slice(i), problem });
  for (let i = 0; i < items.length;) {
    if (signal.aborted) return end(i);
    const item = items[i] as T;
    try {
      await step(item);
    } catch (error) {
      const problem = toProblem(error);
      if (problem.status === 429 && (problem.retryAfter ?? Infinity) <= LONGEST_WAIT) {
        await pauseAfter(1, problem, signal);
        continue;
      }
      if (isPassing(problem) || problem.status === 401) return end(i, problem);
      refused.push({ item, problem });
    }
    onStep(++i);
  }
  return end(items.length);
}
