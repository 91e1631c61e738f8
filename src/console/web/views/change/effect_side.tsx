import { Name } from "../../components/name.tsx";
import { PersonLink } from "../../components/link.tsx";
import { texts } from "../../language.ts";
import { LETTERS } from "../../../../graph/rights.ts";
import type { NotedProps, OwnLossProps } from "./effect_notes.tsx";
import { type Affected, type Direction, type Side, toAffected } from "./summary.ts";

interface EffectSideProps extends NotedProps, Pick<OwnLossProps, "person"> {
  readonly direction: Direction;
  readonly side: Side;
  readonly other: Side;
}

/** The people who gain or lose: in a sentence, and the first of them by name. */
export function EffectSide({ direction, side, other, shown, details, person }: EffectSideProps) {
  const { effect: words } = texts.value.change;
  const isLoss = direction === "lost";
  // Restored roles do not exist yet, so the effect names no people on them.
  const isNamed = side.people > 0 && (shown.restored === undefined || side.affected.length > 0);
  const strong = (text: string) => <b class={isLoss ? "loss" : "gain"}>{text}</b>;
  return (
    <>
      <p>
        {person !== undefined
          ? (isLoss ? words.loseOne : words.gainOne)(
            <b class={isLoss ? "loss" : "gain"}>
              <Name>{person}</Name>
            </b>,
            side,
          )
          : side.people === 0
          ? (isLoss ? words.emptyLose : words.emptyGain)(side.rights)
          : (isLoss ? words.lose : words.gain)(strong, side)}
        {other.rights.length === 0 && ` ${isLoss ? words.nobodyGains : words.nobodyLoses}`}
      </p>
      {(person === undefined ? isNamed : side.affected.some(({ kept }) => kept.length > 0)) && (
        <AffectedList {...{ direction, side, details, shown }} />
      )}
      {side.bound !== "exact" && isLoss && side.people > 0 && <p class="hint">{words.others}</p>}
    </>
  );
}

/** Maximum number of people listed. */
const SHOWN = 4;
/** Maximum number of people that the service names. */
const MOST_NAMED = 20;

function AffectedList(
  { direction, side, details, shown }: Pick<EffectSideProps, "direction" | "side" | "details" | "shown">,
) {
  const { effect: words } = texts.value.change;
  const { affected } = side;
  const first = firstOf(affected);
  const more = Math.max(0, side.people - first.length);
  const { named, keeps, truncated } = shown.effect;
  const areAllNamed = named.length + keeps.length < MOST_NAMED && shown.restored === undefined && !truncated;
  const hidden = areAllNamed ? Math.max(0, side.people - affected.length) : 0;
  return (
    <>
      <ul class="rows">
        {first.map((each) => <AffectedRow key={keyOf(each)} affected={each} {...{ direction, details }} />)}
        {more > 0 && (
          <li class="hint">
            {first.length === 0 && hidden === more ? words.onlyHidden(more) : words.more(more, hidden)}
          </li>
        )}
      </ul>
      {affected.some(({ isKey }) => isKey) && <p class="hint">{words.keys}</p>}
    </>
  );
}

/** Those for whom nothing changes, with the roles by which they have the same rights. */
export function Keepers({ shown, details }: Pick<EffectSideProps, "shown" | "details">) {
  const { effect: words } = texts.value.change;
  const { keeps, rights } = shown.effect;
  if (keeps.length === 0) return null;
  const all = keeps.map((each) => toAffected(each, "lost"));
  const first = firstOf(all);
  const more = all.length - first.length;
  return (
    <>
      <p>{words.unchanged(all.length)}</p>
      <ul class="rows">
        {first.map((each) => (
          <AffectedRow
            key={keyOf(each)}
            direction={each.kept.some((name) => rights[name].lost > 0) ? "lost" : "gained"}
            affected={each}
            details={details}
          />
        ))}
        {more > 0 && <li class="hint">{words.more(more, 0)}</li>}
      </ul>
    </>
  );
}

/** Returns those who are listed: one more person takes no more room than the line about them. */
function firstOf(people: readonly Affected[]): readonly Affected[] {
  return people.length === SHOWN + 1 ? people : people.slice(0, SHOWN);
}

function keyOf({ isKey, name }: Affected): string {
  return `${isKey} ${name}`;
}

interface AffectedRowProps extends Pick<EffectSideProps, "direction" | "details"> {
  readonly affected: Affected;
}

function AffectedRow({ direction, affected, details }: AffectedRowProps) {
  const { effect: words } = texts.value.change;
  const { name, isKey, rights, roleIds, kept, through, mayBeMore } = affected;
  const isLoss = direction === "lost";
  const role = through === undefined ? undefined : details?.roles.get(through)?.name;
  const by = role === undefined ? undefined : <Name>{role}</Name>;
  const shown = isKey ? <Name>{name}</Name> : <PersonLink email={name} />;
  return (
    <li>
      <span class="who">
        {isKey ? words.key(shown) : shown}
        {kept.length > 0 && <small>{(isLoss ? words.keeps : words.hasAlready)(kept, by)}</small>}
      </span>
      {rights.length > 0 && (
        <span class="what">
          <b class={isLoss ? "loss" : "gain"}>
            <span aria-hidden="true">
              {isLoss ? "−" : "+"} {rights.map((right) => LETTERS[right]).join(" ")}
            </span>
            <span class="visually-hidden">{(isLoss ? words.loses : words.gains)(rights)}</span>
          </b>
          <small>{words.onRoles(roleIds.length, mayBeMore)}</small>
        </span>
      )}
    </li>
  );
}
