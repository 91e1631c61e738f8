import { Field } from "../../components/form.tsx";
import { texts } from "../../language.ts";
import { daysToFriday, endOfDay, endOfMonth } from "../../local_time.ts";

interface UntilFieldProps {
  /** The text of the field; empty without an end. */
  readonly value: string;
  readonly onValue: (value: string, isIncomplete: boolean) => void;
  readonly fault: string | undefined;
}

/** The end of a membership: date and time, with buttons for common ones. */
export function UntilField({ value, onValue, fault }: UntilFieldProps) {
  const { member: words } = texts.value.change;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const choices = [
    [words.choices.friday, endOfDay(daysToFriday())],
    [words.choices.week, endOfDay(7)],
    [words.choices.month, endOfMonth()],
    [words.choices.forGood, ""],
  ] as const;
  // A date without a time is no value, and must not count as no end.
  const onInput = (event: Event): void => {
    const { target } = event;
    if (target instanceof HTMLInputElement) onValue(target.value, target.validity.badInput);
  };
  return (
    <div class="until" onInput={onInput}>
      <Field
        label={words.until}
        type="datetime-local"
        value={value}
        onValue={() => {}}
        hint={words.untilHint(timeZone)}
        fault={fault}
      />
      <div class="choices" role="group" aria-label={words.until}>
        {choices.map(([text, end]) => (
          <button
            key={text}
            type="button"
            aria-pressed={value === end && fault === undefined}
            onClick={() => onValue(end, false)}
          >
            {text}
          </button>
        ))}
      </div>
    </div>
  );
}
