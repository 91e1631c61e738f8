import type { Decision, Kind, Subject } from "../../views/changes/kinds.ts";
import { countAllIn, countIn } from "../plural.ts";

const count = countIn("en");
const countAll = countAllIn("en");

/** What the sentence about a change may name. */
export interface ChangeParts<T> {
  readonly who: T;
  readonly role: T;
  readonly parent: T;
  readonly member: T;
  readonly key: T;
  readonly device: T;
  /** The name of a renamed role before. */
  readonly oldName: T;
}

/** A sentence of words and of what it names, in the order of the language. */
export type ChangeSentence = <T>(parts: ChangeParts<T>) => readonly (T | string)[];

const DONE: Readonly<Record<Subject, ChangeSentence>> = {
  "role.create": ({ who, role, parent }) => [who, " created ", role, " below ", parent],
  "role.update": ({ who, role }) => [who, " changed ", role],
  "role.rename": ({ who, role, oldName }) => [who, " renamed ", oldName, " to ", role],
  "role.delete": ({ who, role, parent }) => [who, " deleted ", role, ", which was below ", parent],
  "role.password_set": ({ who, role }) => [who, " set a password on ", role],
  "role.password_removed": ({ who, role }) => [who, " removed the password of ", role],
  "role.authentication_policy": ({ who, role }) => [who, " changed what ", role, " demands of its members"],
  "role.bootstrap": ({ who, role }) => [role, " was set up with ", who, " as its first member"],
  "manages.put": ({ who, role, parent }) => [who, " let ", parent, " manage ", role],
  "manages.update": ({ who, role, parent }) => [who, " changed what ", parent, " may do on ", role],
  "manages.move": ({ who, role, parent }) => [who, " moved ", role, " below ", parent],
  "manages.delete": ({ who, role, parent }) => [who, " took ", role, " away from ", parent],
  "member.add": ({ who, role, member }) => [who, " added ", member, " to ", role],
  "member.update": (
    { who, role, member },
  ) => [who, " changed what ", member, " may do as a member of ", role],
  "member.time": ({ who, role, member }) => [who, " changed how long ", member, " is a member of ", role],
  "member.remove": ({ who, role, member }) => [who, " removed ", member, " from ", role],
  "member.leave": ({ role, member }) => [member, " left ", role],
  "member.invite": (
    { who, role, member },
  ) => [who, " sent the invitation of ", member, " to ", role, " again"],
  "member.end": ({ role, member }) => ["The membership of ", member, " in ", role, " ended by itself"],
  "key.create": ({ who, role, key }) => [who, " created ", key, " for ", role],
  "key.adopt": ({ who, role, key }) => [who, " adopted ", key, " of ", role],
  "key.delete": ({ who, role, key }) => [who, " deleted ", key, " of ", role],
  "key.end": ({ role, key }) => ["For ", role, ", ", key, " ended by itself"],
  "access.end": ({ who, role, member }) => [who, " ended the access of ", member, " to ", role, " and below"],
  "device.create": ({ who, role, device }) => [who, " added ", device, " to ", role],
  "monitors.add": ({ who, role, device }) => [who, " let ", role, " see ", device],
  "monitors.end": ({ who, role, device }) => [who, " ended the period in which ", role, " sees ", device],
  "monitors.update": (
    { who, role, device },
  ) => [who, " changed the period in which ", role, " sees ", device],
  "device.transfer": ({ who, role, device }) => [who, " handed ", device, " over to ", role],
  "monitors.remove": ({ who, role, device }) => [who, " detached ", device, " from ", role],
  "manages.restore": ({ who, role, parent }) => [who, " restored ", role, " below ", parent],
  "device.restore": ({ who, role, device }) => [who, " restored ", device, " of ", role],
  "device.forget": ({ who }) => [who, " deleted devices for good that could have been restored"],
  "hierarchy.import": ({ role }) => ["A hierarchy was imported below ", role],
};

