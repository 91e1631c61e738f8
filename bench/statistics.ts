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

/** The list, rotated so that each round starts with another item. */
export function startingAt<T>(list: readonly T[], round: number): T[] {
  const first = round % list.length;
  return [...list.slice(first), ...list.slice(0, first)];
}
