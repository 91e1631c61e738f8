import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { Demanded, DemandedBefore } from "../../components/demanded.tsx";
import { Link, PersonLink, RoleLink } from "../../components/link.tsx";
import { LoadingNote } from "../../components/loading_note.tsx";
import { Name } from "../../components/name.tsx";
import { Phrase, Sentence } from "../../components/sentence.tsx";
import { RightsTicks } from "../../components/rights.tsx";
import { SaidTime, Time } from "../../components/time.tsx";
import { formatNumber, texts } from "../../language.ts";
import { page } from "../../page.ts";
import { withQuery } from "../../router.ts";
import { capitalized, chooseForms } from "../../texts/plural.ts";
import { ALL, isSame } from "../../rights.ts";
import { useLoad } from "../../use_load.ts";
import { canBeUndone, isDeletion } from "../change/undoable.ts";
import { loadParts } from "./actions.ts";
import { ChangeIcon } from "./change_icon.tsx";
import { type Change, isRefused } from "./kinds.ts";
import { isDecision, subjectOf } from "./known_kinds.ts";
import type { NamedChange } from "./named_change.ts";

interface ChangeRowProps {
  readonly change: NamedChange;
  /** The revision in which it was undone, if that is known. */
  readonly undoneIn: number | undefined;
  /** Whether the log may have further rows of the same action. */
  readonly hasParts?: boolean;
  /** Whether it is one of these, which are not undone alone. */
  readonly isPart?: boolean;
}

/** A change as a sentence, with the rights before and after, its end, its time, and the reason of a refusal. */
export function ChangeRow({ change, undoneIn, hasParts = false, isPart = false }: ChangeRowProps) {
  const { changes, changes: { undo } } = texts.value;
  const revision = formatNumber(change.revision);
  const isRefusal = isRefused(change);
  const restores = canBeUndone(change) && isDeletion(change);
  // Of a role that is deleted since, only the deletion can be undone.
  const isThere = change.roleId === null || change.existing.includes(change.roleId);
  const isTooOld = Date.now() - Date.parse(change.at) > daysKept(change) * DAY_MS;
  return (
    <li class={isRefusal ? "change refused" : "change"}>
      <ChangeIcon kind={change.kind} isRefused={isRefusal} />
      <div>
        <p>
          <What change={change} />
        </p>
        <Outcome change={change} />
        <RightsChange change={change} />
        <EndChange change={change} />
        <DemandChange change={change} />
        <Through change={change} />
        {change.undoes !== null && <p class="hint">{undo.undoes(formatNumber(change.undoes))}</p>}
        {undoneIn !== undefined && <p class="hint">{undo.undone(formatNumber(undoneIn))}</p>}
        {undoneIn === undefined && restores && isTooOld && <p class="hint">{undo.tooOld(daysKept(change))}
        </p>}
        <p class="hint when">
          <Time at={change.at} /> · {changes.revision(revision)}
          {!isRefusal && <Pictures change={change} />}
          {!isPart && canBeUndone(change) && (restores || isThere) && undoneIn === undefined && !isTooOld && (
            <>
              {" · "}
              <Link
                to={withQuery({ undo: String(change.revision) })}
                label={(restores ? undo.restoreOf : undo.of)(revision)}
              >
                {restores ? undo.restore : undo.button}
              </Link>
            </>
          )}
        </p>
        {hasParts && <Parts of={change} />}
      </div>
    </li>
  );
}

/** The other rows of an action, which are loaded once they are asked for. */
function Parts({ of }: { readonly of: NamedChange }) {
  const { changes } = texts.value;
  const isOpen = useSignal(false);
  return (
    <details onToggle={({ currentTarget }) => isOpen.value = currentTarget.open}>
      <summary>{changes.parts}</summary>
      {isOpen.value && <PartRows of={of} />}
    </details>
  );
}

