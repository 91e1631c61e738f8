/** Input of the layout: boxes of one size, and links down from one to another. */

export interface Scene {
  readonly boxes: readonly number[];
  readonly links: readonly Link[];
  /** Maximum number of boxes per row of a block. */
  readonly columns: number;
}

/** A line from one box down to another. */
export interface Link {
  readonly id: number;
  readonly from: number;
  readonly to: number;
  /** Size of its label. */
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

/** The positions in a picture, in pixels. */
export interface Picture extends Size {
  /** Centers of boxes. */
  readonly places: ReadonlyMap<number, Point>;
  readonly lines: ReadonlyMap<number, Line>;
}

/** The line of a link. */
export interface Line extends Pick<Link, "from" | "to"> {
  /** From the lower edge of a box to the upper edge of another. */
  readonly points: readonly Point[];
  /** The center of its label. */
  readonly label: Point;
}

/** Size of a box. */
export const NODE: Size = { width: 184, height: 56 };
/** Gap between boxes side by side. */
export const GAP = 18;
/** Margin of a picture. */
export const MARGIN = 20;

/** Returns the number of boxes that fit into a width. */
export function countColumns(width: number): number {
  const fitting = Math.floor((width - 2 * MARGIN + GAP) / (NODE.width + GAP));
  return Math.max(2, Math.min(6, fitting));
}

/** Returns a smooth line through points, vertical at each. */
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
