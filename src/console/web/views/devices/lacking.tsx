import { Name } from "../../components/name.tsx";
import { texts } from "../../language.ts";
import { shorten } from "../../device_names.ts";
import { writeLatest } from "./latest.ts";
import type { Lack, Measured } from "./measured.ts";
import { showSpan } from "./show_span.ts";
import type { Span } from "./span.ts";
import { writeMoment } from "./times.ts";

interface LackingProps {
  readonly measured: Pick<Measured, "series">;
  readonly lack: Lack;
  readonly span: Span;
}

/** A series that is not drawn: the reason, and the latest value with a link to it. */
export function Lacking({ measured: { series }, lack, span: { from, to } }: LackingProps) {
  const { never, latestValue, showLatest, lacks } = texts.value.devices;
  const { SECOND_FACTOR_REQUIRED } = texts.value.problems;
  const { kind, latest } = lack;
  const show = (at: number): void => showSpan({ from: at - (to - from) + 1000, to: at + 1000 });
  return (
    <section class="measured">
      <h3>
        <Name>{series.name}</Name>{" "}
        <small>
          <Name>{series.measurement}</Name>
        </small>
      </h3>
      <p class="lacking">
        {kind === "secondFactor"
          ? SECOND_FACTOR_REQUIRED
          : kind === "empty" && latest === undefined
          ? never
          : lacks[kind]}
      </p>
      {latest !== undefined && (
        <p class="latest">
          {latestValue(writeMoment(latest.time, 1000))}{" "}
          <Name>{shorten(writeLatest({ series, value: latest.value }) ?? "")}</Name>
          {kind === "empty" && (
            <button type="button" class="plain" onClick={() => show(latest.time)}>{showLatest}</button>
          )}
        </p>
      )}
    </section>
  );
}
