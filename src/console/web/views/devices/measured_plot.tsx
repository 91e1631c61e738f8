import { useSignal } from "@preact/signals";
import { late } from "../../components/late.tsx";
import { Name } from "../../components/name.tsx";
import { texts } from "../../language.ts";
import { navigate, withQuery } from "../../router.ts";
import { shorten } from "./device.ts";
import type { Lack, Measured, Measurements, TagSet } from "./measurements.ts";
import { showSpan } from "./show_span.ts";
import { quantityOf } from "./quantity.ts";
import { selectSpan, type Span, writeSpan } from "./span.ts";
import { writeMoment, writeSpanOfTime, writeTickOfTime } from "./times.ts";
import { ValueTable } from "./value_table.tsx";
import { sumUp, type Window } from "./windows.ts";

const Plot = late(() => import("./plot.tsx").then(({ Plot }) => Plot));

interface MeasuredPlotProps {
  readonly measured: Measured;
  readonly measurements: Measurements;
}

/** A series: a plot per tag set, or the reason for its absence. */
export function MeasuredPlot({ measured, measurements }: MeasuredPlotProps) {
  const { series: { field, measurement }, sets, lack } = measured;
  if (lack !== undefined) {
    return (
      <section class="measured">
        <Title field={field} about={[measurement]} />
        <Lacking lack={lack} span={measurements.span} />
      </section>
    );
  }
  return (
    <>
      {sets.map((set) => (
        <OneSet key={JSON.stringify(set.tags)} measured={measured} set={set} measurements={measurements} />
      ))}
    </>
  );
}

interface TitleProps {
  readonly field: string;
  readonly about: readonly string[];
}

function Title({ field, about }: TitleProps) {
  return (
    <h3>
      <Name>{field}</Name>{" "}
      <small>
        <Name>{about.join(" · ")}</Name>
      </small>
    </h3>
  );
}

function OneSet({ measured, set, measurements }: MeasuredPlotProps & { readonly set: TagSet }) {
  const { devices, loading } = texts.value;
  const { series: { field, measurement } } = measured;
  const { span, window } = measurements;
  const pointed = useSignal<Window | undefined>(undefined);
  const summary = sumUp(set.windows);
  const quantity = quantityOf(field, rangeOf(summary));
  const told = pointed.value ?? summary;
  const write = ({ min, mean, max }: Omit<Window, "time">): string =>
    devices.summary(quantity.write(min), quantity.write(mean), quantity.write(max));
  const time = writeSpanOfTime(span);
  return (
    <section class="measured">
      <Title
        field={field}
        about={[measurement, ...Object.entries(set.tags).map(([name, value]) => `${name} = ${value}`)]}
      />
      <p class="readout">
        {pointed.value && `${writeMoment(pointed.value.time, window)} · `}
        {told && write(told)}
      </p>
      <Plot
        label={devices.plot(field, time, summary === undefined ? "" : write(summary))}
        writeTime={writeTickOfTime}
        writeValue={quantity.writeTick}
        windows={set.windows}
        window={window}
        span={span}
        onSelect={(from, to) => navigate(withQuery(writeSpan(selectSpan(from, to))))}
        onReset={() => navigate(withQuery({ from: undefined, to: undefined }))}
        onPoint={(window) => pointed.value = window}
        waiting={<p class="plot loading" role="status">{loading}</p>}
      />
      <ValueTable
        label={devices.table(field, time)}
        windows={set.windows}
        window={window}
        quantity={quantity}
      />
    </section>
  );
}

/** Returns the range of the values; for equal ones, their size. */
function rangeOf({ min, max }: { min: number; max: number } = { min: 0, max: 0 }): number {
  return max > min ? max - min : Math.abs(max);
}

interface LackingProps {
  readonly lack: Lack;
  readonly span: Span;
}

/** The reason why nothing is drawn, and the latest value with a link to it. */
function Lacking({ lack: { kind, latest }, span: { from, to } }: LackingProps) {
  const { never, latestValue, showLatest, lacks } = texts.value.devices;
  if (kind === "empty" && latest === undefined) return <p class="lacking">{never}</p>;
  const show = (at: number): void => showSpan({ from: at - (to - from) + 1000, to: at + 1000 });
  return (
    <>
      <p class="lacking">{lacks[kind]}</p>
      {latest !== undefined && (
        <p class="latest">
          {latestValue(writeMoment(latest.time, 1000))} <Name>{shorten(latest.value)}</Name>
          {kind === "empty" && (
            <button type="button" class="plain" onClick={() => show(latest.time)}>{showLatest}</button>
          )}
        </p>
      )}
    </>
  );
}
