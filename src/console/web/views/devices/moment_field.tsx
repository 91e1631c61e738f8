import { useSignal } from "@preact/signals";
import { TimeField } from "../../components/time_field.tsx";
import { texts } from "../../language.ts";
import { readLocal, startOfDay, startOfMonth, toLocal } from "../../local_time.ts";

/** A time that may be left out, and the state of its field. */
export interface Moment {
  /** ISO 8601; undefined if none is given. */
  readonly at: string | undefined;
  readonly fault: string | undefined;
  readonly text: string;
  readonly isTyped: boolean;
  readonly onText: (text: string, isIncomplete: boolean) => void;
}

/** Returns a time to start from, by default none. An untouched one keeps its seconds, which the field lacks. */
export function useMoment(first?: string): Moment {
  const firstText = first === undefined ? "" : toLocal(new Date(first));
  const typed = useSignal<{ readonly text: string; readonly isIncomplete: boolean } | undefined>(undefined);
  const { text, isIncomplete } = typed.value ?? { text: firstText, isIncomplete: false };
  const at = text === firstText ? first : readLocal(text);
  const isUnreadable = isIncomplete || (text !== "" && at === undefined);
  return {
    at,
    fault: isUnreadable ? texts.value.change.member.incomplete : undefined,
    text,
    isTyped: at !== first,
    onText: (text, isIncomplete) => typed.value = { text, isIncomplete },
  };
}

interface MomentFieldProps {
  readonly moment: Moment;
  readonly label: string;
  /** The text about an empty field, with the time zone. */
  readonly hint: (zone: string) => string;
  /** The button for an empty field; by default "now". */
  readonly none?: string;
}

/** The field for a time, with buttons for common ones. */
export function MomentField({ moment, label, hint, none }: MomentFieldProps) {
  const { choices } = texts.value.deviceForms;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return (
    <TimeField
      label={label}
      hint={hint(timeZone)}
      value={moment.text}
      onValue={moment.onText}
      fault={moment.fault}
      choices={[
        [none ?? choices.now, ""],
        [choices.today, startOfDay(0)],
        [choices.tomorrow, startOfDay(1)],
        [choices.nextMonth, startOfMonth(1)],
      ]}
    />
  );
}
