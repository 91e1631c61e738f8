import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { type Describe, ProblemNote } from "../../components/form.tsx";
import { Link } from "../../components/link.tsx";
import { formatWait, texts } from "../../language.ts";
import { navigate, query, readId, withQuery } from "../../router.ts";
import { useLoad } from "../../use_load.ts";
import type { Device } from "./device.ts";
import { HEADING, showSpan } from "./show_span.ts";
import { MeasuredPlot } from "./measured_plot.tsx";
import { loadMeasurements } from "./measurements.ts";
import { seriesOf } from "./series.ts";
import {
  type Preset,
  PRESETS,
  readFixed,
  readPreset,
  readSpan,
  shift,
  type Span,
  stretch,
  windowOf,
  writeSpan,
} from "./span.ts";
import { writeLength, writeSpanOfTime } from "./times.ts";

/** Maximum number of plots per page, which are loaded at once. */
const PLOTS = 6;

/** The measurements of a device in the time of the address: `?span=week`, or `?from=…&to=…`. */
export function MeasurementsSection({ device }: { readonly device: Device }) {
  const { measurements, noSeries, unreadable, explain } = texts.value.devices;
  const { series, unreadable: count } = seriesOf(device);
  const pages = Math.max(1, Math.ceil(series.length / PLOTS));
  const page = Math.min(pages, readId(query.value.get("page")) ?? 1);
  const now = useNow();
  const span = readSpan(query.value, now);
  const asked = series.slice((page - 1) * PLOTS, page * PLOTS);
  const { state } = useLoad(
    JSON.stringify([span, asked]),
    (signal) => loadMeasurements(asked, span, signal),
  );
  const { data, problem, isLoading } = state.value;
  return (
    <section class="measurements" aria-busy={isLoading}>
      <h2 id={HEADING} tabIndex={-1}>{measurements}</h2>
      {series.length === 0 ? <p>{noSeries}</p> : (
        <>
          <SpanControls span={span} now={now} />
          <ProblemNote problem={problem} describe={describe} isRetried />
          <div class={isLoading ? "plots old" : "plots"}>
            {data?.measured.map((measured, i) => (
              <MeasuredPlot key={i} measured={measured} measurements={data} />
            ))}
          </div>
          {isLoading && data === undefined && <p class="loading" role="status">{texts.value.loading}</p>}
          {data?.measured.some(({ sets }) => sets.length > 0) && (
            <p class="hint">{explain(writeLength(data.window))}</p>
          )}
          {pages > 1 && <SeriesPages page={page} pages={pages} />}
        </>
      )}
      {count > 0 && <p class="hint">{unreadable(count)}</p>}
    </section>
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

/** Returns the current time for a span that ends now, advanced whenever a window is over. */
function useNow(): number {
  const round = useSignal(0);
  const isRunning = readFixed(query.value) === undefined;
  const preset = readPreset(query.value);
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") round.value++;
    }, windowOf({ from: 0, to: PRESETS[preset] }));
    return () => clearInterval(timer);
  }, [isRunning, preset]);
  return useMemo(() => Date.now(), [isRunning, preset, round.value]);
}

interface SpanControlsProps {
  readonly span: Span;
  readonly now: number;
}

/** The choice of time: presets, and buttons for what dragging over a plot does. */
function SpanControls({ span, now }: SpanControlsProps) {
  const { presets, time, earlier, later, closer, wider, reset } = texts.value.devices;
  const chosen = readFixed(query.value) === undefined ? readPreset(query.value) : undefined;
  const go = (next: Span): void => navigate(withQuery(writeSpan(next)));
  return (
    <div class="span" role="group" aria-label={time}>
      <nav class="presets" aria-label={presets.label}>
        {(Object.keys(PRESETS) as Preset[]).map((name) => (
          <Link
            key={name}
            to={withQuery({ span: name === "day" ? undefined : name, from: undefined, to: undefined })}
            isCurrent={name === chosen}
          >
            {presets[name]}
          </Link>
        ))}
      </nav>
      <div class="moves">
        <button type="button" onClick={() => go(shift(span, -1, now))}>{earlier}</button>
        <button
          type="button"
          aria-disabled={span.to >= now}
          onClick={() => span.to < now && go(shift(span, 1, now))}
        >
          {later}
        </button>
        <button type="button" onClick={() => go(stretch(span, 1 / 2, now))}>{closer}</button>
        <button type="button" onClick={() => go(stretch(span, 2, now))}>{wider}</button>
      </div>
      <div class="chosen">
        <p role="status">{writeSpanOfTime(span)}</p>
        {chosen === undefined && (
          <button
            type="button"
            class="plain"
            onClick={() => showSpan(undefined)}
          >
            {reset}
          </button>
        )}
      </div>
    </div>
  );
}

/** Returns the reason why the measurements failed to load. */
const describe: Describe = ({ status }, left) => {
  const { tooMuch, tooOften, away } = texts.value.devices;
  if (status === 429) return tooOften(formatWait(left));
  if (status === 422) return tooMuch;
  return status === 503 ? away : undefined;
};
