import type { Period } from "./grant_service.ts";

/** Returns the union of periods, in order of time. Periods that touch are one, and those without any time are none. */
export function joinPeriods(periods: readonly Period[]): Period[] {
  const joined: Period[] = [];
  const inOrder = periods.filter((period) => beginOf(period) < endOf(period))
    .toSorted((one, other) => beginOf(one) < beginOf(other) ? -1 : 1);
  for (const period of inOrder) {
    const last = joined.at(-1);
    if (last === undefined || endOf(last) < beginOf(period)) joined.push(period);
    else if (endOf(last) < endOf(period)) joined[joined.length - 1] = { ...last, until: period.until };
  }
  return joined;
}

/** Whether the others together have all times of these periods. The others are joined. */
export function areWithin(periods: readonly Period[], others: readonly Period[]): boolean {
  return periods.every((period) =>
    others.some((other) => beginOf(other) <= beginOf(period) && endOf(period) <= endOf(other))
  );
}

function beginOf({ from }: Period): number {
  return from ?? -Infinity;
}

function endOf({ until }: Period): number {
  return until ?? Infinity;
}
