/** The source of time: milliseconds since the Unix epoch. Injected, so that tests can move it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/**
 * How far a stored moment may lie ahead of what its kind allows: clocks of processes differ, by seconds. Beyond that, it
 * was stored while a clock was ahead, and locks nothing (`db/ahead.ts`).
 */
export const CLOCK_TOLERANCE_MS = MINUTE_MS;

/** Whether `at` is less than `ms` milliseconds ago. A time to come is not: the clock was ahead then. */
export function isWithin(ms: number, at: number, now: number): boolean {
  return now >= at && now - at < ms;
}
