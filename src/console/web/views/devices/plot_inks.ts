/** Colours of a plot. */
interface Inks {
  readonly text: string;
  readonly grid: string;
  readonly line: string;
  readonly band: string;
}

/**
 * The colours that the style sheet gives to a plot now. A canvas does not know the page's variables, so they are read from
 * properties that otherwise have no effect on the element.
 */
export function readInks(root: HTMLElement): Inks {
  const { color, borderColor, caretColor, columnRuleColor } = getComputedStyle(root);
  return { text: color, grid: borderColor, line: caretColor, band: columnRuleColor };
}
