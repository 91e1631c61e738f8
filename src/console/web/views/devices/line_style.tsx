/** Dashes and gaps of the lines of a plot, in pixels. With the colours of `plots.css`, each line looks different. */
const DASHES: readonly (readonly number[])[] = [
  [],
  [8, 4],
  [2, 3],
  [10, 3, 2, 3],
  [18, 5],
  [10, 3, 2, 3, 2, 3],
];

/** Returns the dashes of a line, by its position in the plot. */
export function dashOf(style: number): number[] {
  return [...DASHES[style] ?? []];
}

/** The names of colours in `plots.css`. */
type Ink = "text" | "grid" | `line-${number}`;

const INKS: readonly Ink[] = ["text", "grid", ...DASHES.map((_, style) => `line-${style}` as const)];
// So that their values are colours in the current theme, and not the expressions of the style.
for (const ink of INKS) {
  CSS.registerProperty({ name: nameOf(ink), syntax: "<color>", inherits: true, initialValue: "gray" });
}

function nameOf(ink: Ink): string {
  return `--plot-${ink}`;
}

/** Returns a current colour, which a canvas does not know by itself. */
export function readInk(element: Element, ink: Ink): string {
  return getComputedStyle(element).getPropertyValue(nameOf(ink));
}

/** A piece of a line, beside its name. */
export function Swatch({ style }: { readonly style: number }) {
  return (
    <svg
      class="swatch"
      style={{ stroke: `var(${nameOf(`line-${style}`)})` }}
      viewBox="0 0 28 10"
      width="28"
      height="10"
      aria-hidden="true"
    >
      <path d="M0 5h28" stroke-dasharray={dashOf(style).join(" ")} />
    </svg>
  );
}
