import { setTimeout as delay } from "node:timers/promises";
import { isBusy, translateError, unavailable } from "./sql_errors.ts";

const MIN_PAUSE_MS = 2;
const MAX_PAUSE_MS = 80;
const MAX_LOCKED_PAUSE_MS = 5;

/**
 * Runs an operation, and retries it after random pauses while another connection holds its lock. An attempt that meets
 * the lock has done nothing. Throws `UNAVAILABLE` if `deadline`, a time of `performance.now()`, would pass during a
 * pause.
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

/** Waits a random time, short enough to meet the pauses of a long task (`takingTurns`). */
export async function pauseWhileLocked(): Promise<void> {
  await delay(Math.random() * MAX_LOCKED_PAUSE_MS);
}

function randomPauseMs(): number {
  return MIN_PAUSE_MS + Math.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS);
}
