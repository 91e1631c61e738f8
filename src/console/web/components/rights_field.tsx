import { useId } from "preact/hooks";
import { LETTERS, RIGHT_NAMES, type RightName, type Rights } from "../../../graph/rights.ts";
import { texts } from "../language.ts";
import { isSame, type SomeRights } from "../rights.ts";
import { usualRights } from "../usual_rights.ts";

export interface RightsFieldProps {
  readonly label: string;
  readonly value: Rights;
  readonly onValue: (rights: Rights) => void;
  /** The rights that may be changed; by default all. */
  readonly available?: SomeRights | undefined;
  /** The rights before: removed ones are marked. */
  readonly before?: SomeRights | undefined;
  /** The reason why some cannot be chosen. */
  readonly hint?: string | undefined;
}

/** Six checkboxes that look like the ticks of rights, and usual sets of them that may be chosen. */
export function RightsField({ label, value: rights, onValue, available, before, hint }: RightsFieldProps) {
  const { rights: { names, lost }, hierarchy } = texts.value;
  const mayChoose = (name: RightName, isHeld: boolean): boolean =>
    available === undefined || available[name] === true || rights[name] === isHeld;
  const presets = usualRights().filter((preset) =>
    RIGHT_NAMES.every((name) => mayChoose(name, preset.rights[name]))
  );
  const id = useId();
  return (
    <fieldset class="rights-field" aria-describedby={hint === undefined ? undefined : `${id}-hint`}>
      <legend>{label}</legend>
      <div class="choices">
        {presets.map((preset) => (
          <button
            key={preset.name}
            type="button"
            aria-pressed={isSame(preset.rights, rights)}
            onClick={() => onValue(preset.rights)}
          >
            {preset.name}
          </button>
        ))}
      </div>
      {RIGHT_NAMES.map((name) => {
        const isLost = before?.[name] === true && !rights[name];
        return (
          <div key={name}>
            <label>
              <input
                type="checkbox"
                checked={rights[name]}
                disabled={available !== undefined && available[name] !== true}
                aria-describedby={`${id}-${name}${isLost ? ` ${id}-${name}-lost` : ""}`}
                onChange={({ currentTarget: { checked } }) => onValue({ ...rights, [name]: checked })}
              />
              <i class={isLost ? "lost" : rights[name] ? "held" : "none"} aria-hidden="true">
                {LETTERS[name]}
              </i>
              <span>{names[name]}</span>
              {isLost && <span id={`${id}-${name}-lost`} class="visually-hidden">{lost}</span>}
            </label>
            <small id={`${id}-${name}`}>{hierarchy.rights.sentences[name]}</small>
          </div>
        );
      })}
      {hint !== undefined && <p id={`${id}-hint`} class="hint">{hint}</p>}
    </fieldset>
  );
}