function PartRows({ of }: { readonly of: NamedChange }) {
  const { data, problem } = useLoad(`parts of ${of.revision}`, (signal) => loadParts(of, signal));
  if (data === undefined) return <LoadingNote problem={problem} />;
  if (data.length === 0) return <p class="hint">{texts.value.person.keysNone}</p>;
  // A move onto an existing relation is undone by its part alone.
  const isWhole = of.kind !== "manages.move" || canBeUndone(of);
  return (
    <ul class="change-rows">
      {data.map((part) => (
        <ChangeRow key={part.revision} change={part} undoneIn={undefined} isPart={isWhole} />
      ))}
    </ul>
  );
}

/** Changes that a picture may show. */
const IS_PICTURED = /^(role|manages|member|access)\./;

/** Links to the picture as of just before and after the change. Before a role was created, there was none of it. */
function Pictures({ change: { kind, roleId, existing, revision } }: { readonly change: NamedChange }) {
  const { picture } = texts.value.changes;
  if (!IS_PICTURED.test(kind) || roleId === null || !existing.includes(roleId)) return null;
  const of = formatNumber(revision);
  return (
    <>
      {" · "}
      {kind !== "role.create" && kind !== "role.bootstrap" && (
        <>
          <Link to={`/role/${roleId}?asOf=${revision - 1}`} label={picture.beforeOf(of)}>
            {picture.before}
          </Link>
          {" · "}
        </>
      )}
      <Link to={`/role/${roleId}?asOf=${revision}`} label={picture.afterOf(of)}>{picture.after}</Link>
    </>
  );
}

const DAY_MS = 86_400_000;

/** Returns for how many days the change can be undone. A device alone returns only while its data are kept. */
function daysKept(change: Change): number {
  const { historyDays, trashDays } = page;
  return change.kind === "monitors.remove" && isDeletion(change)
    ? Math.min(historyDays, trashDays)
    : historyDays;
}

/** What was done or tried. */
export function What({ change }: { readonly change: NamedChange }) {
  const { changes } = texts.value;
  const { kind } = change;
  const subject = subjectOf(change);
  if (subject === undefined) return <>{changes.unknownKind(kind)}</>;
  return (
    <Phrase
      text={chooseForms(changes.sentences[subject], !isRefused(change))}
      parts={partsOf(change)}
    />
  );
}

function partsOf(change: NamedChange): Record<string, VNode | string> {
  const { changes } = texts.value;
  const { actor, importRun, kind, memberEmail, keyId, keyName, deviceId, deviceName, nodeId, oldName } =
    change;
  const { roleId, roleName, parentRoleId, parentRoleName, devices } = change;
  const device = deviceName ?? nodeId;
  const hiddenMember = isRefused(change) ? changes.somebody : changes.hiddenMember;
  return {
    who: actor === null
      ? (importRun === null ? changes.administrator : changes.importer)
      : <Sentence parts={nameOf(actor)} />,
    role: <Role id={roleId} name={roleName} change={change} />,
    parent: <Role id={parentRoleId} name={parentRoleName} change={change} />,
    member: memberEmail !== null
      ? <PersonLink email={memberEmail} />
      : kind === "member.leave"
      ? capitalized(hiddenMember)
      : hiddenMember,
    key: <Sentence parts={changes.key(keyName === null ? keyId ?? 0 : <Name>{keyName}</Name>)} />,
    device: device !== null
      ? <Name>{device}</Name>
      : devices !== null
      ? changes.someDevices(devices)
      : changes.someDevice(deviceId ?? 0),
    oldName: <Name>{oldName ?? ""}</Name>,
  };
}

function nameOf(actor: NonNullable<Change["actor"]>): readonly (VNode | string)[] {
  const { changes } = texts.value;
  if (actor.type === "key") {
    return changes.actingKey(actor.name === null ? actor.id : <Name>{actor.name}</Name>);
  }
  if (actor.email !== null) return [<PersonLink key="who" email={actor.email} userId={actor.id} />];
  return [actor.erased ? changes.erasedPerson(actor.id) : changes.person(actor.id)];
}

