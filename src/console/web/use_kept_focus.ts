import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Returns the reference of a box in which the focus stays in a list. A row whose focused link disappears gets the focus, and if it disappears itself, its
 * successor; after the button that loads more, the first new row does.
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
