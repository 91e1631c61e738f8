import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { takeFocus } from "../focus_content.ts";

/** The heading of new content. It takes the focus, so that screen readers announce the change. */
export function Heading({ children }: { readonly children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => void takeFocus(heading.current), []);
  return <h1 ref={heading} tabIndex={-1}>{children}</h1>;
}
