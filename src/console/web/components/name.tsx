/** A name chosen by users. Its writing direction, and marks that change it, end with it. */
export function Name({ children }: { readonly children: string }) {
  return <bdi class="name">{children}</bdi>;
}
