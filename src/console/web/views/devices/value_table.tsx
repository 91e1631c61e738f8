import { useSignal } from "@preact/signals";
import { formatNumber, texts } from "../../language.ts";
import type { Quantity } from "./quantity.ts";
import { writeMoment } from "./times.ts";
import type { Window } from "./windows.ts";

interface ValueTableProps {
  readonly label: string;
  readonly windows: readonly Window[];
  readonly window: number;
  readonly quantity: Quantity;
}

/** The values of the plot as a table. */
export function ValueTable({ label, windows, window, quantity }: ValueTableProps) {
  const { asTable, from, lowest, mean, highest, values } = texts.value.devices;
  const isOpen = useSignal(false);
  return (
    <details class="values" onToggle={({ currentTarget: { open } }) => isOpen.value = open}>
      <summary>{asTable}</summary>
      {isOpen.value && (
        <div class="scroll" role="region" aria-label={label} tabIndex={0}>
          <table>
            <thead>
              <tr>
                {[from, lowest, mean, highest, values].map((text) => <th key={text} scope="col">{text}</th>)}
              </tr>
            </thead>
            <tbody>
              {windows.map((each) => (
                <tr key={each.time}>
                  <th scope="row">{writeMoment(each.time, window)}</th>
                  <td>{quantity.write(each.min)}</td>
                  <td>{quantity.write(each.mean)}</td>
                  <td>{quantity.write(each.max)}</td>
                  <td>{formatNumber(each.count)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
