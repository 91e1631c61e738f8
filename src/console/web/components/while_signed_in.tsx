import type { ComponentChildren } from "preact";
import { sessionState } from "../session.ts";

/**
 * What nobody else may read, such as a secret: it is not in the page while nobody is known to be signed in, and comes back
 * when the same person signs in again.
 */
export function WhileSignedIn({ children }: { readonly children: ComponentChildren }) {
  return sessionState.value === "in" ? <>{children}</> : null;
}
