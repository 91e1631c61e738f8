import type { Picture, Point } from "./scene.ts";

/** The direction of each arrow key, in steps to the right and down. */
const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};

/**
 * Handles `onKeyDown` of a stage: arrow keys move the focus to the nearest box in their direction. Up and down, boxes at
 * the other end of a line come first.
 */
export function walkByArrows(
  event: KeyboardEvent & { readonly currentTarget: HTMLElement },
  picture: Picture | undefined,
): void {
  const direction = DIRECTIONS[event.key];
  const { target, currentTarget } = event;
  if (direction === undefined || !(target instanceof HTMLElement) || !target.matches(".box, .mark")) return;
  const from = middleOf(target);
  const ends = picture === undefined ? [] : endsOf(picture, from, direction[1]);
  let nearest: HTMLElement | undefined;
  let least = Infinity;
  for (const box of currentTarget.querySelectorAll<HTMLElement>("a.box[href], button.box")) {
    const to = middleOf(box);
    const [right, down] = [to.x - from.x, to.y - from.y];
    const along = right * direction[0] + down * direction[1];
    const aside = Math.abs(right * direction[1]) + Math.abs(down * direction[0]);
    // Too little along the direction.
    if (along < box.offsetHeight / 2) continue;
    const isEnd = ends.some((end) => isAt(end, to));
    const distance = along + 2 * aside + (isEnd ? 0 : UNLINKED);
    if (distance < least) [nearest, least] = [box, distance];
  }
  event.preventDefault();
  nearest?.focus();
}

/** Longer than any picture. */
const UNLINKED = 1e9;

/** Returns the places at the upper or lower ends of the lines that touch a box, or on which a mark is. */
function endsOf({ places, lines }: Picture, from: Point, down: number): readonly (Point | undefined)[] {
  return [...lines.values()].flatMap((line) => {
    const [end, start] = down > 0 ? [line.to, line.from] : [line.from, line.to];
    return down !== 0 && (isAt(places.get(start), from) || isAt(line.label, from)) ? [places.get(end)] : [];
  });
}

/** Whether an element is there: its size and place are whole pixels. */
function isAt(place: Point | undefined, { x, y }: Point): boolean {
  return place !== undefined && Math.abs(place.x - x) < 2 && Math.abs(place.y - y) < 2;
}

/** Returns the middle in the picture; on screen, the element may still be moving. */
function middleOf({ offsetLeft, offsetTop, offsetWidth, offsetHeight }: HTMLElement): Point {
  return { x: offsetLeft + offsetWidth / 2, y: offsetTop + offsetHeight / 2 };
}
