import { navigate, withQuery } from "../../router.ts";
import { type Span, writeSpan } from "./span.ts";

/** Id of the heading above the plots. */
export const HEADING = "measurements";

/** Shows another time, or that which ends now, by a button that is not there afterwards: the heading gets its focus. */
export function leaveFor(span: Span | undefined): void {
  navigate(withQuery(span === undefined ? { from: undefined, to: undefined } : writeSpan(span)));
  document.getElementById(HEADING)?.focus();
}
