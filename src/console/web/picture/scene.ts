/** What the layout takes and gives: boxes of one size, and links that lead down from one to another. */

export interface Scene {
  readonly boxes: readonly number[];
  readonly links: readonly Link[];
  /** How many boxes of a block are beside one another, at most. */
  readonly columns: number;
}

/** A line from one box down to another. */
export interface Link {
  readonly id: number;
  readonly from: number;
  readonly to: number;
  /** What stands on its line. */
  readonly label: Size;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Where everything of a picture is, in pixels. */
export interface Picture extends Size {
  /** Centers of boxes. */
  readonly places: ReadonlyMap<number, Point>;
  readonly lines: ReadonlyMap<number, Line>;
}

/** Where a link is drawn. */
export interface Line {
  /** From the lower edge of a box to the upper edge of another. */
  readonly points: readonly Point[];
  /** The center of what stands on it. */
  readonly label: Point;
}

/** A box. */
export const NODE: Size = { width: 184, height: 56 };
/** Between boxes that are beside one another. */
export const GAP = 18;
/** Around a picture. */
export const MARGIN = 20;

/** How many boxes a width has room for. */
export function countColumns(width: number): number {
  const fitting = Math.floor((width - 2 * MARGIN + GAP) / (NODE.width + GAP));
  return Math.max(2, Math.min(6, fitting));
}

/** A smooth line through points, which enters and leaves each of them upright. */
export function curve([first, ...rest]: readonly Point[]): string {
  if (first === undefined) return "";
  let path = `M${first.x} ${first.y}`;
  let from = first;
  for (const to of rest) {
    const middle = (from.y + to.y) / 2;
    path += `C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y}`;
    from = to;
  }
  return path;
}
