import { Field } from "./form.tsx";

export interface TimeFieldProps {
  readonly label: string;
  readonly hint: string;
  /** The text of the field; empty without a time. */
  readonly value: string;
  readonly onValue: (value: string, isIncomplete: boolean) => void;
  readonly fault: string | undefined;
  /** The texts of buttons for common times, each with its value. */
  readonly choices: readonly (readonly [string, string])[];
}

/** A date and time, with buttons for common ones. */
export function TimeField({ label, hint, value, onValue, fault, choices }: TimeFieldProps) {
  // A date without a time is no value, and must not count as none.
  const onInput = (event: Event): void => {
    const { target } = event;
    if (target instanceof HTMLInputElement) onValue(target.value, target.validity.badInput);
  };
  return (
    <div class="until" onInput={onInput}>
      <Field
        label={label}
        type="datetime-local"
        value={value}
        onValue={() => {}}
        hint={hint}
        fault={fault}
      />
      <div class="choices" role="group" aria-label={label}>
        {choices.map(([text, time]) => (
          <button
            key={text}
            type="button"
            aria-pressed={value === time && fault === undefined}
            onClick={() => onValue(time, false)}
          >
            {text}
          </button>
        ))}
      </div>
    </div>
  );
}
