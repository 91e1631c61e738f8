import { navigate, withQuery } from "../../router.ts";
import { type Span, writeSpan } from "./span.ts";

/** Id of the heading above the plots. */
export const HEADING = "measurements";

/** Shows another span of time, or one that ends now. The used button disappears, so the heading gets the focus. */
export function showSpan(span: Span | undefined): void {
  navigate(withQuery(span === undefined ? { from: undefined, to: undefined } : writeSpan(span)));
  document.getElementById(HEADING)?.focus();
}
