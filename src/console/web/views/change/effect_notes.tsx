import { Name } from "../../components/name.tsx";
import { texts } from "../../language.ts";
import { me } from "../../me.ts";
import { MOST_IDS } from "../../roles.ts";
import type { EffectDetails } from "./effect_details.ts";
import { useOwnMemberships } from "./own_memberships.ts";
import { listOwnLoss } from "./summary.ts";
import type { Previewed } from "./use_preview.ts";

/** A warning about the viewer's own loss. */
export function OwnLoss(
  { shown, person }: { readonly shown: Previewed; readonly person: string | undefined },
) {
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

interface NotedProps {
  readonly shown: Previewed;
  /** Names; undefined until loaded. */
  readonly details: EffectDetails | undefined;
}

/** A note about roles left without a manager: the first by name. */
export function Unmanaged({ shown: { effect }, details }: NotedProps) {
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

/** A note about nodes deleted with their last relation: the first role by name. */
export function Deleted({ shown: { deletedNodeIds }, details }: NotedProps) {
  const { effect: words } = texts.value.change;
  if (deletedNodeIds.length === 0 || details === undefined) return null;
  const { deletedRoleIds, roles } = details;
  const role = roles.get(deletedRoleIds[0] ?? 0);
  const deviceCount = deletedNodeIds.length - deletedRoleIds.length;
  const isListed = deletedNodeIds.length <= MOST_IDS && role !== undefined;
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

/** Maximum number of keys named. */
const NAMED_KEYS = 5;

/** A note about the keys that a removed member leaves behind. */
export function StayingKeys({ shown: { keys, hasMoreKeys } }: Pick<NotedProps, "shown">) {
  const { effect: words } = texts.value.change;
  if (keys.length === 0) return null;
  const names = keys.slice(0, NAMED_KEYS).map(({ name }, i) => (
    <>
      {i > 0 && ", "}
      <Strong name={name} />
    </>
  ));
  return <p class="note">{words.stayingKeys(<>{names}</>, hasMoreKeys || keys.length > NAMED_KEYS)}</p>;
}

function Strong({ name }: { readonly name: string }) {
  return (
    <b>
      <Name>{name}</Name>
    </b>
  );
}
