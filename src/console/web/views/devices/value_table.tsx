import { useSignal } from "@preact/signals";
import { Fragment } from "preact";
import { formatNumber, texts } from "../../language.ts";
import { LineName } from "./line_list.tsx";
import type { Line } from "./measured.ts";
import { describeLine } from "./plot_lines.ts";
import { quantityOf } from "./quantity.ts";
import { writeMoment } from "./times.ts";

interface ValueTableProps {
  readonly label: string;
  readonly lines: readonly Line[];
}

/** The values of a plot as a table, with columns per line. */
export function ValueTable({ label, lines }: ValueTableProps) {
  const { asTable } = texts.value.devices;
  const isOpen = useSignal(false);
  return (
    <details class="values" onToggle={({ currentTarget: { open } }) => isOpen.value = open}>
      <summary>{asTable}</summary>
      {isOpen.value && (
        <div class="scroll" role="region" aria-label={label} tabIndex={0}>
          <Table lines={lines} />
        </div>
      )}
    </details>
  );
}

function Table({ lines }: Pick<ValueTableProps, "lines">) {
  const { from, lowest, mean, highest, values } = texts.value.devices;
  const times = [...new Set(lines.flatMap(({ windows }) => windows.map(({ time }) => time)))];
  const shortest = Math.min(...lines.map(({ window }) => window));
  const columns = lines.map((line) => ({
    line,
    write: quantityOf(line.unit, describeLine(line).range).write,
    byTime: new Map(line.windows.map((each) => [each.time, each])),
  }));
  return (
    <table>
      <thead>
        {lines.length > 1 && (
          <tr>
            <td />
            {lines.map((line) => (
              <th key={line.key} scope="colgroup" colSpan={4}>
                <LineName line={line} />
              </th>
            ))}
          </tr>
        )}
        <tr>
          <th scope="col">{from}</th>
          {lines.map(({ key }) => (
            <Fragment key={key}>
              {[lowest, mean, highest, values].map((text) => <th key={text} scope="col">{text}</th>)}
            </Fragment>
          ))}
        </tr>
      </thead>
      <tbody>
        {times.sort((a, b) => a - b).map((time) => (
          <tr key={time}>
            <th scope="row">{writeMoment(time, shortest)}</th>
            {columns.map(({ line, write, byTime }) => {
              const window = byTime.get(time);
              return window === undefined ? <td key={line.key} colSpan={4} /> : (
                <Fragment key={line.key}>
                  <td>{write(window.min)}</td>
                  <td>{write(window.mean)}</td>
                  <td>{write(window.max)}</td>
                  <td>{formatNumber(window.count)}</td>
                </Fragment>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
