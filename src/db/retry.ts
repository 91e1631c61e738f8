import { setTimeout as delay } from "node:timers/promises";
import { isBusy, translateError, unavailable } from "./sql_errors.ts";

const MIN_PAUSE_MS = 2;
const MAX_PAUSE_MS = 80;

/**
 * Runs an operation, and again, after a pause of random length, as long as another connection holds the lock that it
 * needs: then nothing of it has happened. `deadline` as of `performance.now()`; past it `UNAVAILABLE` is thrown.
 */
export async function retryWhileBusy<T>(operation: () => T | Promise<T>, deadline: number): Promise<T> {
  for (;;) {
    try {
      return await operation();
    } catch (error) {
      const pauseMs = MIN_PAUSE_MS + Math.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS);
      if (!isBusy(error)) throw translateError(error);
      if (performance.now() + pauseMs > deadline) throw unavailable(error);
      await delay(pauseMs);
    }
  }
}