const TRIED: Readonly<Record<Kind, ChangeSentence>> = {
  "role.create": ({ who, parent }) => [who, " tried to create a role below ", parent],
  "role.update": ({ who, role }) => [who, " tried to change ", role],
  "role.password_set": ({ who, role }) => [who, " tried to set a password on ", role],
  "role.password_removed": ({ who, role }) => [who, " tried to remove the password of ", role],
  "role.authentication_policy": (
    { who, role },
  ) => [who, " tried to change what ", role, " demands of its members"],
  "role.bootstrap": ({ role }) => ["Setting up ", role, " did not work"],
  "manages.put": ({ who, role, parent }) => [who, " tried to let ", parent, " manage ", role],
  "manages.update": ({ who, role, parent }) => [who, " tried to change what ", parent, " may do on ", role],
  "manages.move": ({ who, role, parent }) => [who, " tried to move ", role, " below ", parent],
  "manages.delete": ({ who, role, parent }) => [who, " tried to take ", role, " away from ", parent],
  "member.add": ({ who, role, member }) => [who, " tried to make ", member, " a member of ", role],
  "member.update": (
    { who, role, member },
  ) => [who, " tried to change the membership of ", member, " in ", role],
  "member.remove": ({ who, role, member }) => [who, " tried to remove ", member, " from ", role],
  "member.leave": ({ role, member }) => [member, " tried to leave ", role],
  "member.invite": (
    { who, role, member },
  ) => [who, " tried to send the invitation of ", member, " to ", role, " again"],
  "member.end": ({ role, member }) => ["The membership of ", member, " in ", role, " could not be ended"],
  "key.create": ({ who, role }) => [who, " tried to create a key for ", role],
  "key.adopt": ({ who, role, key }) => [who, " tried to adopt ", key, " of ", role],
  "key.delete": ({ who, role, key }) => [who, " tried to delete ", key, " of ", role],
  "key.end": ({ role, key }) => ["For ", role, ", ", key, " could not be ended"],
  "access.end": ({ who, role }) => [who, " tried to end access to ", role, " and below"],
  "device.create": ({ who, role }) => [who, " tried to add a device to ", role],
  "monitors.add": ({ who, role, device }) => [who, " tried to let ", role, " see ", device],
  "monitors.end": (
    { who, role, device },
  ) => [who, " tried to end the period in which ", role, " sees ", device],
  "monitors.update": (
    { who, role, device },
  ) => [who, " tried to change the period in which ", role, " sees ", device],
  "device.transfer": ({ who, role, device }) => [who, " tried to hand ", device, " over to ", role],
  "monitors.remove": ({ who, role, device }) => [who, " tried to detach ", device, " from ", role],
  "manages.restore": ({ who, role, parent }) => [who, " tried to restore ", role, " below ", parent],
  "device.restore": ({ who, role, device }) => [who, " tried to restore ", device, " of ", role],
  "device.forget": ({ who }) => [who, " tried to delete devices for good"],
  "hierarchy.import": ({ role }) => ["Importing a hierarchy below ", role, " did not work"],
};

const KINDS: Readonly<Record<Kind, string>> = {
  "role.create": "Role created",
  "role.update": "Role changed",
  "role.password_set": "Password of a role set",
  "role.password_removed": "Password of a role removed",
  "role.authentication_policy": "Demand of a role changed",
  "role.bootstrap": "First role set up",
  "manages.put": "Role managed by another",
  "manages.update": "Relation changed",
  "manages.move": "Role moved",
  "manages.delete": "Role taken away or deleted",
  "member.add": "Member added",
  "member.update": "Membership changed",
  "member.remove": "Member removed",
  "member.leave": "Member left",
  "member.invite": "Invitation sent again",
  "member.end": "Membership ended by itself",
  "key.create": "Key created",
  "key.adopt": "Key adopted",
  "key.delete": "Key deleted",
  "key.end": "Key ended by itself",
  "access.end": "Access ended",
  "device.create": "Device added",
  "monitors.add": "Device shown to a role",
  "monitors.update": "Period of a device changed",
  "device.transfer": "Device handed over",
  "monitors.end": "Period of a device ended",
  "monitors.remove": "Device detached",
  "manages.restore": "Role restored",
  "device.restore": "Device restored",
  "device.forget": "Devices deleted for good",
  "hierarchy.import": "Hierarchy imported",
};

const DECISIONS: Readonly<Record<Decision, string>> = {
  ok: "Done",
  noop: "It was like that already",
  proof_required: "Refused: they had not just proved who they are",
  denied: "Refused: they may not do that",
  needs_step_up: "Refused: their session had not shown the second step that it needs",
  cycle: "Refused: roles would manage one another in a circle",
  unmanaged: "Refused: no one could manage the role any more",
  root_without_member: "Refused: the topmost role would have no member",
  root_without_manager: "Refused: the topmost role would have no manager",
  root_without_awake: "Refused: the topmost role would have no manager with that second step",
  node_id_taken: "Refused: another device has this node ID already",
  external_id_taken: "Refused: another one has this external ID already",
  too_many_invitations: "Refused: too many invitations",
  too_many_additions: "Refused: too many members added by keys",
  too_many_role_passwords: "Refused: too many attempts at a password",
  too_many_keys: "Refused: the role has as many keys as it may",
  too_many_monitors: "Refused: as many roles see the device as may",
  period_outside: "Refused: the period is not within that of the role that gives it",
  period_begins_earlier: "Refused: the period cannot begin earlier than before",
  period_empty: "Refused: the period does not end after it begins",
  cannot_end: "Refused: others see the device, and this person may not end that",
  too_large: "Refused: it would change too much at once",
  too_much_to_end: "Refused: too much would end at once",
  moved: "Not done: something else changed at the same time",
  key_reused: "Refused: the request was sent before with other content",
  changed_since: "Refused: something else had changed the same since",
  cannot_undo: "Refused: it cannot be undone",
};

