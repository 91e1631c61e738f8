import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { type Describe, ProblemNote } from "../../components/form.tsx";
import { Link } from "../../components/link.tsx";
import { LoadingNote } from "../../components/loading_note.tsx";
import { formatTime, formatWait, texts } from "../../language.ts";
import { query, readId, withQuery } from "../../router.ts";
import { useLoad } from "../../use_load.ts";
import { type Described, nameOf } from "../../device_names.ts";
import { Lacking } from "./lacking.tsx";
import { MeasuredPlot } from "./measured_plot.tsx";
import type { Measurements } from "./measured.ts";
import { loadMeasurements } from "./measurements.ts";
import { groupLines, MOST_OF_PAGE } from "./plot_lines.ts";
import { seriesOf } from "./series.ts";
import { HEADING } from "./show_span.ts";
import { daysOf, PRESETS, readFixed, readPreset, readSpan, windowOf } from "./span.ts";
import { SpanControls } from "./span_controls.tsx";
import { writeLength } from "./times.ts";

/** Maximum number of series per page, which are loaded at once. */
const SERIES = 6;

interface MeasurementsProps {
  readonly device: Described;
  /** When periods of the viewer begin and end, in milliseconds since 1970. */
  readonly edges: readonly number[];
  /** In place of now, when the last of them ended. */
  readonly end?: number | undefined;
}

/** The measurements of a device in the time of the address: `?span=week`, or `?from=…&to=…`. */
export function MeasurementsSection({ device, edges, end }: MeasurementsProps) {
  const { measurements, noSeries, unreadable } = texts.value.devices;
  const { series, unreadable: count } = seriesOf(device);
  const pages = Math.max(1, Math.ceil(series.length / SERIES));
  const page = Math.min(pages, readId(query.value.get("page")) ?? 1);
  const now = useNow(end);
  const span = readSpan(query.value, now);
  const asked = series.slice((page - 1) * SERIES, page * SERIES);
  const { data, problem, isLoading } = useLoad(
    JSON.stringify([span, asked]),
    (signal) => loadMeasurements(asked, span, signal),
  );
  return (
    <section class="measurements" aria-busy={isLoading}>
      <h2 id={HEADING} tabIndex={-1}>{measurements}</h2>
      {series.length === 0 ? <p>{noSeries}</p> : (
        <>
          <SpanControls span={span} now={now} />
          <ProblemNote problem={problem} describe={describe} isRetried />
          {data !== undefined && (
            <Plots
              device={device}
              edges={edges}
              measurements={data}
              isOld={isLoading}
            />
          )}
          {isLoading && data === undefined && <LoadingNote class="loading" />}
          {pages > 1 && <SeriesPages page={page} pages={pages} />}
        </>
      )}
      {count > 0 && <p class="hint">{unreadable(count)}</p>}
    </section>
  );
}

interface PlotsProps extends Omit<MeasurementsProps, "end"> {
  readonly measurements: Measurements;
  /** Whether others are loading. */
  readonly isOld: boolean;
}

/** Plots by unit or, with `?plots=each`, each line on its own, and the series that cannot be drawn. */
function Plots({ device, edges, measurements, isOld }: PlotsProps) {
  const { explain, edges: tellEdges, onlyHours, clipped, moreLines } = texts.value.devices;
  const { measured, span, window } = measurements;
  const isEach = query.value.get("plots") === "each";
  const together = useMemo(() => groupLines(measured, false), [measured]);
  const groups = useMemo(() => isEach ? groupLines(measured, true) : together, [together, isEach]);
  const more = measured.reduce((sum, { sets }) => sum + sets.length, -MOST_OF_PAGE);
  const { from, to } = daysOf(span);
  const marks = useMemo(() => edges.filter((at) => span.from < at && at < span.to), [edges, span]);
  return (
    <>
      {together.some(({ lines }) => lines.length > 1) && <Arrangement isEach={isEach} />}
      <div class={isOld ? "plots old" : "plots"}>
        {groups.map((group, i) => (
          <MeasuredPlot
            key={group.key}
            group={group}
            span={span}
            marks={marks}
            title={nameOf(device)}
            fileName={[`device-${device.id}`, from, to, ...i === 0 ? [] : [i + 1]].join("-")}
          />
        ))}
        {measured.map((each) =>
          each.lack && (
            <Lacking key={JSON.stringify(each.series)} measured={each} lack={each.lack} span={span} />
          )
        )}
      </div>
      {more > 0 && <p class="note">{moreLines(more)}</p>}
      {measured.some(({ isClipped }) => isClipped) && <p class="note">{clipped}</p>}
      {measured.some((each) => each.window !== window) && <p class="note">{onlyHours}</p>}
      {groups.length > 0 && marks.length > 0 && (
        <p class="hint">{tellEdges(marks.map((at) => formatTime(new Date(at).toISOString())))}</p>
      )}
      {groups.length > 0 && <p class="hint">{explain(writeLength(window))}</p>}
    </>
  );
}

/** The choice between plots by unit and plots by line. */
function Arrangement({ isEach }: { readonly isEach: boolean }) {
  const { label, together, each } = texts.value.devices.arrangement;
  return (
    <nav class="presets arrangement" aria-label={label}>
      <Link to={withQuery({ plots: undefined })} isCurrent={!isEach}>{together}</Link>
      <Link to={withQuery({ plots: "each" })} isCurrent={isEach}>{each}</Link>
    </nav>
  );
}

/** Links to further series of a device. */
function SeriesPages({ page, pages }: { readonly page: number; readonly pages: number }) {
  const { seriesPages, previousSeries, nextSeries, pageOf } = texts.value.devices;
  const linkTo = (to: number): string => withQuery({ page: to === 1 ? undefined : String(to) });
  return (
    <nav class="series-pages" aria-label={seriesPages}>
      {page > 1 && <Link to={linkTo(page - 1)}>{previousSeries}</Link>}
      <span>{pageOf(page, pages)}</span>
      {page < pages && <Link to={linkTo(page + 1)}>{nextSeries}</Link>}
    </nav>
  );
}

/** Returns the current time for a span that ends now, advanced whenever a window is over; or else another end. */
function useNow(end: number | undefined): number {
  const round = useSignal(0);
  const isRunning = end === undefined && readFixed(query.value) === undefined;
  const preset = readPreset(query.value);
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") round.value++;
    }, windowOf({ from: 0, to: PRESETS[preset] }));
    return () => clearInterval(timer);
  }, [isRunning, preset]);
  return useMemo(() => end ?? Date.now(), [end, isRunning, preset, round.value]);
}

/** Returns the reason why the measurements failed to load. */
const describe: Describe = ({ status }, left) => {
  const { tooMuch, tooOften, away } = texts.value.devices;
  if (status === 429) return tooOften(formatWait(left));
  if (status === 422) return tooMuch;
  return status === 503 ? away : undefined;
};
