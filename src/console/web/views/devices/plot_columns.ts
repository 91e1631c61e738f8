import type { AlignedData } from "uplot";
import type { Window } from "./windows.ts";

/** Number of usual distances between windows beyond which there is a gap. */
const GAP = 2.5;

/**
 * Returns the windows as columns for uPlot: times, highest, lowest, mean. A gap is a row without values. It is judged
 * by the usual distance, since devices may measure less often than windows follow each other.
 */
export function columnsOf(
  windows: readonly Window[],
  window: number,
): { columns: AlignedData; shown: readonly (Window | undefined)[] } {
  const longest = GAP * usualDistance(windows, window);
  const shown: (Window | undefined)[] = [];
  const times: number[] = [];
  for (const each of windows) {
    const last = times.at(-1);
    if (last !== undefined && each.time - last > longest) {
      times.push((last + each.time) / 2);
      shown.push(undefined);
    }
    times.push(each.time);
    shown.push(each);
  }
  const column = (name: "max" | "min" | "mean") => shown.map((each) => each?.[name] ?? null);
  return { columns: [times, column("max"), column("min"), column("mean")], shown };
}

/** Returns the median distance between windows with values. */
function usualDistance(windows: readonly Window[], window: number): number {
  const distances = windows.slice(1).map(({ time }, i) => time - (windows[i]?.time ?? time));
  distances.sort((a, b) => a - b);
  return Math.max(window, distances[Math.floor(distances.length / 2)] ?? 0);
}
