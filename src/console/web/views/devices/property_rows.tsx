import { useId } from "preact/hooks";
import { isLost } from "../../../../core/json_numbers.ts";
import { Name } from "../../components/name.tsx";
import { formatNumber, isolate, texts } from "../../language.ts";

/** The kinds of values: those but texts, numbers, and yes or no are written as JSON. */
export type Kind = "text" | "number" | "flag" | "json";

/** A property as it is typed. */
export interface PropertyRow {
  readonly name: string;
  readonly kind: Kind;
  readonly text: string;
  /** Whether the device does not have it yet. */
  readonly isNew: boolean;
}

const MOST_BYTES = 16 * 1024;
/** A longer text gets a field of several lines. */
const LONG = 40;

/** Returns the row of a property's value. */
export function toRow(name: string, value: unknown): PropertyRow {
  const isNew = false;
  if (typeof value === "string") return { name, kind: "text", text: value, isNew };
  if (typeof value === "number") return { name, kind: "number", text: String(value), isNew };
  if (typeof value === "boolean") return { name, kind: "flag", text: String(value), isNew };
  return { name, kind: "json", text: JSON.stringify(value), isNew };
}

/** Returns the value of a row, or its fault. */
export function readRow({ kind, text }: PropertyRow): { value: unknown } | { fault: string } {
  const { properties: words } = texts.value.deviceForms;
  if (kind === "text") return { value: text };
  if (kind === "flag") return { value: text === "true" };
  if (kind === "number") {
    const value = Number(text);
    if (isLost(text.trim())) return { fault: words.lost };
    return text.trim() === "" || Number.isNaN(value) ? { fault: words.notNumber } : { value };
  }
  try {
    let loses = false;
    // Older browsers do not tell the source.
    const value: unknown = JSON.parse(text, (_name, inner, { source = "" }: { source?: string } = {}) => {
      loses ||= typeof inner === "number" && isLost(source);
      return inner;
    });
    return loses ? { fault: words.lost } : { value };
  } catch {
    return { fault: words.notJson };
  }
}

/** Returns the properties, or undefined if a row has a fault. New rows without a name and a value do not count. */
export function readRows(rows: readonly PropertyRow[]): Record<string, unknown> | undefined {
  const filled = rows.filter((row) => !isEmpty(row));
  const read = filled.map((row, i) => {
    const found = readRow(row);
    return "fault" in found || nameFault(row, filled.toSpliced(i, 1)) !== undefined
      ? undefined
      : [row.name.trim(), found.value] as const;
  });
  const entries = read.filter((entry) => entry !== undefined);
  return entries.length < read.length ? undefined : Object.fromEntries(entries);
}

/** Whether nothing is typed into a new row, or only the name that it came with. */
function isEmpty({ isNew, text, kind }: PropertyRow): boolean {
  return isNew && text === "" && kind === "text";
}

function nameFault({ name, isNew }: PropertyRow, others: readonly PropertyRow[]): string | undefined {
  const { properties: words } = texts.value.deviceForms;
  if (!isNew) return undefined;
  const trimmed = name.trim();
  if (trimmed === "") return words.noName;
  return trimmed === "nodeId" || others.some((other) => other.name.trim() === trimmed)
    ? words.nameTaken
    : undefined;
}

interface PropertyRowsProps {
  readonly rows: readonly PropertyRow[];
  /** Changes the row in a place; undefined removes it. */
  readonly onRow: (place: number, row: PropertyRow | undefined) => void;
  readonly onAdd: () => void;
}

