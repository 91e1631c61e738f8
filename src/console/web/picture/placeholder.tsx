/** Boxes where boxes will be. */
export function Placeholder() {
  return (
    <div class="placeholder" aria-hidden="true">
      <i />
      <i />
      <i />
    </div>
  );
}
