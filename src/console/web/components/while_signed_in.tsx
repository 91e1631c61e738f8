import type { ComponentChildren } from "preact";
import { sessionState } from "../session.ts";

/**
 * Content for the signed-in user alone, such as a secret. It leaves the page when the session ends, and returns when
 * the same user signs in again.
 */
export function WhileSignedIn({ children }: { readonly children: ComponentChildren }) {
  return sessionState.value === "in" ? <>{children}</> : null;
}
