import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Keeps the focus in a list, whose box has the returned reference. A row whose focused link disappears gets the focus, and
 * if it disappears itself, its successor; after the button that loads more, the first new row does.
 */
export function useKeptFocus<Box extends HTMLElement>(): RefObject<Box | null> {
  const box = useRef<Box>(null);
  const before = listRows(box.current);
  const { activeElement } = document;
  const held = activeElement !== null && box.current?.contains(activeElement) === true;
  const row = before.findIndex((row) => row.contains(activeElement));
  useLayoutEffect(() => {
    if (!held || document.activeElement !== document.body) return;
    const rows = listRows(box.current);
    const next = rows[Math.min(row < 0 ? before.length : row, rows.length - 1)];
    const target = rows.find((each) => each === before[row]) ?? next ?? box.current;
    if (target === null) return;
    target.tabIndex = -1;
    target.focus();
  });
  return box;
}

function listRows(box: HTMLElement | null): HTMLElement[] {
  return [...box?.querySelectorAll<HTMLElement>(":scope > ul > li") ?? []];
}
