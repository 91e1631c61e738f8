/** Empty boxes in place of a picture that is loading. */
export function Placeholder() {
  return (
    <div class="placeholder" aria-hidden="true">
      <i />
      <i />
      <i />
    </div>
  );
}
