/** Colours of a plot. */
interface Inks {
  readonly text: string;
  readonly grid: string;
  readonly line: string;
  readonly band: string;
}

/**
 * Returns the current colours of a plot. A canvas does not know the page's variables, so they are stored in
 * properties without effect on the element.
 */
export function readInks(root: HTMLElement): Inks {
  const { color, borderColor, caretColor, columnRuleColor } = getComputedStyle(root);
  return { text: color, grid: borderColor, line: caretColor, band: columnRuleColor };
}
