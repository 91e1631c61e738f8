import type { Problem } from "./problem.ts";

/** The first and the longest pause, in milliseconds, without the random part. */
const FIRST = 3000;
const LONGEST = 48_000;
/** The random part, so that pages do not retry together. */
const MOST_ADDED = 10_000;

/**
 * Waits before a retry after `failures` in a row: as long as the service says, or else increasingly, up to a minute.
 * Without such a time, the wait ends when the browser is online again or the page becomes visible. The signal ends
 * it, too.
 */
export function pauseAfter(
  failures: number,
  { retryAfter }: Pick<Problem, "retryAfter">,
  signal: AbortSignal,
): Promise<void> {
  const least = retryAfter === undefined ? Math.min(LONGEST, FIRST * 2 ** (failures - 1)) : retryAfter * 1000;
  return new Promise((resolve) => {
    const listening = new AbortController();
    const options = { signal: listening.signal };
    const end = (): void => {
      clearTimeout(timer);
      listening.abort();
      resolve();
    };
    const timer = setTimeout(end, least + Math.random() * Math.min(least / 2, MOST_ADDED));
    signal.addEventListener("abort", end, options);
    if (signal.aborted) end();
    if (retryAfter !== undefined) return;
    addEventListener("online", end, options);
    document.addEventListener("visibilitychange", () => document.hidden || end(), options);
  });
}
