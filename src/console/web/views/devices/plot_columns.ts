import type { AlignedData } from "uplot";
import { splitAtGaps } from "./gaps.ts";
import type { Window } from "./windows.ts";

/** Returns the windows as columns for uPlot: times, highest, lowest, mean. A gap is a row without values. */
export function columnsOf(
  windows: readonly Window[],
  window: number,
): { columns: AlignedData; shown: readonly (Window | undefined)[] } {
  const shown: (Window | undefined)[] = [];
  const times: number[] = [];
  for (const part of splitAtGaps(windows, window)) {
    const [last, first] = [times.at(-1), part[0]];
    if (last !== undefined && first !== undefined) {
      times.push((last + first.time) / 2);
      shown.push(undefined);
    }
    times.push(...part.map(({ time }) => time));
    shown.push(...part);
  }
  const column = (name: "max" | "min" | "mean") => shown.map((each) => each?.[name] ?? null);
  return { columns: [times, column("max"), column("min"), column("mean")], shown };
}
