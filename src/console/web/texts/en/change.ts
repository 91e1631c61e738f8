import type { RightName } from "../../../../role/rights.ts";
import type { Isolated } from "../isolated.ts";
import type { components } from "../../openapi_types.ts";
import { capitalized, countAllIn, countIn, type Forms } from "../plural.ts";

const count = countIn("en");
const countAll = countAllIn("en");
const lists = new Intl.ListFormat("en");

const KINDS: Readonly<Record<RightName, string>> = {
  roleManagement: "role",
  userManagement: "user",
  viewManagement: "view",
  deviceManagement: "device",
  reportManagement: "report",
  alarmManagement: "alarm",
};

/** "role, user and view management". */
function list(rights: readonly RightName[]): string {
  if (rights.length === Object.keys(KINDS).length) return "all six rights";
  return `${lists.format(rights.map((name) => KINDS[name]))} management`;
}

function people(n: number): string {
  return count(n, { one: "person", other: "people" });
}

const ROLES: Forms = { one: "role", other: "roles" };
const DEVICES: Forms = { one: "device", other: "devices" };
const MEMBERSHIPS: Forms = { one: "membership", other: "memberships" };

function roles(n: number, isLeast = false): string {
  return count(n, ROLES, isLeast);
}

function deletedNodes(roleCount: number, deviceCount: number): string {
  return countAll([roleCount, ROLES], [deviceCount, DEVICES]);
}

/** What is deleted together with a role: " and 3 roles and 1 device below it"; nothing without any. */
function withBelow(roleCount: number, deviceCount: number): string {
  return roleCount + deviceCount === 0 ? "" : ` and ${deletedNodes(roleCount, deviceCount)} below it`;
}

function listRestored(
  { roles, devices, relations, monitors, members }: components["schemas"]["Restored"],
): string {
  return countAll(
    [roles, ROLES],
    [devices, DEVICES],
    [relations + monitors, { one: "relation", other: "relations" }],
    [members, MEMBERSHIPS],
  );
}

/** A sentence with parts that are not plain text: names, or what is emphasized. */
type Parts<T> = readonly (string | T)[];

interface Amount {
  readonly people: number;
  readonly rights: readonly RightName[];
  /** Undefined if it is not known. */
  readonly roles: number | undefined;
  /** How the numbers are to be read. */
  readonly bound: "exact" | "atMost" | "about";
}

type Strong<T> = (text: string) => T;

/** "7 people lose device management, on 4 roles." */
function sentence<T>(strong: Strong<T>, verb: "lose" | "gain", amount: Amount): Parts<T> {
  const who = { exact: "", atMost: "Up to ", about: "About " }[amount.bound] + people(amount.people);
  const does = amount.people === 1 ? `${verb}s` : verb;
  return [strong(`${who} ${does}`), ` ${list(amount.rights)}`, on(amount)];
}

/** The same of one person. */
function sentenceOf<T>(name: T, verb: "lose" | "gain", amount: Amount): Parts<T> {
  const does = amount.bound === "exact" ? `${verb}s` : `may ${verb}`;
  return [name, ` ${does} ${list(amount.rights)}`, on(amount)];
}

function on({ roles: n, bound }: Amount): string {
  return n === undefined ? "." : `, on ${bound === "atMost" ? "up to " : ""}${roles(n, bound === "about")}.`;
}

