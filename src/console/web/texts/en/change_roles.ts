import type { RightName } from "../../../../graph/rights.ts";
import type { Isolated } from "../isolated.ts";
import { type Parts, parts } from "../parts.ts";
import { countAll, devices, list, plural, relations, roles } from "./words.ts";

/** What is deleted together with a role: " and 3 roles and 1 device below it"; nothing without any. */
const withBelow = countAll(" and # below it", roles, devices);

/** The forms of roles and their relations. */
export const CHANGE_ROLES = {
  relation: {
    title: <T>(parent: T, child: T): Parts<T> => parts`${parent} manages ${child}`,
    now: "Carries now",
    rights: "Change to",
    unchanged: "Choose what the relation should carry.",
    delete: "Delete this relation instead",
    keep: "Change its rights instead",
    deleteTitle: <T>(parent: T, child: T): Parts<T> => parts`Delete the relation from ${parent} to ${child}`,
    deleteText: <T>(parent: T, child: T): Parts<T> =>
      parts`The members of ${parent}, and of roles above it, no longer see ${child} and what is below, unless another path leads there.`,
    deleteSubmit: "Delete the relation",
    take: (rights: readonly RightName[]): string => `Take ${list(rights)} away`,
    give: (rights: readonly RightName[]): string => `Give ${list(rights)}`,
    change: "Change the relation",
    nothing: "Nothing changes for anyone: no one above has these rights to pass on.",
    forbidden: "You may not change this relation like that.",
    changed: "The relation was changed.",
    deleted: "The relation was deleted.",
  },

  deletion: {
    title: <T>(role: T, roleCount: number, deviceCount: number): Parts<T> =>
      parts`Delete ${role}${withBelow(roleCount, deviceCount)}`,
    done: (role: Isolated, roleCount: number, deviceCount: number): string =>
      `Deleted: ${role}${withBelow(roleCount, deviceCount)}.`,
    type: <T>(role: T): Parts<T> => parts`To delete all of that, type ${role}.`,
    confirm: "Name of the role",
    why: plural("You are asked for this because # things are deleted at once."),
    different: "That is not the name of the role.",
    noParents: "No role that you may see manages it, so you cannot delete it.",
    parents: <T>(role: T, n: number): Parts<T> =>
      parts`${
        relations(n)
      } lead to ${role}. It is deleted with the last of them. Which one is to be deleted first?`,
  },

  join: {
    parentTitle: <T>(role: T): Parts<T> => parts`Another role that manages ${role}`,
    childTitle: <T>(role: T): Parts<T> => parts`Another role that ${role} manages`,
    rights: "The relation carries",
    choose: "Choose a role.",
    same: "A role cannot manage itself.",
    sees: <T>(parent: T, child: T): Parts<T> =>
      parts`Even without a right, the members of ${parent}, and of roles above it, will see ${child} and everything below it, and what its devices measure.`,
    exists: "There is such a relation already. This changes what it carries.",
    submit: "Add the relation",
    forbidden:
      "You may not connect these roles: it takes role management on the role above, and on the role below from a role above it, through the same membership.",
    done: "The relation was added.",
  },

  password: {
    title: <T>(role: T): Parts<T> => parts`The password of ${role}`,
    text:
      "Give the password and the number of the role to those who will place it below a role of theirs. They can give themselves at most the rights below.",
    none: "The role has no password.",
    isSet: "It has one, set on",
    void: "It no longer works, since the person who set it could not set it now. Set a new one.",
    field: "New password",
    hint: (n: number): string => `At least ${n} characters`,
    padded: "A password cannot begin or end with a space.",
    rights: "It gives at most",
    set: "Set the password",
    replace: "Replace the password",
    remove: "Remove the password",
    removeText: "Relations that were made with it stay.",
    done: "The password of the role was set.",
    removed: "The password of the role was removed.",
    forbidden:
      "You may not set this: it takes role management on the role, and gives at most what you may give.",
  },

  takeOver: {
    title: <T>(role: T): Parts<T> => parts`Take over a role below ${role}`,
    text: "Those who manage the role tell you its number and its password.",
    number: "Number of the role",
    numberHint: "Its page says it: “Role 12”",
    numberFault: "This is not the number of another role.",
    atMost:
      "At most what its password gives. Even without a right, your members will see the role, what is below it, and what its devices measure.",
    submit: "Take the role over",
    forbidden:
      "Those are not the number and password of a role, or its password does not give all of these rights.",
    done: "The role is below yours now.",
  },

  move: {
    title: <T>(role: T): Parts<T> => parts`Move ${role}`,
    from: "Away from",
    to: "To",
    rights: "The new relation carries",
    noParents: "No role that you may see manages it, so there is nowhere to move it away from.",
    same: "It is there already.",
    submit: "Move",
    done: "The role was moved.",
  },

  create: {
    title: <T>(role: T): Parts<T> => parts`A new role below ${role}`,
    nameFault: "A name has up to 256 characters, in one line.",
    relation: "Rights of the role above on it",
    selfRights: "Rights of its own members on it",
    text: <T>(parent: T): Parts<T> =>
      parts`No one loses anything. The members of ${parent}, and of roles above it as far as their rights reach, gain the rights above on the new role. It has no members of its own yet.`,
    submit: "Create the role",
    forbidden: "You may not create a role here: it takes role management on the one above.",
    done: (name: Isolated): string => `${name} was created.`,
    doneDemanding: (name: Isolated): string =>
      `${name} was created. It demands of its members what the role above does.`,
  },

  edit: {
    title: <T>(role: T): Parts<T> => parts`Change ${role}`,
    externalIdFault: "An ID has up to 128 characters, in one line.",
    selfRights: "Rights of its own members on it",
    unchanged: "Choose another name or ID, or other rights.",
    submit: "Save the changes",
    forbidden: "You may not change this role: it takes role management from a role above it.",
    done: "The role was changed.",
  },
};
