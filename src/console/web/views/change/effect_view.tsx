import type { ComponentChildren } from "preact";
import { Name } from "../../components/name.tsx";
import { formatNumber, texts } from "../../language.ts";
import { me } from "../../me.ts";
import { LETTERS } from "../../rights.ts";
import type { EffectDetails } from "./effect_details.ts";
import { useOwnMemberships } from "./own_memberships.ts";
import {
  type Affected,
  type Direction,
  listAffected,
  listOwnLoss,
  narrowTo,
  type Side,
  summarize,
} from "./summary.ts";
import type { Previewed } from "./use_preview.ts";

interface EffectViewProps {
  readonly shown: Previewed;
  /** Names; undefined until they are there. */
  readonly details: EffectDetails | undefined;
  readonly person: string | undefined;
  readonly nothing: ComponentChildren;
}

/** What a change does: who gains and loses what, what is deleted, and what nobody could manage any more. */
export function EffectView({ shown, details, person, nothing }: EffectViewProps) {
  const { effect: words } = texts.value.change;
  const { effect } = shown;
  const [lost, gained] = [summarize(shown, "lost"), summarize(shown, "gained")];
  const changesRights = lost.rights.length > 0 || gained.rights.length > 0;
  return (
    <div class="effect">
      <Deleted shown={shown} details={details} />
      <OwnLoss shown={shown} person={person} />
      <div class="effect-box">
        {!changesRights && <p>{nothing}</p>}
        {lost.rights.length > 0 && (
          <SideView direction="lost" side={lost} other={gained} {...{ shown, details, person }} />
        )}
        {gained.rights.length > 0 && (
          <SideView direction="gained" side={gained} other={lost} {...{ shown, details, person }} />
        )}
        {lost.rights.length > 0 && person === undefined && <p class="hint">{words.others}</p>}
        {effect.truncated && <p class="hint">{words.truncated}</p>}
      </div>
      <Unmanaged shown={shown} details={details} />
      <p class="hint">{words.revision(formatNumber(effect.revision))}</p>
    </div>
  );
}

interface SideViewProps extends Pick<EffectViewProps, "shown" | "details" | "person"> {
  readonly direction: Direction;
  readonly side: Side;
  readonly other: Side;
}

/** Those who gain, or those who lose: in a sentence, and the first of them by name. */
function SideView({ direction, side, other, shown, details, person }: SideViewProps) {
  const { effect: words } = texts.value.change;
  const isLoss = direction === "lost";
  const strong = (text: string) => <b class={isLoss ? "loss" : "gain"}>{text}</b>;
  const affected = details === undefined ? [] : listAffected(shown.effect, direction, details.holders);
  const isExact = details?.isComplete === true && !shown.effect.truncated;
  // A key acts as one role, so that whoever is listed loses or gains no more than what is shown.
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

/** People whom the list shows. */
const SHOWN = 4;

interface AffectedListProps extends Pick<SideViewProps, "direction" | "side"> {
  readonly affected: readonly Affected[];
  /** Whether they are all that the viewer sees. */
  readonly isExact: boolean;
  readonly details: EffectDetails;
}

function AffectedList({ direction, side, affected, isExact, details }: AffectedListProps) {
  const { effect: words } = texts.value.change;
  // One more person takes no more room than the line that says so.
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

/** That the viewer is among those who lose, in plain words. */
function OwnLoss({ shown, person }: { readonly shown: Previewed; readonly person: string | undefined }) {
  const { effect: words } = texts.value.change;
  const memberships = useOwnMemberships();
  const email = me.value?.email;
  const concerned = person === undefined || person === email;
  if (memberships === undefined || !concerned) return null;
  const own = listOwnLoss(shown.effect, memberships);
  if (own === undefined) return null;
  const isOnly = own.actingRoleIds.length === memberships.length;
  return <p class="note">{(isOnly ? words.you : words.youUnless)(own.rights, own.roleIds.length)}</p>;
}

type NotedProps = Pick<EffectViewProps, "shown" | "details">;

function Unmanaged({ shown: { effect }, details }: NotedProps) {
  const { effect: words } = texts.value.change;
  const { unmanaged, hiddenUnmanaged } = effect;
  const [first] = unmanaged;
  const role = first === undefined ? undefined : details?.roles.get(first);
  const more = unmanaged.length - 1;
  return (
    <>
      {role !== undefined && (
        <p class="note">
          {more === 0
            ? words.unmanaged(<Strong name={role.name} />)
            : words.unmanagedMore(<Strong name={role.name} />, more)}
        </p>
      )}
      {hiddenUnmanaged > 0 && <p class="note">{words.unmanagedHidden(hiddenUnmanaged)}</p>}
    </>
  );
}

function Deleted({ shown: { deletedNodeIds }, details }: NotedProps) {
  const { effect: words } = texts.value.change;
  if (deletedNodeIds.length === 0 || details === undefined) return null;
  const { deletedRoleIds, roles } = details;
  const role = roles.get(deletedRoleIds[0] ?? 0);
  const deviceCount = deletedNodeIds.length - deletedRoleIds.length;
  const isListed = deletedNodeIds.length <= 1000 && role !== undefined;
  return (
    <p class="note loss">
      {!isListed
        ? words.deletedMany(deletedNodeIds.length)
        : deletedNodeIds.length === 1
        ? words.deleted(<Strong name={role.name} />)
        : words.deletedMore(<Strong name={role.name} />, deletedRoleIds.length - 1, deviceCount)}
    </p>
  );
}

function Strong({ name }: { readonly name: string }) {
  return (
    <b>
      <Name>{name}</Name>
    </b>
  );
}
