import type { ComponentChildren } from "preact";

/** A name chosen by users. Its writing direction, and marks that change it, end with it. */
export function Name({ children }: { readonly children: ComponentChildren }) {
  return <bdi class="name">{children}</bdi>;
}
