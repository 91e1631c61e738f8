import { useSignal } from "@preact/signals";
import { late } from "../../components/late.tsx";
import { Name } from "../../components/name.tsx";
import { isolate, texts } from "../../language.ts";
import { navigate, withQuery } from "../../router.ts";
import { shorten } from "./device.ts";
import type { Lack, Measured, Measurements, TagSet } from "./measurements.ts";
import { showSpan } from "./show_span.ts";
import { quantityOf, unitOf } from "./quantity.ts";
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
  const { series: { name, measurement }, sets, lack } = measured;
  if (lack !== undefined) {
    return (
      <section class="measured">
        <Title name={name} about={[measurement]} />
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
  readonly name: string;
  readonly about: readonly string[];
}

function Title({ name, about }: TitleProps) {
  return (
    <h3>
      <Name>{name}</Name>{" "}
      <small>
        <Name>{about.join(" · ")}</Name>
      </small>
    </h3>
  );
}

function OneSet({ measured, set, measurements }: MeasuredPlotProps & { readonly set: TagSet }) {
  const { devices, loading } = texts.value;
  const { series } = measured;
  const { name, measurement } = series;
  const { span, window } = measurements;
  const pointed = useSignal<Window | undefined>(undefined);
  const summary = sumUp(set.windows);
  const quantity = quantityOf(unitOf(series), rangeOf(summary));
  const told = pointed.value ?? summary;
  const write = ({ min, mean, max }: Omit<Window, "time">): string =>
    devices.summary(quantity.write(min), quantity.write(mean), quantity.write(max));
  const time = writeSpanOfTime(span);
  return (
    <section class="measured">
      <Title
        name={name}
        about={[measurement, ...Object.entries(set.tags).map(([tag, value]) => `${tag} = ${value}`)]}
      />
      <p class="readout">
        {pointed.value && `${writeMoment(pointed.value.time, window)} · `}
        {told && write(told)}
      </p>
      <Plot
        label={devices.plot(isolate(name), time, summary === undefined ? "" : write(summary))}
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
        label={devices.table(isolate(name), time)}
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
      <p class="lacking">
        {kind === "secondFactor" ? texts.value.problems.SECOND_FACTOR_REQUIRED : lacks[kind]}
      </p>
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
