import { texts } from "../language.ts";
import { readLocal } from "../local_time.ts";
import type { Problem } from "../problem.ts";
import { navigate, query, withQuery } from "../router.ts";
import { Field } from "./form.tsx";

/** Returns the time in the past that the page is about, from `?asOf=` of its address, as ISO 8601; undefined for now. */
export function readAsOf(): string | undefined {
  return readLocal(query.value.get("asOf") ?? "");
}

interface AsOfFieldProps {
  readonly hint?: string | undefined;
}

/** A field for the time that the page is about, which its address keeps. */
export function AsOfField({ hint }: AsOfFieldProps) {
  return (
    <Field
      label={texts.value.why.asOf}
      hint={hint}
      type="datetime-local"
      value={query.value.get("asOf") ?? ""}
      onValue={(value) => navigate(withQuery({ asOf: value || undefined }), { replace: true })}
    />
  );
}

/** Says what is wrong with the time; undefined if the problem is another one. */
export function describeAsOf({ status, code }: Problem): string | undefined {
  const { problems } = texts.value.why;
  if (code === "BEFORE_HISTORY") return problems.BEFORE_HISTORY;
  if (status === 422) return problems.tooLarge;
  return status === 400 && query.value.has("asOf") ? problems.future : undefined;
}
