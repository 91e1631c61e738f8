import { texts } from "../language.ts";
import { LETTERS, type RightName } from "../../../graph/rights.ts";
import { type RightsToBe, type SomeRights, statesOf } from "../rights.ts";

interface RightsProps {
  readonly rights: SomeRights;
  /** Rights that could be held; missing ones are marked as lost. */
  readonly before?: SomeRights | undefined;
  /** Rights that a change would give or take: marked. */
  readonly toBe?: RightsToBe | undefined;
  /** Shows only this one, as an example. */
  readonly only?: RightName;
}

/** Rights as six lettered ticks. Position, letter and sign tell them apart; colour only helps. */
export function RightsTicks({ rights, before, toBe, only }: RightsProps) {
  const { names } = texts.value.rights;
  const states = statesOf(rights, before, toBe).filter(([name]) => only === undefined || name === only);
  return (
    <span class="rights" role="img" aria-label={describeRights(rights)}>
      {states.map(([name, state]) => (
        <i key={name} class={state} title={names[name]} aria-hidden="true">
          {state === "given" ? "+" : state === "taken" ? "−" : ""}
          {LETTERS[name]}
        </i>
      ))}
    </span>
  );
}

/** Returns the names of the held rights. */
export function describeRights(rights: SomeRights): string {
  const { names, none } = texts.value.rights;
  const held = statesOf(rights).flatMap(([name, state]) => state === "held" ? [names[name]] : []);
  return held.length === 0 ? none : held.join(", ");
}

/** Returns what a change would do to rights, such as "would lose device management"; nothing if it does nothing. */
export function describeToBe({ gained, lost }: RightsToBe): string[] {
  const { names, wouldGain, wouldLose } = texts.value.rights;
  return [[lost, wouldLose] as const, [gained, wouldGain] as const].flatMap(([rights, say]) =>
    rights.length === 0 ? [] : [say(rights.map((name) => names[name]).join(", "))]
  );
}
