import type { Point } from "./scene.ts";

/** The direction of each arrow key, in steps to the right and down. */
const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};

/** Handles `onKeyDown` of a stage: arrow keys move the focus to the nearest box in their direction. */
export function walkByArrows(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const direction = DIRECTIONS[event.key];
  const { target, currentTarget } = event;
  if (direction === undefined || !(target instanceof HTMLElement) || !target.matches(".box, .mark")) return;
  const from = middleOf(target);
  let nearest: HTMLElement | undefined;
  let least = Infinity;
  for (const box of currentTarget.querySelectorAll<HTMLElement>("a.box, button.box")) {
    const to = middleOf(box);
    const [right, down] = [to.x - from.x, to.y - from.y];
    const along = right * direction[0] + down * direction[1];
    const aside = Math.abs(right * direction[1]) + Math.abs(down * direction[0]);
    // Too little along the direction.
    if (along < box.offsetHeight / 2) continue;
    const distance = along + 2 * aside;
    if (distance < least) [nearest, least] = [box, distance];
  }
  event.preventDefault();
  nearest?.focus();
}

/** Returns the middle in the picture; on screen, the element may still be moving. */
function middleOf({ offsetLeft, offsetTop, offsetWidth, offsetHeight }: HTMLElement): Point {
  return { x: offsetLeft + offsetWidth / 2, y: offsetTop + offsetHeight / 2 };
}
