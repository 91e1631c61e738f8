import type { ComponentChildren } from "preact";

interface CheckProps {
  readonly value: boolean;
  readonly onValue: (value: boolean) => void;
  readonly isDisabled?: boolean;
  readonly children: ComponentChildren;
}

/** A checkbox with its text. */
export function Check({ value, onValue, isDisabled = false, children }: CheckProps) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={value}
        disabled={isDisabled}
        onChange={({ currentTarget: { checked } }) => onValue(checked)}
      />
      {children}
    </label>
  );
}
