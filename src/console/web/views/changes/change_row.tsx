import type { VNode } from "preact";
import { Name } from "../../components/name.tsx";
import { RightsTicks } from "../../components/rights.tsx";
import { RoleLink } from "../../components/role_link.tsx";
import { Sentence } from "../../components/sentence.tsx";
import { Time } from "../../components/time.tsx";
import { formatNumber, texts } from "../../language.ts";
import type { ChangeParts } from "../../texts/en/changes.ts";
import { ALL, isSame } from "../../rights.ts";
import { ChangeIcon } from "./change_icon.tsx";
import { isDecision, isKind, isRefused, subjectOf } from "./kinds.ts";
import type { NamedChange } from "./named_change.ts";

/** A change as a sentence, with the rights before and after, its time, and the reason of a refusal. */
export function ChangeRow({ change }: { readonly change: NamedChange }) {
  const { changes } = texts.value;
  const isRefusal = isRefused(change);
  return (
    <li class={isRefusal ? "change refused" : "change"}>
      <ChangeIcon kind={change.kind} isRefused={isRefusal} />
      <div>
        <p>
          <What change={change} />
        </p>
        <Outcome change={change} />
        <RightsChange change={change} />
        <p class="hint">
          <Time at={change.at} /> · {changes.revision(formatNumber(change.revision))}
        </p>
      </div>
    </li>
  );
}

function What({ change }: { readonly change: NamedChange }) {
  const { changes } = texts.value;
  const { kind } = change;
  const subject = subjectOf(change);
  if (subject === undefined) return <>{changes.unknownKind(kind)}</>;
  const say = isRefused(change) && isKind(kind) ? changes.tried[kind] : changes.done[subject];
  return <Sentence parts={say(partsOf(change))} />;
}

function partsOf(change: NamedChange): ChangeParts<VNode | string> {
  const { changes } = texts.value;
  const { actor, memberEmail, keyId, deviceId, deviceName, roleId, roleName, parentRoleId, parentName } =
    change;
  return {
    who: actor === null
      ? changes.hiddenActor
      : typeof actor === "string"
      ? <Name>{actor}</Name>
      : <Name>{changes.actingKey(actor.key.name)}</Name>,
    role: <Role id={roleId} name={roleName} change={change} />,
    parent: <Role id={parentRoleId} name={parentName} change={change} />,
    member: memberEmail !== null
      ? <Name>{memberEmail}</Name>
      : isRefused(change)
      ? changes.somebody
      : changes.hiddenMember,
    key: changes.key(keyId ?? 0),
    device: deviceName === undefined ? changes.someDevice(deviceId ?? 0) : <Name>{deviceName}</Name>,
  };
}

interface RoleProps {
  readonly id: number | null;
  readonly name: string | undefined;
  readonly change: NamedChange;
}

function Role({ id, name, change }: RoleProps) {
  const { changes } = texts.value;
  // A refusal does not reveal the requested role.
  if (id === null) return <>{isRefused(change) ? changes.someRole : changes.hiddenRole}</>;
  if (name === undefined) return <>{changes.deletedRole(id)}</>;
  return <RoleLink id={id} name={name} />;
}

/** A note that nothing changed, or why it was refused. */
function Outcome({ change: { decision } }: { readonly change: NamedChange }) {
  const { decisions, unknownDecision } = texts.value.changes;
  if (decision === "ok") return null;
  const text = isDecision(decision) ? decisions[decision] : unknownDecision(decision);
  return <p class={decision === "noop" ? "outcome" : "outcome fault"}>{text}</p>;
}

/** The rights before and after, and the nodes deleted with a role. */
function RightsChange({ change }: { readonly change: NamedChange }) {
  const { changes } = texts.value;
  const { kind, roleId, oldRights, newRights, deletedNodeIds } = change;
  const more = deletedNodeIds.filter((id) => id !== roleId).length;
  if (kind === "manages.delete" && more > 0) return <p class="hint">{changes.deletedWith(more)}</p>;
  if (newRights === null || JSON.stringify(oldRights) === JSON.stringify(newRights)) return null;
  const isOfMember = kind.startsWith("member.") || kind.startsWith("key.");
  // A membership without a limit needs no mention.
  if (isOfMember && oldRights === null && isSame(newRights, ALL)) return null;
  return (
    <p class="carried">
      <span>
        {isOfMember ? changes.atMost : kind === "role.update" ? changes.ownRights : changes.carries}
      </span>
      {oldRights !== null && (
        <>
          <RightsTicks rights={oldRights} />
          <span aria-hidden="true">→</span>
          <span class="visually-hidden">{changes.becomes}</span>
        </>
      )}
      <RightsTicks rights={newRights} before={oldRights ?? undefined} />
    </p>
  );
}
