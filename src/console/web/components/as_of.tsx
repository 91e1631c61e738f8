import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { formatNumber, formatTime, texts } from "../language.ts";
import { readLocal, startOfDay } from "../local_time.ts";
import type { Problem } from "../problem.ts";
import { navigate, query, readId, withQuery } from "../router.ts";
import { Field } from "./form.tsx";
import { Link } from "./link.tsx";

/** A moment in the past: a time (ISO 8601), or a revision of the log. */
export type AsOf = string | number;

/** Returns the moment that the page is about, from `?asOf=` of its address; undefined for now. */
export function readAsOf(): AsOf | undefined {
  const text = query.value.get("asOf") ?? "";
  return readLocal(text) ?? readId(text);
}

/** Whether the page is about a moment in the past. */
export function isPast(): boolean {
  return readAsOf() !== undefined;
}

/** Whether a way into the past was just taken, whose focus the field of the band is to take. */
let isEntering = false;

interface AsOfFieldProps {
  readonly hint?: string | undefined;
  readonly takesFocus?: boolean;
}

/** A field for the time that the page is about, which its address keeps. It is empty for a revision. */
export function AsOfField({ hint, takesFocus = false }: AsOfFieldProps) {
  const asOf = readAsOf();
  return (
    <Field
      label={texts.value.why.asOf}
      hint={hint}
      type="datetime-local"
      value={typeof asOf === "number" ? "" : query.value.get("asOf") ?? ""}
      onValue={(value) => navigate(withQuery({ asOf: value || undefined }), { replace: true })}
      takesFocus={takesFocus}
    />
  );
}

/** Contains a way into the past, which disappears there. The field of the band takes its focus. */
export function WayToPast({ children }: { readonly children: ComponentChildren }) {
  const enter = ({ type, target }: Event): void => {
    isEntering = type === "input"
      ? (target as HTMLInputElement).value !== ""
      : target instanceof HTMLAnchorElement;
  };
  return <span onClickCapture={enter} onInputCapture={enter}>{children}</span>;
}

/** A link to the same page as it was when the day began. */
export function PastLink() {
  return (
    <WayToPast>
      <Link to={withQuery({ asOf: startOfDay(0), do: undefined })}>{texts.value.hierarchy.past.show}</Link>
    </WayToPast>
  );
}

/** Says what is wrong with the time; undefined if the problem is another one. */
export function describeAsOf({ status, code, body: { since } }: Problem): string | undefined {
  const { why: { problems }, hierarchy } = texts.value;
  if (code === "BEFORE_HISTORY") {
    return typeof since === "string" ? hierarchy.past.began(formatTime(since)) : problems.BEFORE_HISTORY;
  }
  if (status === 422) return problems.tooLarge;
  return status === 400 && query.value.has("asOf") ? problems.future : undefined;
}

/** "As it was on …", or after a revision. */
export function describeMoment(asOf: AsOf): string {
  const { past } = texts.value.hierarchy;
  return typeof asOf === "number" ? past.after(formatNumber(asOf)) : past.asOf(formatTime(asOf));
}

/** Says at which moment in the past the page is, with a field for another one and the way back; nothing about now. */
export function PastBand() {
  return isPast() ? <Band /> : null;
}

function Band() {
  const { past } = texts.value.hierarchy;
  const asOf = readAsOf();
  const takesFocus = isEntering;
  useEffect(() => {
    isEntering = false;
  }, []);
  return (
    <div class="past-band beside">
      <p class="note" role="status">{asOf !== undefined && describeMoment(asOf)}</p>
      <AsOfField takesFocus={takesFocus} />
      <Link to={withQuery({ asOf: undefined })}>{past.back}</Link>
    </div>
  );
}
