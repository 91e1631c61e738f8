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

/** Whether the others together have all times of these periods. Both are joined. */
export function areWithin(periods: readonly Period[], others: readonly Period[]): boolean {
  const rest = others.values();
  let other = rest.next().value;
  return periods.every((period) => {
    while (other !== undefined && endOf(other) < endOf(period)) other = rest.next().value;
    return other !== undefined && beginOf(other) <= beginOf(period);
  });
}

/** The begin in milliseconds, or minus infinity. */
export function beginOf({ from }: Period): number {
  return from ?? -Infinity;
}

/** The end in milliseconds, or infinity. */
export function endOf({ until }: Period): number {
  return until ?? Infinity;
}
