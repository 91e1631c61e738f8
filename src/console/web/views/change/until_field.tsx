import { TimeField, type TimeFieldProps } from "../../components/time_field.tsx";
import { texts } from "../../language.ts";
import { daysToFriday, endOfDay, endOfMonth } from "../../local_time.ts";

/** The end of a membership: date and time, with buttons for common ones. */
export function UntilField(props: Pick<TimeFieldProps, "value" | "onValue" | "fault">) {
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
