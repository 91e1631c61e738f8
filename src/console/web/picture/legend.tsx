import { RightsTicks } from "../components/rights.tsx";
import { texts } from "../language.ts";
import { ALL } from "../rights.ts";
import { RIGHT_NAMES } from "../../../graph/rights.ts";

/** The legend of a picture's ticks, and what the rights mean. */
export function Legend() {
  const { notHeld, lost } = texts.value.rights;
  return (
    <div class="legend beside">
      <RightsExplained />
      <span>
        <RightsTicks rights={{}} only="alarmManagement" /> {notHeld}
      </span>
      <span>
        <RightsTicks rights={{}} before={ALL} only="alarmManagement" /> {lost}
      </span>
    </div>
  );
}

/** The rights by letter. It opens upwards, over what it explains, with a sentence for each, and for what takes none. */
export function RightsExplained() {
  const { rights: { names, short }, hierarchy } = texts.value;
  const letters = RIGHT_NAMES.map((name, i) => (
    <span key={name}>
      <RightsTicks rights={ALL} only={name} /> {short[i]}
    </span>
  ));
  // Its texts come after those of the first picture.
  if (hierarchy === undefined) return <span>{letters}</span>;
  const { title, sentences, sees } = hierarchy.rights;
  return (
    <details class="letters">
      <summary title={title}>{letters}</summary>
      <dl class="sheet">
        {RIGHT_NAMES.map((name) => (
          <div key={name}>
            <dt>
              <RightsTicks rights={{ [name]: true }} only={name} /> {names[name]}
            </dt>
            <dd>{sentences[name]}</dd>
          </div>
        ))}
        <div>
          <dt>{sees.name}</dt>
          <dd>{sees.text}</dd>
        </div>
      </dl>
    </details>
  );
}

const EXAMPLE = ["alarmManagement"] as const;

/** The legend of a picture that shows what a change would make of it. */
export function LegendToBe() {
  const { toBe } = texts.value.hierarchy;
  return (
    <div class="legend to-be beside">
      <strong>{toBe.title}</strong>
      <span>
        <RightsTicks rights={{}} toBe={{ gained: [], lost: EXAMPLE }} only="alarmManagement" /> {toBe.lost}
      </span>
      <span>
        <RightsTicks rights={{}} toBe={{ gained: EXAMPLE, lost: [] }} only="alarmManagement" /> {toBe.gained}
      </span>
    </div>
  );
}
