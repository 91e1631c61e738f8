import { useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import { late } from "../../components/late.tsx";
import { isolate, locale, texts } from "../../language.ts";
import { navigate, withQuery } from "../../router.ts";
import { LineList, LineName } from "./line_list.tsx";
import { PlotFiles } from "./plot_files.tsx";
import type { Line } from "./measured.ts";
import { describeLine, type LineGroup, nameOfLine } from "./plot_lines.ts";
import { windowAt } from "./plot_columns.ts";
import { quantityOf } from "./quantity.ts";
import { selectSpan, type Span, writeSpan } from "./span.ts";
import { writeMoment, writeRecent, writeSpanOfTime, writeTickOfTime } from "./times.ts";
import { ValueTable } from "./value_table.tsx";

const Plot = late(() => import("./plot.tsx").then(({ Plot }) => Plot));

interface MeasuredPlotProps {
  readonly group: LineGroup;
  readonly span: Span;
  /** Times to mark. */
  readonly marks: readonly number[];
  /** The name of the device, and the beginning of a file's name. */
  readonly title: string;
  readonly fileName: string;
}

/** A plot with the names and values of its lines. */
export function MeasuredPlot({ group: { lines }, span, marks, title, fileName }: MeasuredPlotProps) {
  const { devices, loading } = texts.value;
  const section = useRef<HTMLElement>(null);
  const pointed = useSignal<number | undefined>(undefined);
  const hidden = useSignal<ReadonlySet<string>>(new Set());
  const shown = useMemo(
    () => lines.flatMap((line, style) => hidden.value.has(line.key) ? [] : [{ line, style }]),
    [lines, hidden.value],
  );
  const [first, second] = lines;
  if (first === undefined) return null;
  const { unit, writeTick } = quantityOf(first.unit, 0);
  const time = writeSpanOfTime(span);
  const drawn = shown.map(({ line }) => line);
  const names = new Intl.ListFormat(locale.value).format(drawn.map((line) => isolate(nameOfLine(line))));
  const summaries = drawn.map((line) =>
    drawn.length === 1
      ? tell(line, undefined, span)
      : `${isolate(nameOfLine(line))}: ${tell(line, undefined, span)}`
  );
  const moment = pointed.value === undefined ? undefined : writeMoment(pointed.value, first.window);
  return (
    <section class="measured" ref={section} aria-label={second && names}>
      {second === undefined
        ? (
          <>
            <h3>
              <LineName line={first} />
            </h3>
            <p class="readout">
              {moment !== undefined && `${moment} · `}
              {tell(first, pointed.value, span)}
            </p>
          </>
        )
        : (
          <>
            <LineList
              lines={lines}
              hidden={hidden}
              told={lines.map((line) => tell(line, pointed.value, span))}
            />
            <p class="moment">{moment}</p>
          </>
        )}
      {shown.length === 0 ? <p class="plot loading">{devices.noLines}</p> : (
        <>
          <Plot
            label={devices.plot(names, time, summaries.join("; "))}
            writeTime={writeTickOfTime}
            writeValue={writeTick}
            unit={first.unit === "frac" ? "" : unit}
            shown={shown}
            span={span}
            marks={marks}
            onSelect={(from, to) => navigate(withQuery(writeSpan(selectSpan(from, to))))}
            onReset={() => navigate(withQuery({ from: undefined, to: undefined }))}
            onPoint={(time) => pointed.value = time}
            waiting={<p class="plot loading" role="status">{loading}</p>}
          />
          <div class="plot-foot beside">
            <ValueTable label={devices.table(names, time)} lines={drawn} />
            <PlotFiles
              section={section}
              shown={shown}
              title={`${isolate(title)}, ${time}`}
              told={drawn.map((line) => tell(line, undefined, span))}
              fileName={fileName}
            />
          </div>
        </>
      )}
    </section>
  );
}

/** Returns the values of a line at a time, or else those of the whole span, with the latest one if it is in it. */
function tell(line: Line, time: number | undefined, { from, to }: Span): string {
  const { summary: summarize, latest: latestOf } = texts.value.devices;
  const { summary, range } = describeLine(line);
  const { write } = quantityOf(line.unit, range);
  const told = time === undefined ? summary : windowAt(line, time);
  if (told === undefined) return "–";
  const parts = summarize(write(told.min), write(told.mean), write(told.max));
  const { latest } = line;
  const isLatestTold = time === undefined && typeof latest?.value === "number" && latest.time >= from &&
    latest.time < to + line.window;
  // Rows of text end between these parts only.
  return (isLatestTold ? [latestOf(write(latest.value), writeRecent(latest.time)), parts] : [parts]).join(
    " · ",
  )
    .replaceAll(/(?<!·) /g, "\u00a0");
}
