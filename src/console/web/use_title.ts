import { useEffect } from "preact/hooks";
import { page } from "./page.ts";

/** Sets the title of the page (WCAG 2.2, 2.4.2). Without a text, the service's name alone. */
export function useTitle(text: string | undefined): void {
  useEffect(() => {
    document.title = text === undefined ? page.issuerName : `${text} · ${page.issuerName}`;
  }, [text]);
}
