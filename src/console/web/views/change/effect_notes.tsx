import { Listed } from "../../components/listed.tsx";
import { StrongName } from "../../components/name.tsx";
import { isolate, texts } from "../../language.ts";
import { me } from "../../me.ts";
import { MOST_IDS } from "../../roles.ts";
import type { Member, NamedRole } from "../../schemas.ts";
import type { EffectDetails } from "./effect_details.ts";
import type { Answer } from "./requests.ts";
import { type Direction, findOwnLoss, type Previewed } from "./summary.ts";

export interface OwnLossProps {
  readonly shown: Previewed;
  /** The only affected person. */
  readonly person: string | undefined;
  /** The viewer's; undefined until loaded. */
  readonly memberships: readonly Member[] | undefined;
}

/** A warning about the viewer's own loss. */
export function OwnLoss({ shown, person, memberships }: OwnLossProps) {
  const { effect: words } = texts.value.change;
  const email = me.value?.email;
  const concerned = person === undefined || person === email;
  if (memberships === undefined || !concerned) return null;
  const own = findOwnLoss(shown.effect, email, memberships);
  if (own === undefined) return null;
  return (
    <p class="note">{(own.isCertain ? words.you : words.youUnless)(own.rights, own.roles, own.isLeast)}</p>
  );
}

export interface NotedProps {
  readonly shown: Previewed;
  /** Names; undefined until loaded. */
  readonly details: EffectDetails | undefined;
}

/** A note about roles left without a manager: the first by name. */
export function Unmanaged({ shown: { effect }, details }: NotedProps) {
  const { effect: words } = texts.value.change;
  const { unmanaged, hiddenUnmanaged, truncated } = effect;
  const [first] = unmanaged;
  const role = first === undefined ? undefined : details?.roles.get(first);
  const more = unmanaged.length - 1;
  return (
    <>
      {role !== undefined && (
        <p class="note">
          {more === 0
            ? words.unmanaged(<StrongName>{role.name}</StrongName>)
            : words.unmanagedMore(<StrongName>{role.name}</StrongName>, more, truncated)}
        </p>
      )}
      {hiddenUnmanaged > 0 && <p class="note">{words.unmanagedHidden(hiddenUnmanaged, truncated)}</p>}
    </>
  );
}

/** Maximum number of deleted roles named, besides the first. */
const NAMED_ROLES = 5;

/** A note about roles and devices deleted with their last relation: the first by name. */
export function Deleted({ shown: { deletedNodeIds, effect: { deletes } }, details }: NotedProps) {
  const { effect: words } = texts.value.change;
  if (deletedNodeIds.length === 0 || details === undefined) return null;
  const { deletedRoleIds, deletedDevices, roles } = details;
  const [first, ...others] = deletedRoleIds.flatMap((id) => roles.get(id)?.name ?? []);
  const named = [...others.slice(0, NAMED_ROLES), ...deletedDevices];
  return (
    <div class="note loss">
      <p>
        {first === undefined || deletedNodeIds.length > MOST_IDS
          ? words.deletedMany(deletes.roles, deletes.devices)
          : deletedNodeIds.length === 1
          ? words.deleted(<StrongName>{first}</StrongName>)
          : words.deletedMore(<StrongName>{first}</StrongName>, deletes.roles - 1, deletes.devices)}
      </p>
      {named.length > 0 && (
        <p>{words.deletedNames(listNames(named), deletedNodeIds.length - 1 - named.length)}</p>
      )}
    </div>
  );
}

/** Returns sentences about what an undone deletion brings back, and what not; none for other changes. */
export function describeReturning(
  { restored, leftOut, shortened }: Pick<Answer, "restored" | "leftOut" | "shortened">,
): string {
  const { effect: words } = texts.value.change;
  const told = [[restored, words.restored] as const, [leftOut, words.leftOut] as const]
    .flatMap(([counts, say]) => counts && Object.values(counts).some((n) => n > 0) ? [say(counts)] : []);
  const goOn = shortened.filter(({ reason }) => reason === "interrupted").length;
  const past =
    shortened.filter(({ reason, until }) => reason !== "interrupted" && until !== undefined).length;
  return [
    ...told,
    ...(goOn > 0 ? [words.goOn(goOn)] : []),
    ...(past > 0 ? [words.pastOnly(past)] : []),
  ].join(" ");
}

/** Maximum number of roles named that read more of devices, or less. */
const NAMED_READERS = 3;

type Reading = Previewed["effect"]["reading"];

/** Returns the ids of the roles that sentences about reading name. */
export function readersIn(reading: Reading): number[] {
  return [...namedReaders(reading, "lost"), ...namedReaders(reading, "gained")];
}

function namedReaders({ changes }: Reading, side: Direction): number[] {
  return changes.filter((change) => change[side] > 0).slice(0, NAMED_READERS)
    .map(({ actingRoleId }) => actingRoleId);
}

/** Returns sentences about the roles that read more, or less, of devices. `named`: roles by id, as far as loaded. */
export function describeReading(
  reading: Reading,
  named: ReadonlyMap<number, NamedRole> | undefined,
): string[] {
  const { effect: words } = texts.value.change;
  const sides = [["lost", words.readsLess], ["gained", words.readsMore]] as const;
  return sides.flatMap(([side, say]) => {
    const names = namedReaders(reading, side).flatMap((id) => named?.get(id)?.name ?? []);
    const roles = reading.roles[side];
    return roles === 0 ? [] : [say(names.map(isolate), roles - names.length, reading.people[side])];
  });
}

/** Maximum number of keys named. */
const NAMED_KEYS = 5;

/** A note about the keys that a removed member leaves behind. */
export function StayingKeys({ shown: { keys, hasMoreKeys } }: Pick<NotedProps, "shown">) {
  const { effect: words } = texts.value.change;
  if (keys.length === 0) return null;
  const names = keys.slice(0, NAMED_KEYS).map(({ name }) => name);
  return <p class="note">{words.stayingKeys(listNames(names), hasMoreKeys || keys.length > NAMED_KEYS)}</p>;
}

function listNames(names: readonly string[]) {
  return <Listed>{names.map((name) => <StrongName key={name}>{name}</StrongName>)}</Listed>;
}
