/** A summary of measured values. */
export interface Summary {
  readonly median: number;
  /** The tenth and the ninetieth percentile: how far the values spread. */
  readonly low: number;
  readonly high: number;
  readonly samples: number;
}

/** Summarizes measured values. Throws on an empty list. */
export function summarize(values: readonly number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    median: quantile(sorted, 0.5),
    low: quantile(sorted, 0.1),
    high: quantile(sorted, 0.9),
    samples: sorted.length,
  };
}

/** The quantile of an ascending list. Throws on an empty list. */
export function quantile(sorted: readonly number[], part: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  if (value === undefined) throw new RangeError("Cannot summarize: nothing was measured");
  return value;
}

/** Random numbers from 0 up to 1, the same ones for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return function random(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A random whole number from 0 up to, not including, `end`. */
export function randomInteger(random: () => number, end: number): number {
  return Math.floor(random() * end);
}

/** The list, rotated so that each round starts with another item. */
export function startingAt<T>(list: readonly T[], round: number): T[] {
  const first = round % list.length;
  return [...list.slice(first), ...list.slice(0, first)];
}
