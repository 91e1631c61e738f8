import { setTimeout as delay } from "node:timers/promises";
import { isBusy, translateError, unavailable } from "./sql_errors.ts";

const MIN_PAUSE_MS = 2;
const MAX_PAUSE_MS = 80;

/**
 * Runs an operation, and retries it after random pauses as long as another connection holds the lock that it needs. An
 * operation that fails for this reason has done nothing. Throws `UNAVAILABLE` if `deadline`, a time of
 * `performance.now()`, would pass during a pause.
 */
export async function retryWhileBusy<T>(operation: () => T | Promise<T>, deadline: number): Promise<T> {
  for (;;) {
    try {
      return await operation();
    } catch (error) {
      const pauseMs = randomPauseMs();
      if (!isBusy(error)) throw translateError(error);
      if (performance.now() + pauseMs > deadline) throw unavailable(error);
      await delay(pauseMs);
    }
  }
}

/** Waits a random time, since those that wait for one lock should not all try at once. */
export async function pauseWhileBusy(): Promise<void> {
  await delay(randomPauseMs());
}

function randomPauseMs(): number {
  return MIN_PAUSE_MS + Math.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS);
}
