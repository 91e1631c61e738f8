import type { ComponentChildren } from "preact";
import { follow, ROOT } from "../router.ts";

interface LinkProps {
  /** An address below the console: `/role/12`. */
  readonly to: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  /** Whether it leads to the current content. */
  readonly isCurrent?: boolean;
  /** The label for screen readers, where texts alone do not distinguish links. Begins with the text. */
  readonly label?: string;
}

/** A link to another view. */
export function Link({ to, children, isCurrent = false, label, ...rest }: LinkProps) {
  return (
    <a
      href={ROOT + to}
      onClick={follow}
      aria-current={isCurrent ? "page" : undefined}
      aria-label={label}
      {...rest}
    >
      {children}
    </a>
  );
}
