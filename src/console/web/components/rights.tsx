import { texts } from "../language.ts";
import type { RightName } from "../../../role/rights.ts";
import { type SomeRights, statesOf } from "../rights.ts";

interface RightsProps {
  readonly rights: SomeRights;
  /** Rights that could be held; missing ones are marked as lost. */
  readonly before?: SomeRights | undefined;
  /** Shows only this one, as an example. */
  readonly only?: RightName;
}

/** Rights as six lettered ticks. Position and letter tell them apart; colour only helps. */
export function RightsTicks({ rights, before, only }: RightsProps) {
  const { letters } = texts.value.rights;
  const states = statesOf(rights, before).filter(([name]) => only === undefined || name === only);
  return (
    <span class="rights" role="img" aria-label={describeRights(rights)}>
      {states.map(([name, state]) => <i key={name} class={state} aria-hidden="true">{letters[name]}</i>)}
    </span>
  );
}

/** Returns the names of the held rights. */
export function describeRights(rights: SomeRights): string {
  const { names, none } = texts.value.rights;
  const held = statesOf(rights).flatMap(([name, state]) => state === "held" ? [names[name]] : []);
  return held.length === 0 ? none : held.join(", ");
}
