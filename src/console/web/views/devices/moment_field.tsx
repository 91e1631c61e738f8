import { TimeField } from "../../components/time_field.tsx";
import { texts } from "../../language.ts";
import { startOfDay, startOfMonth } from "../../local_time.ts";
import type { Moment } from "../../use_moment.ts";

interface MomentFieldProps {
  readonly moment: Moment;
  readonly label: string;
  /** The text about an empty field, with the time zone. */
  readonly hint: (zone: string) => string;
  /** The button for an empty field; by default "now". */
  readonly none?: string;
}

/** The field for a time, with buttons for common ones. */
export function MomentField({ none, ...field }: MomentFieldProps) {
  const { choices } = texts.value.deviceForms;
  return (
    <TimeField
      {...field}
      choices={[
        [none ?? choices.now, ""],
        [choices.today, startOfDay(0)],
        [choices.tomorrow, startOfDay(1)],
        [choices.nextMonth, startOfMonth(1)],
      ]}
    />
  );
}
