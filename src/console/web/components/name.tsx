import type { ComponentChildren } from "preact";

/** A name chosen by users. Its writing direction, and marks that change it, end with it. */
export function Name({ children }: { readonly children: ComponentChildren }) {
  return <bdi class="name">{typeof children === "string" ? breakAddress(children) : children}</bdi>;
}

/** Lets a long address go on in the next line after its "@", rather than within a word. */
function breakAddress(name: string): ComponentChildren {
  const end = name.indexOf("@") + 1;
  return end === 0 ? name : (
    <>
      {name.slice(0, end)}
      <wbr />
      {name.slice(end)}
    </>
  );
}
