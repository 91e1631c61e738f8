import { type ComponentChildren, Fragment } from "preact";

/** Elements in a sentence, with commas between them. */
export function Listed({ children }: { readonly children: readonly ComponentChildren[] }) {
  return <>{children.map((each, i) => <Fragment key={i}>{i > 0 && ", "}{each}</Fragment>)}</>;
}
