/** Where the focus is when a view is opened: screen readers, and the next Tab, begin there. */
const CONTENT = "content";

/** Moves the focus to the view, and to nothing in it. */
export function focusContent(): void {
  document.getElementById(CONTENT)?.focus();
}

/** Whether the view that was opened has the focus, and nothing in it. */
export function hasContentFocus(): boolean {
  return document.activeElement?.id === CONTENT;
}
