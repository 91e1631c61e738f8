import { useId } from "preact/hooks";

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  /** The texts by value, in order. */
  readonly options: Readonly<Record<Value, string>>;
  readonly onValue: (value: Value) => void;
}

/** A choice of one option. */
export function Choice<Value extends string>({ label, value, options, onValue }: ChoiceProps<Value>) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onValue(currentTarget.value as Value)}>
        {Object.entries<string>(options).map(([key, text]) => <option key={key} value={key}>{text}</option>)}
      </select>
    </div>
  );
}