interface RoleProps {
  readonly id: number | null;
  /** The name then. */
  readonly name: string | null;
  readonly change: NamedChange;
}

function Role({ id, name, change }: RoleProps) {
  const { changes } = texts.value;
  // A refusal does not reveal the requested role.
  if (id === null) return <>{isRefused(change) ? changes.someRole : texts.value.why.hiddenRole}</>;
  if (subjectOf(change) === "role.delete" && id === change.roleId && !change.existing.includes(id)) {
    return <Sentence parts={changes.justDeleted(<Name>{name ?? String(id)}</Name>)} />;
  }
  if (!change.existing.includes(id)) {
    return <Sentence parts={changes.deletedRole(name === null ? id : <Name>{name}</Name>)} />;
  }
  return <RoleLink id={id} name={name ?? String(id)} />;
}

/** A note that nothing changed, or why it was refused. */
function Outcome({ change: { decision } }: { readonly change: NamedChange }) {
  const { decisions, unknownDecision } = texts.value.changes;
  if (decision === "ok") return null;
  const text = isDecision(decision) ? decisions[decision] : unknownDecision(decision);
  return <p class={decision === "noop" ? "outcome" : "outcome fault"}>{text}</p>;
}

/** The role through which the actor acted, unless it is one of those that the change is about. */
function Through({ change }: { readonly change: NamedChange }) {
  const { changes } = texts.value;
  const { viaRoleId, viaRoleName, roleId, parentRoleId } = change;
  if (viaRoleId === null || viaRoleId === roleId || viaRoleId === parentRoleId) return null;
  return (
    <p class="hint">
      <Sentence parts={changes.through(<Role id={viaRoleId} name={viaRoleName} change={change} />)} />
    </p>
  );
}

/** The rights before and after, and the nodes deleted with a role. */
function RightsChange({ change }: { readonly change: NamedChange }) {
  const { changes, role: { about } } = texts.value;
  const { kind, roleId, oldRights, newRights, deletedNodeIds, deletedRoles, deletedDevices } = change;
  const more = deletedRoles - (deletedNodeIds.some((id) => id === roleId) ? 1 : 0);
  if (kind === "manages.delete" && more + deletedDevices > 0) {
    return <p class="hint">{changes.deletedWith(more, deletedDevices)}</p>;
  }
  if (newRights === null || JSON.stringify(oldRights) === JSON.stringify(newRights)) return null;
  const isOfMember = kind.startsWith("member.") || kind.startsWith("key.");
  // A membership without a limit needs no mention.
  if (isOfMember && oldRights === null && isSame(newRights, ALL)) return null;
  return (
    <p class="carried beside">
      <span>
        {isOfMember ? texts.value.words.atMost : kind === "role.update" ? about.self : changes.carries}
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

/** The end of a membership or period since the change, and before if that differs. */
function EndChange({ change: { until, oldUntil } }: { readonly change: NamedChange }) {
  const { changes, role: { people } } = texts.value;
  const said = (end: string | null) =>
    end === null ? changes.endless : <SaidTime label={people.until} at={end} />;
  if (until === null && oldUntil === null) return null;
  return (
    <p class="hint">
      {said(until)}
      {oldUntil !== null && oldUntil !== until && <>{" · "}{changes.endBefore}{said(oldUntil)}</>}
    </p>
  );
}

/** What a role demands since the change, and demanded before. */
function DemandChange({ change }: { readonly change: NamedChange }) {
  const { oldAuthenticationPolicy: before, newAuthenticationPolicy: now } = change;
  if (now === undefined || now === null) return null;
  // A plan says itself what there was before.
  const isSaid = now.from !== null && before?.from === null;
  return (
    <p class="hint">
      <Demanded policy={now} /> {before && !isSaid && <DemandedBefore policy={before} />}
    </p>
  );
}
