import type { Isolated } from "../isolated.ts";
import { countIn, isCapped } from "../plural.ts";

const count = countIn("en");

function countTo(n: number, forms: { one: string; other: string }): string {
  return count(n, forms, isCapped(n));
}

export const ROLE = {
  tabs: {
    label: "Parts of the role",
    about: "Role",
    relations: "Relations",
    people: "People",
    keys: "Keys",
    devices: "Devices",
    changes: "Changes",
  },
  subtitle: (id: number, children: number): string =>
    `Role ${id} · ${
      children === 0 ? "nothing below" : countTo(children, { one: "role below", other: "roles below" })
    }`,
  unseen: (id: number): string => `Role ${id}, which you may not see`,
  change: "Change",
  menu: (name: Isolated): string => `Actions for ${name}`,
  about: {
    password: "Password of the role",
    passwordHint:
      "Other users who know it can place this role below one of theirs. That is how a customer lets a new installer in.",
    passwordSet: "Set or remove the password",
    externalId: "ID in another system",
    rights: "Rights on this role",
    yours: "You",
    self: "Its members",
    selfHint: "Members of the roles above have what the relations let through.",
    around: "Around it",
    parents: "Managed by",
    noParents: "None that you may see",
    roles: (n: number): string => countTo(n, { one: "role", other: "roles" }),
    children: "Manages",
    below: "All below",
    edit: "Change name and rights",
    delete: "Delete this role",
  },
  relations: {
    above: "Managed by",
    aboveNone: "No role that you may see manages it.",
    below: "Manages",
    belowNone: "There is no role below.",
    find: "Find by a part of the name",
    findNone: "No role below has this in its name.",
    deeper: "further below",
    changeOf: (parent: string, child: string): string => `Change what ${parent} may do with ${child}`,
    addParent: "Add another",
    move: "Move elsewhere",
    takeOver: "Take over by password",
    addChild: "Add an existing one",
    create: "New role",
  },
  people: {
    lists: { label: "Which people", members: "Members", access: "Who has access" },
    membersHint: "Members of this role itself, not of those above.",
    accessHint:
      "Members of this role and of every role above it, people and programs, with what they may do here.",
    invite: "Invite a person",
    inviteMany: "Invite several",
    findMember: "Find among the members",
    find: "Find by a part of the address",
    period: "Over a period",
    periodHint: "Everyone who had access at any time on these days, with all rights that they had then.",
    lastMonth: "Last month",
    periodFirst: "Choose the first day, too.",
    periodFault: "The last day must not be before the first, and the first not in the future.",
    noMembers: "This role has no members. People reach it from the roles above.",
    notMember: "No member’s address has this in it.",
    noAccess: "No one has access.",
    notFound: "No one matches.",
    you: "You",
    until: "Until",
    atMost: "At most",
    changeOf: (email: string): string => `Change the membership of ${email}`,
    leave: "Leave this role",
    notYours: "You are not a member of this role itself.",
    dormant: "Your membership of this role itself is dormant.",
    lastMet: "Last met what the role demands:",
    neverMet: "Has not met what the role demands yet, as far as is known",
    needs: "To see who is in a role you need user management on it, or role management from a role above.",
    needsAccess:
      "To see who has access to a role you need user management on it, or role management from a role above.",
    right: "Right",
    anyRight: "any or none",
    direct: "Member",
    through: "Through",
    hidden: (n: number): string =>
      count(n, { one: "role that you may not see", other: "roles that you may not see" }),
    others: (n: number): string => count(n, { one: "more role", other: "more roles" }),
    deleted: "Deleted account",
    key: <T>(name: T): readonly (T | string)[] => ["Key: ", name],
    why: "Why?",
    whyOf: (name: string): string => `Why? The access of ${name}`,
    draw: "In the picture",
    drawOf: (name: string): string => `In the picture: the rights of ${name}`,
  },
  file: {
    save: "Save as CSV",
    saving: (lines: number): string =>
      lines === 0 ? "Reading…" : `Reading… ${count(lines, { one: "line", other: "lines" })} so far`,
    saved: (file: string, lines: number): string =>
      `Saved as ${file}, with ${count(lines, { one: "line", other: "lines" })}.`,
    savedPart: (file: string, lines: number): string =>
      `Saved as ${file}, with the first ${count(lines, { one: "line", other: "lines" })}. There are more.`,
  },
  keys: {
    hint: "With a key, a program acts as a member of this role, without a person’s password.",
    needs: "To see the keys of a role you need user management on it, or role management from a role above.",
    none: "This role has no keys.",
    create: "New key",
    title: "New key",
    name: "Name",
    nameHint: "What uses it. The name is shown in the log and in lists of access.",
    nameFault: "The key needs a name, of 256 characters at most.",
    rights: "What it may do at most",
    rightsHint:
      "On this role it also has no more than the role’s members have, and below no more than the relations carry. Without any right it still sees the roles and reads what their devices measure.",
    ends: "Ends",
    days: {
      7: "in a week",
      30: "in 30 days",
      90: "in 90 days at the latest",
      365: "in a year",
    },
    asks: "May ask who has access and what changed, for a service that decides for others",
    provisions: "With user management: may add people, as far as its maker could",
    submit: "Create the key",
    working: "Creating…",
    refused: "A key can have no more rights, and last no longer, than your own membership.",
    doubtful:
      "The connection was lost, and the key may have been created all the same. Look at the list of keys before you try again.",
    full: "The role has 100 keys already. Delete one that is not needed any more.",
    secretTitle: "The secret of the new key",
    secretText:
      "Give it to the program now. It is shown this once: if it gets lost, delete the key and create another.",
    ineffective: (rights: string): string =>
      `Without effect for now: ${rights}. Neither the role itself nor a relation below has them.`,
    tryTitle: "Try it",
    tryText: "With this command in a terminal, the key lists the first roles that it sees.",
    copyCommand: "Copy the command",
    adopt: "Adopt",
    adoptOf: (name: string): string => `Adopt the key ${name}`,
    adoptTitle: "Adopt this key?",
    adoptText:
      "You then count as its maker. It gets a new secret, which is shown once; the old one ends at once, so the program needs the new one.",
    adoptSubmit: "Adopt the key",
    adopting: "Adopting…",
    adoptRefused: "You need the rights of the key yourself, and a membership that ends no earlier.",
    makerLeft:
      "Its maker has no access to this role any more, so the key gives nothing on to others. Adopt or delete it.",
    noMaker:
      "You do not see its maker: a person who acted through a role above that you do not see, an administrator, or a deleted account. Adopt it if you take responsibility for it.",
    secretDone: "I have kept it",
    expires: "Ends",
    used: "Last used",
    unused: "Never used",
    madeBy: "Created by",
    mayAsk: "May ask who has access",
    mayProvision: "May add people",
    delete: "Delete",
    deleteOf: (name: string): string => `Delete the key ${name}`,
    deleteTitle: "Delete this key?",
    deleteText: "The program that uses it loses its access at once. That cannot be undone.",
    deleteSubmit: "Delete the key",
    deleting: "Deleting…",
    deleted: "The key is deleted.",
  },
  changes: {
    needs:
      "To see all changes of a role you need user management on it, or role management from a role above.",
  },
};
