import { texts } from "../language.ts";
import { navigate, query, withQuery } from "../router.ts";
import { Field } from "./form.tsx";

/** The first and the last day of a period in the address: "2026-11-27". */
const DAYS = ["from", "to"] as const;

type Day = (typeof DAYS)[number];

/** Reads a day of the address; undefined without one, and for other texts. */
export function readDay(name: Day): string | undefined {
  const text = query.value.get(name) ?? "";
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00`)) ? text : undefined;
}

/** Reads the period of the address, as times (ISO 8601): the beginning of its first day and the end of its last. */
export function readPeriod(): { readonly from: string | undefined; readonly to: string | undefined } {
  const [from, to] = DAYS.map(readDay);
  return {
    from: from && new Date(`${from}T00:00`).toISOString(),
    to: to && new Date(`${to}T23:59:59.999`).toISOString(),
  };
}

/** Two fields for the period that the page is about, which its address keeps. */
export function PeriodFields() {
  const { filters } = texts.value.changes;
  return (
    <>
      {DAYS.map((name) => (
        <Field
          key={name}
          label={filters[name]}
          type="date"
          value={readDay(name) ?? ""}
          // Each key pressed in a date makes another value.
          onValue={(day) => navigate(withQuery({ [name]: day || undefined }), { replace: true })}
        />
      ))}
    </>
  );
}
