/** Number of usual distances between windows beyond which there is a gap. */
const GAP = 2.5;

/**
 * Splits windows at gaps, in order of time. A gap is judged by the usual distance, since devices may measure less often
 * than windows of this many milliseconds follow each other.
 */
export function splitAtGaps<Item extends { readonly time: number }>(
  windows: readonly Item[],
  window: number,
): Item[][] {
  const longest = GAP * usualDistance(windows, window);
  const parts: Item[][] = [];
  for (const each of windows) {
    const part = parts.at(-1);
    const last = part?.at(-1);
    if (part === undefined || last === undefined || each.time - last.time > longest) parts.push([each]);
    else part.push(each);
  }
  return parts;
}

/** Returns the median distance between windows with values, in milliseconds. */
export function usualDistance(windows: readonly { readonly time: number }[], window: number): number {
  const distances = windows.slice(1).map(({ time }, i) => time - (windows[i]?.time ?? time));
  distances.sort((a, b) => a - b);
  return Math.max(window, distances[Math.floor(distances.length / 2)] ?? 0);
}
