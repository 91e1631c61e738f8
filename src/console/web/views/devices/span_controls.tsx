import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Field } from "../../components/form.tsx";
import { Link } from "../../components/link.tsx";
import { texts } from "../../language.ts";
import { navigate, query, withQuery } from "../../router.ts";
import { showSpan } from "./show_span.ts";
import {
  type Days,
  daysOf,
  type Preset,
  PRESETS,
  readFixed,
  readPreset,
  shift,
  type Span,
  stretch,
  writeSpan,
} from "./span.ts";
import { writeSpanOfTime } from "./times.ts";

interface SpanControlsProps {
  readonly span: Span;
  readonly now: number;
}

/** The choice of time: presets, days, and buttons for what dragging over a plot does. */
export function SpanControls({ span, now }: SpanControlsProps) {
  const { presets, time, earlier, later, closer, wider } = texts.value.devices;
  const chosen = readFixed(query.value) === undefined ? readPreset(query.value) : undefined;
  const go = (next: Span): void => navigate(withQuery(writeSpan(next)));
  return (
    <div class="span beside" role="group" aria-label={time}>
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
      <DayFields span={span} />
      <div class="chosen beside">
        <p role="status">{writeSpanOfTime(span)}</p>
        {chosen === undefined && (
          <button type="button" class="plain" onClick={() => showSpan(undefined)}>
            {texts.value.hierarchy.past.back}
          </button>
        )}
      </div>
    </div>
  );
}

/** The first and the last day, both included, in the browser's time zone. */
function DayFields({ span }: { readonly span: Span }) {
  const { choose, first, last, show, faults } = texts.value.devices.days;
  const { from, to } = daysOf(span);
  const typed = useSignal<Days>({ from, to });
  const fault = useSignal<keyof typeof faults | undefined>(undefined);
  useEffect(() => {
    typed.value = { from, to };
    fault.value = undefined;
  }, [from, to]);
  const submit = (event: Event): void => {
    event.preventDefault();
    fault.value = findFault(typed.value);
    if (fault.value === undefined) navigate(withQuery({ ...typed.value }));
  };
  return (
    <details class="days">
      <summary>{choose}</summary>
      <form onSubmit={submit} noValidate>
        {(["from", "to"] as const).map((name) => (
          <Field
            key={name}
            label={name === "from" ? first : last}
            type="date"
            value={typed.value[name]}
            onValue={(day) => typed.value = { ...typed.value, [name]: day }}
          />
        ))}
        <button type="submit">{show}</button>
        <p role="alert" class={fault.value === undefined ? "quiet" : "fault"}>
          {fault.value !== undefined && faults[fault.value]}
        </p>
      </form>
    </details>
  );
}

function findFault({ from, to }: Days): "missing" | "order" | "tooLong" | undefined {
  if (from === "" || to === "") return "missing";
  if (to < from) return "order";
  return readFixed(new URLSearchParams({ from, to })) === undefined ? "tooLong" : undefined;
}
