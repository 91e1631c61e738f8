import { MINUTE_MS } from "../../core/clock.ts";
import { compareForeign } from "./foreign_hash.ts";

/**
 * How long comparisons with hashes of other systems take. Failures last as long as the costliest comparison usually
 * takes, somewhat longer: on a busy machine that is several times as long as on an idle one.
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

export interface Comparison {
  readonly fits: boolean | undefined;
  /** How long it took, in milliseconds. */
  readonly ms: number;
}

/** Compares, and takes the time. */
export async function timeComparison(
  { compare, now }: ForeignWork,
  password: string,
  hash: string,
): Promise<Comparison> {
  const beganAt = now();
  const fits = await compare(password, hash);
  return { fits, ms: now() - beganAt };
}

/** A hash of another system that no password matches, and how long its comparisons take. */
export interface TimedHash {
  readonly dummy: string;
  /** Notes how long a comparison with it, or with one that costs as much, took. */
  note(ms: number): void;
  /** The median of the latest times. */
  typical(): number;
  /** How long a failure lasts. */
  held(): number;
}

function timeHash(dummy: string, { now }: ForeignWork): TimedHash {
  let times: { readonly at: number; readonly ms: number }[] = [];

  /** Returns the time that this part of the latest stayed below. */
  function quantile(part: number): number {
    const fresh = times.filter(({ at }) => at > now() - KEPT_MS);
    const latest = (fresh.length < FIRST_TIMES ? times : fresh).map(({ ms }) => ms);
    return latest.sort((one, other) => one - other)[Math.ceil(part * latest.length) - 1] ?? 0;
  }

  return {
    dummy,
    note: (ms) => {
      times = [...times.slice(1 - KEPT_TIMES), { at: now(), ms }];
    },
    typical: () => quantile(0.5),
    held: () => Math.min(HELD_FACTOR * quantile(HELD_QUANTILE), MOST_OF_MEDIAN * quantile(0.5)),
  };
}

/** Returns the slowest of some hashes. Each is measured before, in turns that `takeTurn` gives. */
export function createStopwatch(
  work: ForeignWork,
  takeTurn: (task: () => Promise<Comparison>) => Promise<Comparison>,
): (dummies: readonly string[]) => Promise<TimedHash> {
  const timed = new Map<string, Promise<TimedHash>>();

  async function measure(dummy: string): Promise<TimedHash> {
    const hash = timeHash(dummy, work);
    for (let i = 0; i < FIRST_TIMES; i++) {
      const { ms } = await takeTurn(() => timeComparison(work, "", dummy));
      hash.note(ms);
    }
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
