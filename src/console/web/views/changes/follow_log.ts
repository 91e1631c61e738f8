import { isPassing, Problem, toProblem } from "../../problem.ts";
import { pauseAfter } from "../../retry.ts";
import type { Change } from "./kinds.ts";
import { type LogFilter, queryChanges } from "../../ask_lists.ts";

/** Seconds that a request waits for news. */
const WAIT = 25;
const LIMIT = 200;
/** Seconds of the pause after an immediate empty response, as from a service that is shutting down. */
const PAUSE = 1;

interface Follower {
  /** Receives new changes, oldest first, with the revision to continue after. */
  readonly onChanges: (changes: readonly Change[], after: number, signal: AbortSignal) => Promise<void>;
  /** Called when the service stops responding, and when it responds again. */
  readonly onProblem: (problem: Problem | undefined) => void;
}

/** Requests new changes until the signal aborts. The service holds each request until there is one (long polling). */
export async function followLog(
  filter: LogFilter,
  begin: number,
  { onChanges, onProblem }: Follower,
  signal: AbortSignal,
): Promise<void> {
  let after = begin;
  let failures = 0;
  while (!signal.aborted) {
    const asked = performance.now();
    const result = await queryChanges({ filter, after, limit: LIMIT, wait: WAIT }, signal)
      .then(async (page) => {
        await onChanges(page.change, page.nextRevision, signal);
        return page;
      })
      .catch((error) => signal.aborted ? undefined : toProblem(error));
    if (signal.aborted || result === undefined) return;
    const problem = result instanceof Problem ? result : undefined;
    onProblem(problem);
    if (result instanceof Problem) {
      if (!isPassing(result)) return;
      await pauseAfter(++failures, result, signal);
    } else {
      failures = 0;
      after = result.nextRevision;
      if (result.change.length === 0 && performance.now() - asked < PAUSE * 1000) {
        await pauseAfter(1, { retryAfter: PAUSE }, signal);
      }
    }
  }
}
