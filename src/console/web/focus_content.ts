/**
 * The id of the view's content, which gets the focus when a view opens: screen readers and the next Tab begin there.
 */
const CONTENT = "content";

/** Moves the focus to the view itself. */
export function focusContent(): void {
  document.getElementById(CONTENT)?.focus();
}

/** Whether the view itself has the focus, not an element in it. */
export function hasContentFocus(): boolean {
  return document.activeElement?.id === CONTENT;
}
