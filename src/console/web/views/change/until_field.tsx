import { TimeField } from "../../components/time_field.tsx";
import { texts } from "../../language.ts";
import { daysToFriday, endOfDay, endOfMonth } from "../../local_time.ts";

interface UntilFieldProps {
  /** The text of the field; empty without an end. */
  readonly value: string;
  readonly onValue: (value: string, isIncomplete: boolean) => void;
  readonly fault: string | undefined;
}

/** The end of a membership: date and time, with buttons for common ones. */
export function UntilField(props: UntilFieldProps) {
  const { member: words } = texts.value.change;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return (
    <TimeField
      {...props}
      label={words.until}
      hint={words.untilHint(timeZone)}
      choices={[
        [words.choices.tomorrow, endOfDay(1)],
        [words.choices.friday, endOfDay(daysToFriday())],
        [words.choices.week, endOfDay(7)],
        [words.choices.month, endOfMonth()],
        [words.choices.forGood, ""],
      ]}
    />
  );
}
