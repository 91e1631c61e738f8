import type { Problem } from "./problem.ts";

/** In milliseconds: the first pause, and the longest, without what chance adds. */
const FIRST = 3000;
const LONGEST = 48_000;
/** Pages that failed together do not come back together. */
const MOST_ADDED = 10_000;

/**
 * Waits after so many failures in a row before it is tried again: as long as the service says, or else longer each time,
 * up to a minute. Without such a word of the service, it is over at once when the browser has a connection again, or
 * somebody comes back to the page. The signal ends it, too.
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