export const CHANGES = {
  title: "Changes",
  intro: "What was done to the roles whose members you manage, and what was refused.",
  done: DONE,
  tried: TRIED,
  /** For kinds of later versions. */
  unknownKind: (kind: string): string => `Another change: ${kind}`,
  kinds: KINDS,
  decisions: DECISIONS,
  unknownDecision: (decision: string): string => `Refused: ${decision}`,
  administrator: "An administrator of the service",
  importer: "An import",
  person: (id: number): string => `Person ${id}`,
  erasedPerson: (id: number): string => `Person ${id} (account deleted)`,
  through: <T>(role: T): readonly (T | string)[] => ["As a member of ", role],
  hiddenMember: "a person whom you may not see",
  somebody: "a person",
  someRole: "a role",
  hiddenRole: "a role that you may not see",
  /** Of a role that the change deleted. */
  justDeleted: <T>(role: T): readonly (T | string)[] => ["“", role, "”"],
  deletedRole: <T>(nameOrId: T | number): readonly (T | string)[] =>
    typeof nameOrId === "number"
      ? [`role ${nameOrId} (deleted since)`]
      : ["“", nameOrId, "” (deleted since)"],
  key: <T>(nameOrId: T | number): readonly (T | string)[] =>
    typeof nameOrId === "number" ? [`key ${nameOrId}`] : ["key “", nameOrId, "”"],
  actingKey: <T>(nameOrId: T | number): readonly (T | string)[] =>
    typeof nameOrId === "number" ? [`Key ${nameOrId}`] : ["The key “", nameOrId, "”"],
  someDevice: (id: number): string => `device ${id}`,
  carries: "Carries",
  carried: "Carried",
  becomes: "becomes",
  endless: "Without an end",
  endBefore: "Before: ",
  atMost: "At most",
  deletedWith: (roles: number, devices: number): string =>
    `Deleted with it: ${
      countAll([roles, { one: "role", other: "roles" }], [devices, { one: "device", other: "devices" }])
    }`,
  revision: (n: string): string => `Revision ${n}`,
  empty: "No changes yet. You see those of roles whose members you manage.",
  emptyFiltered: "No change matches the filters.",
  emptySoFar: "Nothing among the latest changes. Older ones have not been searched yet.",
  further: "Search further back",
  live: "Live",
  paused: "Paused",
  pause: "Pause",
  resume: "Resume",
  offline: "No connection",
  tooManyWindows: "Not live: too many windows of yours follow the changes",
  trying: "Trying to connect again…",
  showNew: (n: number): string => count(n, { one: "new change", other: "new changes" }),
  undo: {
    button: "Undo",
    restore: "Restore",
    restoreOf: (revision: string): string => `Restore what revision ${revision} deleted`,
    tooOld: (days: number): string =>
      `Too old to be restored: that can be done for ${count(days, { one: "day", other: "days" })}.`,
    of: (revision: string): string => `Undo revision ${revision}`,
    undoes: (revision: string): string => `An undo of revision ${revision}`,
    undone: (revision: string): string => `Undone in revision ${revision}`,
    title: "Undo this change?",
    submit: "Undo the change",
    restoreTitle: "Restore what was deleted?",
    working: "Undoing…",
    forbidden: "You may not undo this. It takes the same rights as making the opposite change yourself.",
    cannot:
      "This cannot be undone: not every kind of change can, and what it deleted may be deleted for good by now. Change it by hand, if you may.",
    since: <T>(
      later: T,
    ): readonly (T | string)[] => [
      "It was changed again after that, and only the last change can be undone. Look at ",
      later,
      " first.",
    ],
    later: (revision: string): string => `revision ${revision}`,
    sinceHidden:
      "It was changed again after that, by a change that you may not see. Change it by hand, if you may.",
    tooLarge: (revision: number): string =>
      `This is more than the service restores at once. An administrator of the service can do it: tell them the revision, ${revision}.`,
    done: "The change was undone.",
  },
  filters: {
    title: "Filters",
    role: "Role",
    person: "Done by",
    personHint: "Type a part of the address, and choose.",
    personFault: "This is not a whole address yet: type all of it, or choose one.",
    kind: "What",
    anyKind: "Anything",
    decision: "Outcome",
    anyDecision: "Any",
    from: "From",
    to: "Until",
    fromDate: (date: string): string => `from ${date}`,
    toDate: (date: string): string => `until ${date}`,
    by: <T>(email: T): readonly (T | string)[] => ["by ", email],
    remove: "Remove the filter ",
    clear: "Clear all",
  },
};
