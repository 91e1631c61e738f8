import { MINUTE_MS } from "../core/clock.ts";
import { createLimiter } from "../core/limiter.ts";
import { compareForeign } from "./foreign_hash.ts";

/**
 * How long comparisons with hashes of other systems take, and in which order they run. Failures last as long as the
 * costliest comparison usually takes, somewhat longer: on a busy machine that is several times as long as on an idle one.
 */

/** A failure lasts this multiple of the time that 9 of 10 comparisons stayed below, */
const HELD_FACTOR = 1.25;
const HELD_QUANTILE = 0.9;
/** but at most this multiple of the median, so that a stop of the machine does not slow all that follow. */
const MOST_OF_MEDIAN = 1.5;
/** How many times are kept, and for how long. */
const KEPT_TIMES = 64;
const KEPT_MS = 5 * MINUTE_MS;
/** How often a hash is compared before its time is used. With fewer times of late, older ones count, too. */
const FIRST_TIMES = 3;

/** Compares passwords with such hashes. Times are in milliseconds. */
export interface ForeignWork {
  readonly compare: typeof compareForeign;
  now(): number;
  /** Resolves after this time, or when the signal ends it. */
  delay(ms: number, signal: AbortSignal): Promise<void>;
}

export const FOREIGN_WORK: ForeignWork = {
  compare: compareForeign,
  now: () => performance.now(),
  delay: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const end = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener("abort", end, { once: true });
    }),
};

/** A hash of another system that no password matches, and how long its comparisons take. */
export interface TimedHash {
  compare(password: string): Promise<void>;
  /** The median of the latest times. */
  typical(): number;
  /** How long a failure lasts. */
  held(): number;
}

function timeHash(dummy: string, { compare, now }: ForeignWork): TimedHash {
  let times: { readonly at: number; readonly ms: number }[] = [];

  /** Returns the time that this part of the latest stayed below. */
  function quantile(part: number): number {
    const fresh = times.filter(({ at }) => at > now() - KEPT_MS);
    const latest = (fresh.length < FIRST_TIMES ? times : fresh).map(({ ms }) => ms);
    return latest.sort((one, other) => one - other)[Math.ceil(part * latest.length) - 1] ?? 0;
  }

  return {
    async compare(password): Promise<void> {
      const beganAt = now();
      await compare(password, dummy);
      times = [...times.slice(1 - KEPT_TIMES), { at: now(), ms: now() - beganAt }];
    },
    typical: () => quantile(0.5),
    held: () => Math.min(HELD_FACTOR * quantile(HELD_QUANTILE), MOST_OF_MEDIAN * quantile(0.5)),
  };
}

/** Returns the slowest of some hashes. Each is measured before, in turns that `takeTurn` gives. */
export function createStopwatch(
  work: ForeignWork,
  takeTurn: (task: () => Promise<void>) => Promise<void>,
): (dummies: readonly string[]) => Promise<TimedHash> {
  const timed = new Map<string, Promise<TimedHash>>();

  async function measure(dummy: string): Promise<TimedHash> {
    const hash = timeHash(dummy, work);
    for (let i = 0; i < FIRST_TIMES; i++) await takeTurn(() => hash.compare(""));
    return hash;
  }

  return async function findSlowest(dummies): Promise<TimedHash> {
    const all = await Promise.all(dummies.map((dummy) => {
      const known = timed.get(dummy) ?? measure(dummy);
      timed.set(dummy, known);
      return known;
    }));
    return all.reduce((slowest, next) => next.typical() > slowest.typical() ? next : slowest);
  };
}

/** Runs comparisons, a limited number at once; askers take turns. */
export interface ForeignQueue {
  /** Runs one that may fit. */
  runFirst<T>(task: () => Promise<T>): Promise<T>;
  /** Runs one that cannot fit, when none that may fit waits. */
  runLast(task: () => Promise<void>): Promise<void>;
}

export function createForeignQueue(running: number): ForeignQueue {
  const limiter = createLimiter({ running, waiting: Infinity });
  let waiting = 0;
  return {
    runFirst: (task) => {
      waiting++;
      return limiter.run(() => {
        waiting--;
        return task();
      });
    },
    async runLast(task): Promise<void> {
      const runUnlessOthersWait = async (): Promise<boolean> => {
        if (waiting > 0) return false;
        await task();
        return true;
      };
      while (!await limiter.run(runUnlessOthersWait));
    },
  };
}
