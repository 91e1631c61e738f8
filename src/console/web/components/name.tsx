/** A name that people gave: its direction of writing, and marks that turn it around, end with it. */
export function Name({ children }: { readonly children: string }) {
  return <bdi class="name">{children}</bdi>;
}
