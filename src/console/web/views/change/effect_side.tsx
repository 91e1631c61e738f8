import { Name } from "../../components/name.tsx";
import { formatNumber, texts } from "../../language.ts";
import { LETTERS } from "../../rights.ts";
import type { EffectDetails } from "./effect_details.ts";
import { type Affected, type Direction, listAffected, narrowTo, type Side } from "./summary.ts";
import type { Previewed } from "./use_preview.ts";

interface EffectSideProps {
  readonly shown: Previewed;
  /** Names; undefined until loaded. */
  readonly details: EffectDetails | undefined;
  /** The only affected person. */
  readonly person: string | undefined;
  readonly direction: Direction;
  readonly side: Side;
  readonly other: Side;
}

/** The people who gain or lose: in a sentence, and the first of them by name. */
export function EffectSide({ direction, side, other, shown, details, person }: EffectSideProps) {
  const { effect: words } = texts.value.change;
  const isLoss = direction === "lost";
  const strong = (text: string) => <b class={isLoss ? "loss" : "gain"}>{text}</b>;
  const affected = details === undefined ? [] : listAffected(shown.effect, direction, details.holders);
  const isExact = details?.isComplete === true && !shown.effect.truncated;
  // A key acts as one role only, so listed holders gain or lose no more than shown.
  const isAll = details?.hasAllMembers === true && !shown.effect.truncated &&
    affected.length === side.people;
  const amount = { ...(isAll ? narrowTo(affected, side) : side), isAtLeast: shown.effect.truncated };
  return (
    <>
      <p>
        {person !== undefined
          ? (isLoss ? words.loseOne : words.gainOne)(
            <b class={isLoss ? "loss" : "gain"}>
              <Name>{person}</Name>
            </b>,
            amount,
          )
          : side.people === 0
          ? (isLoss ? words.emptyLose : words.emptyGain)(side.rights)
          : (isLoss ? words.lose : words.gain)(strong, amount)}
        {other.rights.length === 0 && ` ${isLoss ? words.nobodyGains : words.nobodyLoses}`}
      </p>
      {details !== undefined && person === undefined && side.people > 0 && (
        <AffectedList {...{ direction, side, affected, isExact, details }} />
      )}
    </>
  );
}

/** Maximum number of people listed. */
const SHOWN = 4;

interface AffectedListProps extends Pick<EffectSideProps, "direction" | "side"> {
  readonly affected: readonly Affected[];
  /** Whether the list has all that the viewer sees. */
  readonly isExact: boolean;
  readonly details: EffectDetails;
}

function AffectedList({ direction, side, affected, isExact, details }: AffectedListProps) {
  const { effect: words } = texts.value.change;
  // One more person takes no more room than the line about them.
  const first = affected.length === SHOWN + 1 ? affected : affected.slice(0, SHOWN);
  const more = Math.max(0, side.people - first.length);
  const hidden = isExact ? Math.max(0, side.people - affected.length) : 0;
  return (
    <>
      <ul class="rows">
        {first.map((each) => (
          <AffectedRow
            key={`${each.isKey} ${each.name}`}
            direction={direction}
            affected={each}
            details={details}
          />
        ))}
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

interface AffectedRowProps {
  readonly direction: Direction;
  readonly affected: Affected;
  readonly details: EffectDetails;
}

function AffectedRow({ direction, affected, details }: AffectedRowProps) {
  const { effect: words } = texts.value.change;
  const { name, isKey, rights, roleIds, actingRoleIds } = affected;
  const isLoss = direction === "lost";
  const as = actingRoleIds.flatMap((id) => details.roles.get(id) ?? []);
  const shown = <Name>{name}</Name>;
  return (
    <li>
      <span class="who">
        {isKey ? words.key(shown) : shown}
        {as[0] !== undefined && (
          <small>
            <Name>{as[0].name}</Name>
            {as.length > 1 && ` + ${formatNumber(as.length - 1)}`}
          </small>
        )}
      </span>
      <span class="what">
        <b class={isLoss ? "loss" : "gain"}>
          <span aria-hidden="true">
            {isLoss ? "−" : "+"} {rights.map((right) => LETTERS[right]).join(" ")}
          </span>
          <span class="visually-hidden">{(isLoss ? words.loses : words.gains)(rights)}</span>
        </b>
        <small>{words.onRoles(roleIds.length)}</small>
      </span>
    </li>
  );
}
