import type { TargetedEvent } from "preact";

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

/** Handles `onClick` of a link to a part of the page, which gets the focus. The history stays as it is. */
export function skip(event: TargetedEvent<HTMLAnchorElement>): void {
  event.preventDefault();
  document.querySelector<HTMLElement>(event.currentTarget.hash)?.focus();
}

let opener: Element | null = null;

/** Keeps what has the focus when the user goes to another address: the link to it, most often. */
export function keepOpener(): void {
  opener = document.activeElement;
}

/**
 * Moves the focus to what arrives: a heading, or else the view. Returns whether it did: not if the user has meanwhile put
 * it elsewhere.
 */
export function takeFocus(arriving = document.getElementById(CONTENT)): boolean {
  const { activeElement: held, body } = document;
  const isFree = held === null || held === body || held === opener || hasContentFocus() ||
    !held.checkVisibility();
  if (isFree) arriving?.focus();
  return isFree;
}
