import type { Moment } from "../use_moment.ts";
import { Field } from "./form.tsx";

interface TimeFieldProps {
  readonly label: string;
  /** The hint for a time zone. */
  readonly hint: (zone: string) => string;
  readonly moment: Moment;
  /** What is wrong with the time; by default whether it can be read. */
  readonly fault?: string | undefined;
  /** The texts of buttons for common times, each with its value. */
  readonly choices: readonly (readonly [string, string])[];
}

/** A date and time, with buttons for common ones. */
export function TimeField({ label, hint, moment, fault = moment.fault, choices }: TimeFieldProps) {
  const { text: value, onText } = moment;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  // A date without a time is no value, and must not count as none.
  const onInput = (event: Event): void => {
    const { target } = event;
    if (target instanceof HTMLInputElement) onText(target.value, target.validity.badInput);
  };
  return (
    <div class="until" onInput={onInput}>
      <Field
        label={label}
        type="datetime-local"
        value={value}
        onValue={() => {}}
        hint={hint(timeZone)}
        fault={fault}
      />
      <div class="choices" role="group" aria-label={label}>
        {choices.map(([text, time]) => (
          <button
            key={text}
            type="button"
            aria-pressed={value === time && fault === undefined}
            onClick={() => onText(time, false)}
          >
            {text}
          </button>
        ))}
      </div>
    </div>
  );
}
