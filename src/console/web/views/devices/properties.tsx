import { Name } from "../../components/name.tsx";
import { texts } from "../../language.ts";

/** Lengths above which texts and objects (as JSON) are folded, in characters. */
const LONG = 300;
const LONG_OBJECT = 1000;

type Properties = Readonly<Record<string, unknown>>;

/** The properties of a device. Their content is arbitrary, so all of it is shown as text. */
export function PropertyList({ properties }: { readonly properties: Properties }) {
  return (
    <dl class="properties">
      {Object.entries(properties).map(([name, value]) => (
        <div key={name}>
          <dt>
            <Name>{name}</Name>
          </dt>
          <dd>
            <PropertyValue value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function PropertyValue({ value }: { readonly value: unknown }) {
  const { yes, no, nothing, entries } = texts.value.devices;
  if (value === null) return <span class="hint">{nothing}</span>;
  if (value === true) return <>{yes}</>;
  if (value === false) return <>{no}</>;
  // Unformatted: it may be a number of something.
  if (typeof value === "number") return <>{String(value)}</>;
  if (typeof value === "string") return <LongText text={value} />;
  if (Array.isArray(value) && value.every((each) => typeof each !== "object")) {
    return <LongText text={value.map(String).join(", ")} />;
  }
  const parts = Array.isArray(value)
    ? Object.fromEntries(value.map((part, i) => [i + 1, part]))
    : value as Properties;
  const count = Object.keys(parts).length;
  if (count === 0) return <span class="hint">{nothing}</span>;
  if (JSON.stringify(parts).length <= LONG_OBJECT) return <PropertyList properties={parts} />;
  return (
    <details>
      <summary>{entries(count)}</summary>
      <PropertyList properties={parts} />
    </details>
  );
}

function LongText({ text }: { readonly text: string }) {
  const { nothing, characters } = texts.value.devices;
  if (text === "") return <span class="hint">{nothing}</span>;
  const all = [...text];
  if (all.length <= LONG) return <Name>{text}</Name>;
  return (
    <details>
      <summary>
        <Name>{`${all.slice(0, LONG / 4).join("")}…`}</Name> <small>{characters(all.length)}</small>
      </summary>
      <Name>{text}</Name>
    </details>
  );
}
