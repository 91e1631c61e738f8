import { splitAtGaps } from "./gaps.ts";
import type { Span } from "./span.ts";
import type { Mean } from "./windows.ts";

/** The size of the drawing, in its own units. */
export const WIDTH = 120;
export const HEIGHT = 32;
/** Room for half of the line. */
const EDGE = 2;

export interface Drawn {
  readonly windows: readonly Mean[];
  /** Length of the windows, in milliseconds. */
  readonly window: number;
  readonly span: Span;
}

/** Returns the path: from the lowest to the highest mean, or in the middle if all are equal. */
export function drawSparkline({ windows, window, span: { from, to } }: Drawn): string {
  const means = windows.map(({ mean }) => mean);
  const [lowest, highest] = [Math.min(...means), Math.max(...means)];
  const x = (time: number): number => (time - from) / (to - from) * WIDTH;
  const y = (mean: number): number =>
    highest > lowest
      ? HEIGHT - EDGE - (mean - lowest) / (highest - lowest) * (HEIGHT - 2 * EDGE)
      : HEIGHT / 2;
  return splitAtGaps(windows, window).map((part) => {
    const points = part.map(({ time, mean }) =>
      `${x(Math.max(from, time)).toFixed(1)} ${y(mean).toFixed(1)}`
    );
    // A line of no length, whose round ends are a dot.
    return `M${points.join("L")}${points.length === 1 ? "h0" : ""}`;
  }).join("");
}
