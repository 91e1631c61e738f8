/** The mean of a window. */
export interface Mean {
  /** The window's beginning, in milliseconds since 1970. */
  readonly time: number;
  readonly mean: number;
}

/** A window: its beginning, and a summary of its values. */
export interface Window extends Mean {
  readonly min: number;
  readonly max: number;
  /** Number of values. */
  readonly count: number;
}

/** Summarizes several windows; undefined without any. */
export function sumUp(windows: readonly Window[]): Omit<Window, "time"> | undefined {
  if (windows.length === 0) return undefined;
  const count = windows.reduce((sum, each) => sum + each.count, 0);
  return {
    min: windows.reduce((least, each) => Math.min(least, each.min), Infinity),
    mean: windows.reduce((sum, each) => sum + each.mean * each.count, 0) / count,
    max: windows.reduce((greatest, each) => Math.max(greatest, each.max), -Infinity),
    count,
  };
}
