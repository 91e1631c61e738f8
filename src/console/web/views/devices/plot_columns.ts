import type { AlignedData } from "uplot";
import { splitAtGaps, usualDistance } from "./gaps.ts";
import type { Line } from "./measured.ts";
import type { Window } from "./windows.ts";

/** What uPlot draws. */
export interface Columns {
  /** The times of all lines, then a column per line; for the only line: highest, lowest, mean. */
  readonly columns: AlignedData;
  /** For each column, the rows of values between two gaps, which no line reaches. */
  readonly lonely: readonly (readonly number[])[];
}

/** Returns the lines as columns for uPlot. A gap of a line is a row with null; undefined is no gap. */
export function columnsOf(lines: readonly Pick<Line, "windows" | "window">[]): Columns {
  const rows = lines.map(rowsOf);
  const times = [...new Set(rows.flatMap((each) => [...each.keys()]))].sort((a, b) => a - b);
  const columns = rows.flatMap((each) =>
    (lines.length === 1 ? ["max", "min", "mean"] as const : ["mean"] as const).map((name) =>
      times.map((time) => {
        const window = each.get(time);
        return window === null ? null : window?.[name];
      })
    )
  );
  return { columns: [times, ...columns], lonely: [[], ...columns.map(findLonely)] };
}

/** Returns the windows of a line by time, with null amid each gap. */
function rowsOf({ windows, window }: Pick<Line, "windows" | "window">): Map<number, Window | null> {
  const rows = new Map<number, Window | null>();
  let last: number | undefined;
  for (const part of splitAtGaps(windows, window)) {
    const first = part[0]?.time;
    if (last !== undefined && first !== undefined) rows.set((last + first) / 2, null);
    for (const each of part) rows.set(each.time, each);
    last = part.at(-1)?.time;
  }
  return rows;
}

function findLonely(column: readonly (number | null | undefined)[]): number[] {
  const known = column.flatMap((value, row) => value === undefined ? [] : [{ value, row }]);
  const isGap = (at: number): boolean => (known[at]?.value ?? null) === null;
  return known.flatMap(({ value, row }, at) => value !== null && isGap(at - 1) && isGap(at + 1) ? [row] : []);
}

/** Returns the window at a time of the plot: the nearest of a line, unless it has a gap there. */
export function windowAt(
  { windows, window }: Pick<Line, "windows" | "window">,
  time: number,
): Window | undefined {
  const far = usualDistance(windows, window) / 2;
  return windows.filter((each) => Math.abs(each.time - time) <= far)
    .sort((a, b) => Math.abs(a.time - time) - Math.abs(b.time - time))[0];
}
