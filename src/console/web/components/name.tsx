import type { ComponentChildren } from "preact";

/** A name chosen by users. Its writing direction, and marks that change it, end with it. */
export function Name({ children }: { readonly children: ComponentChildren }) {
  return <bdi class="name">{typeof children === "string" ? breakAddress(children) : children}</bdi>;
}

/** A name that a sentence is about. */
export function StrongName({ children }: { readonly children: string }) {
  return (
    <b>
      <Name>{children}</Name>
    </b>
  );
}

/** To this length an address rather begins a line than being broken. */
const SHORT = 24;

/** Lets a long address go on in the next line after its "@", rather than within a word. */
function breakAddress(name: string): ComponentChildren {
  const end = name.length > SHORT ? name.indexOf("@") + 1 : 0;
  return end === 0 ? name : (
    <>
      {name.slice(0, end)}
      <wbr />
      {name.slice(end)}
    </>
  );
}
