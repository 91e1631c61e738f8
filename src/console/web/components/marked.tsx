interface MarkedProps {
  readonly children: string;
  /** What was typed; empty for nothing. */
  readonly typed: string;
  /** Whether its words are marked at the beginning of words, and not all of it anywhere. */
  readonly isByWord?: boolean;
}

/** A text with marks where it has what was typed. */
export function Marked({ children, typed, isByWord = false }: MarkedProps) {
  if (typed === "") return <>{children}</>;
  const literal = typed.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const pattern = isByWord
    ? new RegExp(`(?<![\\p{L}\\p{N}])(${literal.split(/\s+/).join("|")})`, "giu")
    : new RegExp(`(${literal})`, "giu");
  return <>{children.split(pattern).map((part, i) => i % 2 === 0 ? part : <mark key={i}>{part}</mark>)}</>;
}
