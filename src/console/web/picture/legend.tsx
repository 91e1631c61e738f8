import { RightsTicks } from "../components/rights.tsx";
import { texts } from "../language.ts";
import { ALL } from "../rights.ts";
import { RIGHT_NAMES } from "../../../role/rights.ts";

/** The legend of a picture's ticks, and what the rights mean. */
export function Legend() {
  const { legend, notHeld, lost } = texts.value.rights;
  return (
    <div class="legend">
      <span>
        <RightsTicks rights={ALL} /> {legend}
      </span>
      <span>
        <RightsTicks rights={{}} only="alarmManagement" /> {notHeld}
      </span>
      <span>
        <RightsTicks rights={{}} before={ALL} only="alarmManagement" /> {lost}
      </span>
      <RightsExplained />
    </div>
  );
}

/** A sentence for each right, and one for what takes none. It opens upwards, over the picture. */
function RightsExplained() {
  const { rights: { names }, rightsExplained } = texts.value;
  // Its texts come after those of the first picture.
  if (rightsExplained === undefined) return null;
  const { title, sentences, sees } = rightsExplained;
  return (
    <details class="rights-help">
      <summary>{title}</summary>
      <dl>
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
