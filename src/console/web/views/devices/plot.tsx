import { useEffect, useRef } from "preact/hooks";
import UPlot from "uplot";
import { language } from "../../language.ts";
import { theme } from "../../theme.ts";
import { columnsOf } from "./plot_columns.ts";
import { readInks } from "./plot_inks.ts";
import { useDragging } from "./plot_dragging.ts";
import type { Span } from "./span.ts";
import type { Window } from "./windows.ts";

interface PlotProps {
  readonly label: string;
  /** Format a time or a value beside its axis, for steps of this size. */
  readonly writeTime: (time: number, step: number) => string;
  readonly writeValue: (value: number, step: number) => string;
  readonly windows: readonly Window[];
  readonly window: number;
  readonly span: Span;
  /** Called with a selected part. */
  readonly onSelect: (from: number, to: number) => void;
  readonly onReset: () => void;
  /** Called with the window under the pointer. */
  readonly onPoint: (pointed: Window | undefined) => void;
}

const HEIGHT = 220;
/** Plots of a page share the pointer's time. */
const SYNC = "device";

/** A plot: the mean as a line, on a band from minimum to maximum. */
export function Plot(props: PlotProps) {
  const { label, windows, window, span, onPoint } = props;
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | undefined>(undefined);
  const tag = language.value;
  useEffect(() => {
    const root = element.current;
    if (root === null) return;
    const { columns, shown } = columnsOf(windows, window);
    const made = new UPlot(
      {
        ...describePlot(root, props),
        width: root.clientWidth,
        hooks: { setCursor: [({ cursor: { idx } }) => onPoint(shown[idx ?? -1])] },
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
  }, [windows, span, tag]);
  useDragging(plot, props, [windows, span, tag]);
  useEffect(() => {
    const redraw = (): void => plot.current?.redraw(false, true);
    redraw();
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", redraw);
    return () => dark.removeEventListener("change", redraw);
  }, [theme.value]);
  return <div ref={element} class="plot" role="img" aria-label={label} />;
}

/** Returns the options of uPlot. No legend: the page shows the values itself. */
function describePlot(
  root: HTMLElement,
  { span: { from, to }, writeTime, writeValue }: PlotProps,
): Omit<UPlot.Options, "width"> {
  const ink = (name: keyof ReturnType<typeof readInks>) => () => readInks(root)[name];
  const axis = {
    stroke: ink("text"),
    font: `12px ${getComputedStyle(root).fontFamily}`,
    grid: { stroke: ink("grid"), width: 1 },
    ticks: { show: false },
  };
  const edge = { width: 0, points: { show: false } };
  return {
    height: HEIGHT,
    padding: [8, 28, 0, 0],
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
    series: [
      {},
      { ...edge, stroke: ink("line") },
      { ...edge, stroke: ink("line") },
      {
        stroke: ink("line"),
        width: 1.5,
        points: { show: true, size: 5, filter: findLonely, fill: ink("line") },
      },
    ],
    bands: [{ series: [1, 2], fill: ink("band") }],
  };
}

/** Returns the values between two gaps, which no line reaches. */
function findLonely({ data }: UPlot, i: number): number[] {
  const values = data[i] ?? [];
  const isGap = (at: number): boolean => (values[at] ?? null) === null;
  return Array.from(values).flatMap((_, at) => !isGap(at) && isGap(at - 1) && isGap(at + 1) ? [at] : []);
}