/** Properties by name, each value in a field of its kind. */
export function PropertyRows({ rows, onRow, onAdd }: PropertyRowsProps) {
  const { properties: words } = texts.value.deviceForms;
  const id = useId();
  const firstNew = rows.filter(({ isNew }) => !isNew).length;
  return (
    <div class="property-rows">
      {rows.map((row, i) => {
        const others = rows.toSpliced(i, 1);
        const read = readRow(row);
        const isUntouched = isEmpty(row);
        const fault = isUntouched
          ? undefined
          : nameFault(row, others) ?? ("fault" in read ? read.fault : undefined);
        return (
          // By name: what another user adds meanwhile takes neither the focus nor a click meant for its neighbour.
          <div
            key={row.isNew ? `new ${i - firstNew}` : `name ${row.name}`}
            {...row.isNew && { role: "group", "aria-label": isolate(row.name) }}
          >
            {row.isNew
              ? (
                <div class="new-property">
                  <input
                    type="text"
                    aria-label={texts.value.words.name}
                    placeholder={texts.value.words.name}
                    value={row.name}
                    autocomplete="off"
                    onInput={({ currentTarget: { value } }) => onRow(i, { ...row, name: value })}
                  />
                  <select
                    aria-label={words.kind}
                    value={row.kind}
                    onChange={({ currentTarget: { value } }) =>
                      onRow(i, { ...row, kind: value as Kind, text: value === "flag" ? "true" : row.text })}
                  >
                    {Object.entries(words.kinds).map(([kind, text]) => (
                      <option key={kind} value={kind}>{text}</option>
                    ))}
                  </select>
                </div>
              )
              : (
                <label for={`${id}-${i}`}>
                  <Name>{row.name}</Name>
                </label>
              )}
            <div class="property-value">
              <ValueField
                id={`${id}-${i}`}
                row={row}
                fault={fault}
                onText={(text) => onRow(i, { ...row, text })}
              />
              <button
                type="button"
                class="plain"
                aria-label={words.removeOf(isolate(row.name))}
                title={texts.value.words.remove}
                onClick={() => onRow(i, undefined)}
              >
                ×
              </button>
            </div>
            {fault !== undefined && <p id={`${id}-${i}-note`} class="fault">{fault}</p>}
          </div>
        );
      })}
      <button type="button" onClick={onAdd}>{words.add}</button>
    </div>
  );
}

interface ValueFieldProps {
  readonly id: string;
  readonly row: PropertyRow;
  readonly fault: string | undefined;
  readonly onText: (text: string) => void;
}

function ValueField({ id, row, fault, onText }: ValueFieldProps) {
  const { properties: words } = texts.value.deviceForms;
  const { yes, no } = texts.value.devices;
  const common = {
    id,
    value: row.text,
    "aria-label": row.isNew ? words.value : undefined,
    placeholder: row.isNew ? words.value : undefined,
    "aria-invalid": fault === undefined ? undefined : "true" as const,
    "aria-describedby": fault === undefined ? undefined : `${id}-note`,
  };
  if (row.kind === "flag") {
    return (
      <select {...common} onChange={({ currentTarget: { value } }) => onText(value)}>
        <option value="true">{yes}</option>
        <option value="false">{no}</option>
      </select>
    );
  }
  const onInput = ({ currentTarget: { value } }: { currentTarget: { value: string } }): void => onText(value);
  return row.kind === "json" || row.text.length > LONG || row.text.includes("\n")
    ? <textarea {...common} rows={3} spellcheck={false} onInput={onInput} />
    : (
      <input
        type="text"
        {...common}
        autocomplete="off"
        inputMode={row.kind === "number" ? "decimal" : "text"}
        onInput={onInput}
      />
    );
}

/** Whether a device can have these properties, in bytes. */
export function isSmall(properties: object): boolean {
  return sizeOf(properties) <= MOST_BYTES;
}

function sizeOf(properties: object): number {
  return new TextEncoder().encode(JSON.stringify(properties)).length;
}

/** How many of the possible bytes the properties take. */
export function SizeNote({ properties }: { readonly properties: object }) {
  const { properties: words } = texts.value.deviceForms;
  const [size, most] = [formatNumber(sizeOf(properties)), formatNumber(MOST_BYTES)];
  return isSmall(properties)
    ? <p class="hint">{words.size(size, most)}</p>
    : <p class="fault" role="alert">{words.tooLarge(size, most)}</p>;
}
