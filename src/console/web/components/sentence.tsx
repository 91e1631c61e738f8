import { type ComponentChildren, Fragment } from "preact";

/** A sentence of the texts with names or links in it. */
export function Sentence({ parts }: { readonly parts: readonly ComponentChildren[] }) {
  return <>{parts.map((part, i) => <Fragment key={i}>{part}</Fragment>)}</>;
}

interface PhraseProps {
  /** A sentence in which `{name}` stands for the part of that name. */
  readonly text: string;
  readonly parts: Readonly<Record<string, ComponentChildren>>;
}

/** A sentence around elements such as names or times. Each language has its own order. */
export function Phrase({ text, parts }: PhraseProps) {
  return <>{text.split(/\{(\w+)\}/).map((piece, i) => i % 2 === 0 ? piece : parts[piece])}</>;
}