export const CHANGE = {
  gone: "It is not there any more. Another person may have changed it.",
  back: "Back to the role",
  unknown: "The address does not say what to change.",
  hiddenRole: "(a role that you may not see)",

  effect: {
    title: "What this does",
    asking: "Looking at what this would do…",
    lose: <T>(strong: Strong<T>, amount: Amount): Parts<T> => sentence(strong, "lose", amount),
    gain: <T>(strong: Strong<T>, amount: Amount): Parts<T> => sentence(strong, "gain", amount),
    loseOne: <T>(name: T, amount: Amount): Parts<T> => sentenceOf(name, "lose", amount),
    gainOne: <T>(name: T, amount: Amount): Parts<T> => sentenceOf(name, "gain", amount),
    nobodyLoses: "No one loses anything.",
    nobodyGains: "No one gains anything.",
    emptyLose: (rights: readonly RightName[]): string =>
      `No one loses anything yet: the roles that lose ${list(rights)} have no members.`,
    emptyGain: (rights: readonly RightName[]): string =>
      `No one gains anything yet: the roles that gain ${list(rights)} have no members.`,
    nothing: "Nothing changes for anyone.",
    loses: (rights: readonly RightName[]): string => `loses ${list(rights)}`,
    gains: (rights: readonly RightName[]): string => `gains ${list(rights)}`,
    onRoles: (n: number, isLeast: boolean): string => `on ${roles(n, isLeast)}`,
    /** Of a person who loses other rights, or none: "keeps view management, through Installer X". */
    keeps: <T>(rights: readonly RightName[], role: T | undefined): Parts<T> => [
      `keeps ${list(rights)}, through `,
      role ?? "a role that you may not see",
    ],
    hasAlready: <T>(rights: readonly RightName[], role: T | undefined): Parts<T> => [
      `has ${list(rights)} already, through `,
      role ?? "a role that you may not see",
    ],
    unchanged: (n: number): string => `Nothing changes for ${people(n)}:`,
    key: <T>(name: T): Parts<T> => ["Key ", name],
    /** Of people that the list above does not show, some of whom the viewer may not see. */
    more: (n: number, hidden: number): string =>
      hidden === 0
        ? `${count(n, { other: "more" })}`
        : n === hidden
        ? `${count(n, { other: "more" })}, whom you may not see`
        : `${count(n, { other: "more" })}, ${hidden} of whom you may not see`,
    onlyHidden: (n: number): string => `${people(n)} whom you may not see`,
    keys: "Keys of programs count like people.",
    truncated: "There is more than can be counted here.",
    others: "The number may be smaller: people who have the same right by another role keep it.",
    revision: (revision: string): string =>
      `As of revision ${revision}. If what this does changes before you confirm, nothing is done, and you are told.`,
    you: (rights: readonly RightName[], n: number, isLeast: boolean): string =>
      `You lose ${list(rights)} yourself, on ${roles(n, isLeast)}.`,
    youUnless: (rights: readonly RightName[], n: number, isLeast: boolean): string =>
      `You lose ${list(rights)} yourself, on ${
        roles(n, isLeast)
      }, unless another of your roles gives it to you.`,
    unmanaged: <T>(name: T): Parts<T> => [name, " would have no one left who can manage it."],
    unmanagedMore: <T>(name: T, n: number, isLeast: boolean): Parts<T> => [
      name,
      ` and ${
        count(n, { one: "more role", other: "more roles" }, isLeast)
      } would have no one left who can manage them.`,
    ],
    unmanagedHidden: (n: number, isLeast: boolean): string =>
      `${
        capitalized(count(n, { one: "role", other: "roles" }, isLeast))
      } that you may not see would have no one left to manage them.`,
    deleted: <T>(name: T): Parts<T> => [name, " is deleted: nothing else leads to it."],
    deletedMore: <T>(name: T, roleCount: number, deviceCount: number): Parts<T> => [
      name,
      " is deleted, since nothing else leads to it, and with it ",
      deletedNodes(roleCount, deviceCount),
      " below it.",
    ],
    deletedMany: (roleCount: number, deviceCount: number): string =>
      `This deletes ${deletedNodes(roleCount, deviceCount)}.`,
    deletedNames: <T>(names: T, more: number): Parts<T> => [
      "Among them: ",
      names,
      more === 0 ? "." : ` and ${count(more, { other: "more" })}.`,
    ],
    restored: (counts: components["schemas"]["Restored"]): string => `Restored: ${listRestored(counts)}.`,
    leftOut: (counts: components["schemas"]["Restored"]): string =>
      `Left out, as it has ended since or you could not make it now: ${listRestored(counts)}.`,
    lastAwake:
      "No other manager of this role is known to have the second step that it demands, so the role may be left without a manager. Ask one of them to change something in it first.",
    stayingKeys: <T>(names: T, hasOthers: boolean): Parts<T> => [
      "Programs keep their access with keys that this person made: ",
      names,
      `${hasOthers ? " and others" : ""}. Delete those whose secret they may know.`,
    ],
    moved: "Meanwhile, another person changed something, and nothing was done. This is what it would do now:",
  },

  giving: {
    mask: (rights: readonly RightName[]): string =>
      `You cannot give ${list(rights)}: your own membership does not carry ${
        rights.length === 1 ? "it" : "them"
      }.`,
    onlyTake:
      "You can only take rights away here: to add one, you need role management on both roles, by the same membership.",
    needed: "A new role needs a manager, so the relation always carries role management.",
  },

  problems: {
    cycle: "That would close a circle: the role that would be above is already below the other one.",
    unmanaged:
      "Then no role would manage this one any more. Leave role management on the relation, or add another parent that has it first.",
    /** Of a deletion: roles that it does not delete. */
    unmanagedRoles: (names: readonly Isolated[], more: number): string =>
      `No role would manage ${
        lists.format([
          ...names,
          ...(more === 0 ? [] : [count(more, { one: "more role", other: "more roles" })]),
        ])
      } any more. First put another role with role management above.`,
    lastMember:
      "This is the last member who can manage this topmost role for good. Invite another person for good first.",
    externalIdTaken: "Another role below the same topmost role has this ID already. Choose a different one.",
    tooLarge:
      "This concerns more roles than the service changes at once. Change smaller parts below, one by one.",
    previews: (time: string): string =>
      `You have asked very often what changes would do. It goes on by itself in ${time}.`,
    invitations: (time: string): string =>
      `You can invite up to 50 people a day, and looking at what an invitation does counts, too. The next one is possible in ${time}.`,
    session: "Your session had ended, so nothing was done. Try again.",
    busy:
      "The service was busy, and it is not certain that this was done. Try again: it is never done twice.",
  },

  relation: {
    title: <T>(parent: T, child: T): Parts<T> => [parent, " manages ", child],
    now: "Carries now",
    rights: "Change to",
    unchanged: "Choose what the relation should carry.",
    delete: "Delete this relation instead",
    keep: "Change its rights instead",
    deleteTitle: <T>(parent: T, child: T): Parts<T> => ["Delete the relation from ", parent, " to ", child],
    deleteText: <T>(parent: T, child: T): Parts<T> => [
      "The members of ",
      parent,
      ", and of roles above it, no longer see ",
      child,
      " and what is below, unless another path leads there.",
    ],
    deleteNothing: "No one gains or loses a right.",
    deleteSubmit: "Delete the relation",
    take: (rights: readonly RightName[]): string => `Take ${list(rights)} away`,
    give: (rights: readonly RightName[]): string => `Give ${list(rights)}`,
    change: "Change the relation",
    working: "Changing…",
    nothing: "Nothing changes for anyone: no one above has these rights to pass on.",
    forbidden: "You may not change this relation like that.",
    changed: "The relation was changed.",
    deleted: "The relation was deleted.",
  },

  deletion: {
    title: <T>(role: T, roleCount: number, deviceCount: number): Parts<T> => [
      "Delete ",
      role,
      withBelow(roleCount, deviceCount),
    ],
    done: (role: Isolated, roleCount: number, deviceCount: number): string =>
      `Deleted: ${role}${withBelow(roleCount, deviceCount)}.`,
    type: <T>(role: T): Parts<T> => ["To delete all of that, type ", role, "."],
    confirm: "Name of the role",
    why: (n: number): string => `It is asked because ${count(n, { other: "things" })} are deleted at once.`,
    different: "That is not the name of the role.",
    noParents: "No role that you may see manages it, so you cannot delete it.",
    parents: <T>(role: T, n: number): Parts<T> => [
      `${count(n, { other: "relations" })} lead to `,
      role,
      ". It is deleted with the last of them. Which one is to be deleted first?",
    ],
  },

  join: {
    parentTitle: <T>(role: T): Parts<T> => ["Another role that manages ", role],
    childTitle: <T>(role: T): Parts<T> => ["Another role that ", role, " manages"],
    parent: "Managed by",
    child: "Manages",
    rights: "The relation carries",
    choose: "Choose a role.",
    same: "A role cannot manage itself.",
    sees: <T>(parent: T, child: T): Parts<T> => [
      "Even without a right, the members of ",
      parent,
      ", and of roles above it, will see ",
      child,
      " and everything below it, and what its devices measure.",
    ],
    exists: "There is such a relation already. This changes what it carries.",
    submit: "Add the relation",
    change: "Change the relation",
    working: "Adding…",
    nothing: "No one gains or loses a right.",
    forbidden:
      "You may not connect these roles: it takes role management on the role above, and on the role below from a role above it, by the same membership.",
    done: "The relation was added.",
  },

  password: {
    title: <T>(role: T): Parts<T> => ["The password of ", role],
    text:
      "Tell it, with the number of the role, to those who are to place the role below one of theirs. They can give themselves at most the rights below.",
    none: "The role has no password.",
    isSet: "It has one, set on",
    void: "It no longer works, since the person who set it could not set it now. Set a new one.",
    field: "New password",
    hint: (n: number): string => `At least ${n} characters`,
    padded: "A password cannot begin or end with a space.",
    rights: "It gives at most",
    set: "Set the password",
    replace: "Replace the password",
    working: "Saving…",
    remove: "Remove the password",
    removeText: "Relations that were made with it stay.",
    done: "The password of the role was set.",
    removed: "The password of the role was removed.",
    forbidden:
      "You may not set this: it takes role management on the role, and gives at most what you may give.",
  },

  takeOver: {
    title: <T>(role: T): Parts<T> => ["Take over a role below ", role],
    text: "Those who manage the role tell you its number and its password.",
    number: "Number of the role",
    numberHint: "Its page says it: “Role 12”",
    numberFault: "This is not the number of another role.",
    password: "Password of the role",
    rights: "The relation carries",
    atMost:
      "At most what its password gives. Even without a right, your members will see the role, what is below it, and what its devices measure.",
    submit: "Take the role over",
    working: "Taking over…",
    forbidden:
      "Those are not the number and password of a role, or its password does not give all of these rights.",
    done: "The role is below yours now.",
  },

  move: {
    title: <T>(role: T): Parts<T> => ["Move ", role],
    from: "Away from",
    to: "To",
    rights: "The new relation carries",
    noParents: "No role that you may see manages it, so there is nowhere to move it away from.",
    same: "It is there already.",
    submit: "Move",
    working: "Moving…",
    nothing: "No one gains or loses a right.",
    done: "The role was moved.",
  },

  create: {
    title: <T>(role: T): Parts<T> => ["A new role below ", role],
    name: "Name",
    nameFault: "A name has up to 256 characters, in one line.",
    relation: "Rights of the role above on it",
    selfRights: "Rights of its own members on it",
    text: <T>(parent: T): Parts<T> => [
      "No one loses anything. The members of ",
      parent,
      ", and of roles above it as far as their rights reach, gain the rights above on the new role. It has no members of its own yet.",
    ],
    submit: "Create the role",
    working: "Creating…",
    forbidden: "You may not create a role here: it takes role management on the one above.",
    done: (name: Isolated): string => `${name} was created.`,
    doneDemanding: (name: Isolated): string =>
      `${name} was created. It demands of its members what the role above does.`,
  },

  edit: {
    title: <T>(role: T): Parts<T> => ["Change ", role],
    name: "Name",
    externalIdFault: "An ID has up to 128 characters, in one line.",
    selfRights: "Rights of its own members on it",
    unchanged: "Choose another name or ID, or other rights.",
    submit: "Save the changes",
    working: "Saving…",
    nothing: "No one gains or loses a right.",
    forbidden: "You may not change this role: it takes role management from a role above it.",
    done: "The role was changed.",
  },

  member: {
    inviteTitle: <T>(role: T): Parts<T> => ["Invite a person to ", role],
    title: <T>(person: T, role: T): Parts<T> => [person, " in ", role],
    leaveTitle: <T>(role: T): Parts<T> => ["Leave ", role],
    removeTitle: <T>(person: T, role: T): Parts<T> => ["Remove ", person, " from ", role],
    email: "Email address",
    emailHint: "A new person gets an email with a link.",
    emailFault: "This is not an email address.",
    missing: "Give the address of the person.",
    until: "Ends",
    untilHint: (zone: string): string => `In your time zone, ${zone}. Empty: it does not end by itself.`,
    choices: {
      tomorrow: "Until tomorrow",
      friday: "Until Friday",
      week: "A week",
      month: "A month",
      forGood: "For good",
    },
    past: "That is in the past.",
    incomplete: "Give both a date and a time.",
    tooLate: (time: string): string =>
      `Your own membership ends on ${time}, and what you give ends no later than that.`,
    extent: "Rights",
    all: "All that the role has",
    some: "Only some of them",
    rights: "At most",
    exists: "This person is a member already. This changes the membership.",
    unchanged: "Choose another end, or other rights.",
    remove: "Remove this person instead",
    leave: "Leave this role instead",
    keep: "Change the membership instead",
    invite: "Invite",
    change: "Change the membership",
    removeSubmit: "Remove from the role",
    leaveSubmit: "Leave the role",
    working: "Saving…",
    sees: <T>(person: T, role: T): Parts<T> => [
      "Even without a right, ",
      person,
      " will see ",
      role,
      " and everything below it.",
    ],
    seesUntil: <T>(person: T, role: T, time: T): Parts<T> => [
      "Even without a right, ",
      person,
      " will see ",
      role,
      " and everything below it until ",
      time,
      ".",
    ],
    ends: <T>(time: T): Parts<T> => ["The membership ends by itself on ", time, "."],
    endless: "The membership no longer ends by itself.",
    nothing: "No one gains or loses a right now.",
    forbidden:
      "You may not do that: it takes user management on the role, and no one gives more rights than they have themselves, or for longer.",
    invited: "Invited. An email is on its way.",
    changed: "The membership was changed.",
    left: "You are no longer a member.",
    removed: "The person is no longer a member.",
  },

  many: {
    title: <T>(role: T): Parts<T> => ["Invite several people to ", role],
    addresses: "Email addresses",
    hint:
      "One on each line, or with commas between them. A table with a header may have the columns email, until and rights.",
    file: "Choose a CSV file",
    tooLarge: "The file is too large: at most 100 kB.",
    tooMany: (found: number, most: number): string =>
      `These are ${found} addresses. At most ${most} are invited at once.`,
    missing: "Give the addresses of the people.",
    allMembers: "All of them are members already, and stay as they are.",
    faults: (n: number): string => `${count(n, { one: "line", other: "lines" })} cannot be read:`,
    fault: {
      address: (line: number, text: Isolated): string => `Line ${line}: “${text}” is not an email address.`,
      twice: (line: number, text: Isolated): string => `Line ${line}: “${text}” was there before.`,
      until: (line: number, text: Isolated): string =>
        `Line ${line}: “${text}” is no end. Write 2027-01-31 or 2027-01-31T12:00Z.`,
      rights: (line: number, text: Isolated): string =>
        `Line ${line}: “${text}” is not a list of rights. Write all, none, or viewManagement|alarmManagement.`,
    },
    members: (first: readonly Isolated[], n: number): string =>
      `${
        count(n, {
          one: "is a member already, and stays as they are",
          other: "are members already, and stay as they are",
        })
      }: ${first.join(", ")}${n > first.length ? ", …" : "."}`,
    shownFor: <T>(person: T): Parts<T> => ["What this does is shown for the first of them, ", person, "."],
    submit: (n: number): string =>
      n === 0 ? "Invite" : `Invite ${count(n, { one: "person", other: "people" })}`,
    working: (taken: number, n: number): string => `${taken} of ${n}…`,
    stop: "Stop",
    done: (n: number): string => `${count(n, { one: "person was", other: "people were" })} invited.`,
  },

  end: {
    offer: "End all their access at and below this role instead",
    title: <T>(person: T, role: T): Parts<T> => ["End the access of ", person, " at and below ", role],
    granted: "Also end what this person gave to others there, and what these gave",
    ends: (members: number, keys: number, passwords: number): string =>
      `This ends ${
        countAll(
          [members, MEMBERSHIPS],
          [keys, { one: "key", other: "keys" }],
          [passwords, { one: "password of a role", other: "passwords of roles" }],
        )
      }.`,
    none: "There is nothing there that you may end.",
    password: "Password of the role",
    left: (n: number, more: boolean): string =>
      `The person keeps access to ${count(n, ROLES, more)} there, for example by a membership above.`,
    leftNone:
      "No access is left there to roles whose people you manage. If a deletion is undone later, this person does not come back.",
    relations: "Relations that the person made stay. Look at each of them:",
    moreRelations: "There may be more of them.",
    submit: "End the access",
    working: "Ending…",
    keep: "Only remove this person from the role instead",
    tooMuch:
      "That would be too much at once. End access at roles further down first, or first without what the person gave.",
    done: "The access was ended.",
  },
};
