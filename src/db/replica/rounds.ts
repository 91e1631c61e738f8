import { setImmediate } from "node:timers/promises";
import { waitAtMost } from "../../core/deadline.ts";

/**
 * Shares rounds of work among callers. The returned function resolves with the result of a round that began after it
 * was called: once the latest round has ended or is `spacingMs` old. All who call until then share it. So rounds that
 * take long overlap, and a caller hardly waits for more than one.
 */
export function shareRounds<T>(run: () => Promise<T>, spacingMs: number): () => Promise<T> {
  let latest: { readonly ended: Promise<unknown>; readonly begunAt: number } | undefined;
  let next: Promise<T> | undefined;

  function begin(): Promise<T> {
    next = undefined;
    const round = run();
    const ended = round.catch(() => undefined);
    const mine = latest = { ended, begunAt: performance.now() };
    void ended.then(() => {
      if (latest === mine) latest = undefined;
    });
    return round;
  }

  function untilDue(): Promise<unknown> {
    // Requests that arrive together are served one after the other, and share a round this way.
    if (latest === undefined) return setImmediate();
    const waitMs = latest.begunAt + spacingMs - performance.now();
    return waitAtMost(Math.max(0, waitMs), latest.ended, () => undefined);
  }

  return () => next ??= untilDue().then(begin);
}
