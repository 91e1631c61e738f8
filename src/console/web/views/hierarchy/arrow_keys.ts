/** Where each arrow key leads, in steps to the right and down. */
const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};

/** For `onKeyDown` of a stage: arrow keys move the focus to the nearest box in their direction. */
export function walkByArrows(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const direction = DIRECTIONS[event.key];
  const { target, currentTarget } = event;
  if (direction === undefined || !(target instanceof Element) || !target.matches(".box")) return;
  const from = target.getBoundingClientRect();
  let nearest: HTMLElement | undefined;
  let least = Infinity;
  for (const box of currentTarget.querySelectorAll<HTMLElement>("a.box, button.box")) {
    const to = box.getBoundingClientRect();
    const [right, down] = [to.left - from.left, to.top - from.top];
    const along = right * direction[0] + down * direction[1];
    const aside = Math.abs(right * direction[1]) + Math.abs(down * direction[0]);
    // Less than half a box along: not in this direction.
    if (along < from.height / 2) continue;
    const distance = along + 2 * aside;
    if (distance < least) [nearest, least] = [box, distance];
  }
  event.preventDefault();
  nearest?.focus();
}
