const MINUTE = 60_000;

/** When a role monitors a device: ISO 8601, without a bound if undefined. */
export interface Period {
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

/**
 * Returns periods as a page tells them, to the minute: joined where one begins when another ends, and without those that
 * begin and end at the same time. An undone hand-over leaves such ones.
 */
export function periodsAsRead(periods: readonly Period[]): Period[] {
  const joined: { -readonly [Bound in keyof Period]: Period[Bound] }[] = [];
  for (const next of periods.toSorted((a, b) => beginOf(a) - beginOf(b))) {
    const last = joined.at(-1);
    if (last === undefined || (endOf(last) < beginOf(next) && !isSame(endOf(last), beginOf(next)))) {
      joined.push({ ...next });
    } else if (endOf(last) < endOf(next)) last.until = next.until;
  }
  return joined.filter((each) => !isSame(beginOf(each), endOf(each)));
}

/** Returns when such periods begin and end, in milliseconds since 1970. */
export function edgesOf(periods: readonly Period[]): number[] {
  return periodsAsRead(periods).flatMap((each) => [beginOf(each), endOf(each)]).filter(Number.isFinite);
}

function beginOf({ from }: Period): number {
  return from === undefined ? -Infinity : Date.parse(from);
}

function endOf({ until }: Period): number {
  return until === undefined ? Infinity : Date.parse(until);
}

/** Whether two times, as pages write them, are the same. */
function isSame(a: number, b: number): boolean {
  return Math.floor(a / MINUTE) === Math.floor(b / MINUTE);
}
