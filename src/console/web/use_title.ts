import { useEffect } from "preact/hooks";
import { page } from "./page.ts";

/** Names the page in the browser's tab and history (WCAG 2.2, 2.4.2). Without a text, after the service alone. */
export function useTitle(text: string | undefined): void {
  useEffect(() => {
    document.title = text === undefined ? page.issuerName : `${text} · ${page.issuerName}`;
  }, [text]);
}
