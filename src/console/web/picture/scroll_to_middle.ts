/** Scrolls the stage to center an element. */
export function scrollToMiddle(stage: Element, element: Element): void {
  const [outer, inner] = [stage.getBoundingClientRect(), element.getBoundingClientRect()];
  stage.scrollBy(
    inner.left + inner.width / 2 - outer.left - outer.width / 2,
    inner.top + inner.height / 2 - outer.top - outer.height / 2,
  );
}
