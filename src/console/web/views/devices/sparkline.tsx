import { type Drawn, drawSparkline, HEIGHT, WIDTH } from "./draw_sparkline.ts";

/** A tiny plot without axes, beside a value that says what it is. Gaps stay gaps. */
export function Sparkline(props: Drawn) {
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={drawSparkline(props)} />
    </svg>
  );
}
