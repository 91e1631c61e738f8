import type { Signal } from "@preact/signals";
import { Name } from "../../components/name.tsx";
import { texts } from "../../language.ts";
import { Swatch } from "./line_style.tsx";
import type { Line } from "./measured.ts";

interface LineListProps {
  readonly lines: readonly Line[];
  /** The keys of hidden lines. */
  readonly hidden: Signal<ReadonlySet<string>>;
  /** The values of each line as text. */
  readonly told: readonly string[];
}

/** The lines of a plot with their values. Each can be hidden. */
export function LineList({ lines, hidden, told }: LineListProps) {
  const toggle = (key: string): void => {
    const next = new Set(hidden.value);
    if (!next.delete(key)) next.add(key);
    hidden.value = next;
  };
  return (
    <ul class="lines" aria-label={texts.value.devices.lines}>
      {lines.map((line, i) => (
        <li key={line.key}>
          <label>
            <input type="checkbox" checked={!hidden.value.has(line.key)} onChange={() => toggle(line.key)} />
            <Swatch style={i} />
            <span>
              <LineName line={line} />
            </span>
          </label>
          <span class="readout">{told[i]}</span>
        </li>
      ))}
    </ul>
  );
}

/** The name of a line, and what tells it apart from others. */
export function LineName({ line: { name, about } }: { readonly line: Pick<Line, "name" | "about"> }) {
  return (
    <>
      <Name>{name}</Name>
      {about !== "" && (
        <>
          {" "}
          <small>
            <Name>{about}</Name>
          </small>
        </>
      )}
    </>
  );
}
