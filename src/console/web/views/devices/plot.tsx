import { useEffect, useRef } from "preact/hooks";
import UPlot from "uplot";
import { locale } from "../../language.ts";
import { theme } from "../../theme.ts";
import { dashOf, readInk } from "./line_style.tsx";
import { columnsOf } from "./plot_columns.ts";
import { useDragging } from "./plot_dragging.ts";
import type { Line } from "./measured.ts";
import type { Span } from "./span.ts";

/** A line, and its position among all of the plot, by which it looks the same while others are hidden. */
export interface ShownLine {
  readonly line: Line;
  readonly style: number;
}

interface PlotProps {
  readonly label: string;
  /** Format a time or a value beside its axis, for steps of this size. */
  readonly writeTime: (time: number, step: number) => string;
  readonly writeValue: (value: number, step: number) => string;
  /** The unit of the axis; empty if unknown. */
  readonly unit: string;
  readonly shown: readonly ShownLine[];
  readonly span: Span;
  /** Times to mark by a dashed line. */
  readonly marks: readonly number[];
  /** Called with a selected part. */
  readonly onSelect: (from: number, to: number) => void;
  readonly onReset: () => void;
  /** Called with the time under the pointer. */
  readonly onPoint: (time: number | undefined) => void;
}

const HEIGHT = 220;
/** Plots of a page share the pointer's time. */
const SYNC = "device";

/** A plot: the means as lines. A single one is on a band from minimum to maximum. */
export function Plot(props: PlotProps) {
  const { label, shown, span, marks, onPoint } = props;
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | undefined>(undefined);
  const tag = locale.value;
  useEffect(() => {
    const root = element.current;
    if (root === null) return;
    const { columns, lonely } = columnsOf(shown.map(({ line }) => line));
    const made = new UPlot(
      {
        ...describePlot(root, props, lonely),
        width: root.clientWidth,
        hooks: {
          setCursor: [({ cursor: { idx } }) => onPoint(columns[0][idx ?? -1])],
          draw: [
            (drawn) => drawUnit(drawn, root, props.unit),
            (drawn) => drawMarks(drawn, root, props.marks),
          ],
        },
      },
      columns,
      root,
    );
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: root.clientWidth, height: HEIGHT }));
    resized.observe(root);
    return () => {
      resized.disconnect();
      made.destroy();
      onPoint(undefined);
    };
  }, [shown, span, marks, tag]);
  useDragging(plot, props, [shown, span, marks, tag]);
  useEffect(() => {
    const redraw = (): void => plot.current?.redraw(false, true);
    redraw();
    // On paper it is light.
    const media = ["(prefers-color-scheme: dark)", "print"].map((query) => matchMedia(query));
    for (const query of media) query.addEventListener("change", redraw);
    return () => media.forEach((query) => query.removeEventListener("change", redraw));
  }, [theme.value]);
  return <div ref={element} class="plot" role="img" aria-label={label} />;
}

/** Returns the options of uPlot. No legend: the page shows the values itself. */
function describePlot(
  root: HTMLElement,
  { span: { from, to }, shown, unit, writeTime, writeValue }: PlotProps,
  lonely: readonly (readonly number[])[],
): Omit<UPlot.Options, "width"> {
  const axis = {
    stroke: () => readInk(root, "text"),
    font: fontOf(root, 1),
    grid: { stroke: () => readInk(root, "grid"), width: 1 },
    ticks: { show: false },
  };
  const inkOf = (style: number) => () => readInk(root, `line-${style}`);
  const lines: UPlot.Series[] = shown.map(({ style }) => ({
    stroke: inkOf(style),
    width: 1.5,
    dash: dashOf(style),
    points: { show: true, size: 5, filter: (_, i) => [...lonely[i] ?? []], fill: inkOf(style) },
  }));
  const [only] = shown;
  const edges: UPlot.Series[] = shown.length === 1 && only !== undefined
    ? Array.from({ length: 2 }, () => ({ width: 0, stroke: inkOf(only.style), points: { show: false } }))
    : [];
  return {
    height: HEIGHT,
    padding: [unit === "" ? 8 : 24, 28, 0, 0],
    ms: 1,
    legend: { show: false },
    cursor: {
      y: false,
      // `useDragging` does this, also for fingers.
      bind: { mousedown: () => null, mouseup: () => null, dblclick: () => null },
      points: { size: 7 },
      sync: { key: SYNC },
    },
    scales: { x: { time: true, range: () => [from, to] } },
    axes: [
      {
        ...axis,
        values: (_, splits, __, ___, step) => splits.map((time) => writeTime(time, step)),
        size: 28,
        space: 90,
      },
      {
        ...axis,
        values: (_, splits, __, ___, step) => splits.map((value) => writeValue(value, step)),
        // Nearly always the same, so that the plots of a page line up.
        size: (_, texts) => 18 + 7 * Math.max(6, ...(texts ?? []).map((text) => text.length)),
      },
    ],
    series: [{}, ...edges, ...lines],
    bands: edges.length === 0 || only === undefined ? [] : [{
      series: [1, 2],
      fill: () => `color-mix(in srgb, ${inkOf(only.style)()} 22%, transparent)`,
    }],
  };
}

/** Returns the font of an axis, for a canvas with this many pixels per pixel of the page. */
function fontOf(root: HTMLElement, ratio: number): string {
  return `${12 * ratio}px ${getComputedStyle(root).fontFamily}`;
}

/** Writes the unit above the values beside the axis. */
function drawUnit({ ctx, bbox }: UPlot, root: HTMLElement, unit: string): void {
  const ratio = UPlot.pxRatio;
  ctx.save();
  ctx.font = fontOf(root, ratio);
  ctx.fillStyle = readInk(root, "text");
  ctx.textBaseline = "top";
  const right = bbox.left - 5 * ratio;
  const fits = ctx.measureText(unit).width <= right;
  ctx.textAlign = fits ? "right" : "left";
  ctx.fillText(unit, fits ? right : 0, 0);
  ctx.restore();
}

function drawMarks(plot: UPlot, root: HTMLElement, marks: readonly number[]): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = readInk(root, "text");
  ctx.lineWidth = UPlot.pxRatio;
  ctx.setLineDash([4 * UPlot.pxRatio, 4 * UPlot.pxRatio]);
  ctx.beginPath();
  for (const at of marks) {
    const x = plot.valToPos(at, "x", true);
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
  }
  ctx.stroke();
  ctx.restore();
}
