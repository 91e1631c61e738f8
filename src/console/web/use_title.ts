import { useLayoutEffect, useRef } from "preact/hooks";
import { page } from "./page.ts";

/** What parts of the page want as its title. The last one wins, as the sign-in does over a view. */
const wanted: { text: string | undefined }[] = [];

/** Sets the title of the page (WCAG 2.2, 2.4.2). Without a text, another part of the page does. */
export function useTitle(text: string | undefined): void {
  const { current: own } = useRef({ text });
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
  const last = wanted.findLast(({ text }) => text !== undefined);
  if (last) document.title = `${last.text} · ${page.issuerName}`;
}
