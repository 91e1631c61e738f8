import { useLayoutEffect, useRef } from "preact/hooks";
import { page } from "./page.ts";

/** What parts of the page want as its title. The last one that is over the others wins, or else the last of all. */
const wanted: { text: string | undefined; readonly isOver: boolean }[] = [];

/**
 * Sets the title of the page (WCAG 2.2, 2.4.2). Without a text, another part of the page does. `isOver`: the part is
 * over the others, as the sign-in is over a view, even one that is loaded later.
 */
export function useTitle(text: string | undefined, isOver = false): void {
  const { current: own } = useRef({ text, isOver });
  useLayoutEffect(() => {
    wanted.push(own);
    return () => {
      wanted.splice(wanted.indexOf(own), 1);
      show();
    };
  }, []);
  useLayoutEffect(() => {
    own.text = text;
    show();
  }, [text]);
}

function show(): void {
  const shown = wanted.filter(({ text }) => text !== undefined);
  const last = shown.findLast(({ isOver }) => isOver) ?? shown.at(-1);
  if (last) document.title = `${last.text} · ${page.issuerName}`;
}
