import { type ComponentChildren, Fragment } from "preact";

/** A sentence of the texts with names or links in it. */
export function Sentence({ parts }: { readonly parts: readonly ComponentChildren[] }) {
  return <>{parts.map((part, i) => <Fragment key={i}>{part}</Fragment>)}</>;
}
