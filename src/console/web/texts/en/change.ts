import type { RightName } from "../../../../graph/rights.ts";
import { gainsIn, moreIn, readersIn } from "../change_effect.ts";
import type { Isolated } from "../isolated.ts";
import { type Parts, parts } from "../parts.ts";
import { capitalized, withMore } from "../plural.ts";
import { CHANGE_PEOPLE } from "./change_people.ts";
import { CHANGE_ROLES } from "./change_roles.ts";
import { list, lists, moreRoles, nodes, people, plural, restored, roles } from "./words.ts";

const { ofMany, ofOne } = gainsIn({
  list,
  roles,
  who: { exact: "", atMost: "Up to ", about: "About " },
  on: { exact: ", on #.", total: ", on # in all.", atMost: ", on up to #.", about: ", on #." },
});
const readers = readersIn({ roles, moreRoles, upTo: plural("up to # [person|people]") });
const andMore = plural(" and # more.", ".");
const HIDDEN_ROLE = "a role that you may not see";

/** What a change does, before it is done. */
export const CHANGE_EFFECT = {
  title: "What this does",
  asking: "Looking at what this would do…",
  lose: ofMany(plural("# [person loses|people lose]")),
  gain: ofMany(plural("# [person gains|people gain]")),
  loseOne: ofOne("loses", "may lose"),
  gainOne: ofOne("gains", "may gain"),
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
  keeps: <T>(rights: readonly RightName[], role: T | undefined): Parts<T> =>
    parts`keeps ${list(rights)}, through ${role ?? HIDDEN_ROLE}`,
  hasAlready: <T>(rights: readonly RightName[], role: T | undefined): Parts<T> =>
    parts`has ${list(rights)} already, through ${role ?? HIDDEN_ROLE}`,
  unchanged: (n: number): string => `Nothing changes for ${people(n)}:`,
  key: <T>(name: T): Parts<T> => parts`Key ${name}`,
  /** Of people that the list above does not show, some of whom the viewer may not see. */
  more: moreIn(plural("# more"), ", whom you may not see", (hidden) => `, ${hidden} of whom you may not see`),
  onlyHidden: (n: number): string => `${people(n)} whom you may not see`,
  keys: "Keys of programs count like people.",
  /** Of `others`, there are no names. */
  readsMore: (names: readonly Isolated[], others: number, most: number): string =>
    `Will read more of devices: ${readers(names, others, most)}.`,
  readsLess: (names: readonly Isolated[], others: number, most: number): string =>
    `Will read less of devices: ${readers(names, others, most)}.`,
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
  unmanaged: <T>(name: T): Parts<T> => parts`${name} would have no one left who can manage it.`,
  unmanagedMore: <T>(name: T, n: number, isLeast: boolean): Parts<T> =>
    parts`${name} and ${moreRoles(n, isLeast)} would have no one left who can manage them.`,
  unmanagedHidden: (n: number, isLeast: boolean): string =>
    `${capitalized(roles(n, isLeast))} that you may not see would have no one left to manage them.`,
  deleted: <T>(name: T): Parts<T> => parts`${name} is deleted: nothing else leads to it.`,
  deletedMore: <T>(name: T, roleCount: number, deviceCount: number): Parts<T> =>
    parts`${name} is deleted, since nothing else leads to it, and with it ${
      nodes(roleCount, deviceCount)
    } below it.`,
  deletedMany: (roleCount: number, deviceCount: number): string =>
    `This deletes ${nodes(roleCount, deviceCount)}.`,
  deletedNames: <T>(names: T, more: number): Parts<T> => parts`Among them: ${names}${andMore(more)}`,
  restored: restored("Restored: #."),
  leftOut: restored("Left out, as it has ended since or you could not make it now: #."),
  goOn: plural(
    "# [relation|relations] to devices that were not deleted [goes|go] on from now, without the time since the deletion.",
  ),
  pastOnly: plural(
    "# [relation|relations] to devices that were not deleted [returns|return] only up to the deletion, as [it has|they have] ended since or you could not give [it|them] now.",
  ),
  lastAwake:
    "No other manager of this role is known to have the second step that it demands, so the role may be left without a manager. Ask one of them to change something in it first.",
  stayingKeys: <T>(names: T, hasOthers: boolean): Parts<T> =>
    parts`Programs keep their access with keys that this person made: ${names}${
      hasOthers ? " and others" : ""
    }. Delete those whose secret they may know.`,
  moved: "Meanwhile, another person changed something, and nothing was done. This is what it would do now:",
};

export const CHANGE = {
  gone: "It is not there any more. Another person may have changed it.",
  back: "Back to the role",
  unknown: "The address does not say what to change.",
  hiddenRole: "(a role that you may not see)",
  nothing: "No one gains or loses a right.",

  effect: CHANGE_EFFECT,

  giving: {
    presets: { reader: "Views only", technician: "Technician", manager: "Manager", everything: "Everything" },
    mask: (rights: readonly RightName[]): string =>
      `You cannot give ${list(rights)}: your own membership does not carry ${
        rights.length === 1 ? "it" : "them"
      }.`,
    onlyTake:
      "You can only take rights away here: to add one, you need role management on both roles, through the same membership.",
    needed: "A new role needs a manager, so the relation always carries role management.",
  },

  problems: {
    cycle: "That would close a circle: the role that would be above is already below the other one.",
    unmanaged:
      "Then no role would manage this one any more. Leave role management on the relation, or first add another parent that has it.",
    /** Of a deletion: roles that it does not delete. */
    unmanagedRoles: (names: readonly Isolated[], more: number): string =>
      `No role would manage ${
        lists.format(withMore(names, more, moreRoles))
      } any more. First put another role with role management above.`,
    lastMember:
      "This is the last member who can manage this topmost role for good. Invite another person for good first.",
    externalIdTaken: "Another role below the same topmost role has this ID already. Choose a different one.",
    tooLarge:
      "This concerns more roles than the service changes at once. Change smaller parts below, one by one.",
    invitations: (time: string): string =>
      `You can invite up to 50 people a day, and looking at what an invitation does counts, too. The next one is possible in ${time}.`,
    moved: "Meanwhile, another person changed something, so nothing was done here. Look at it again.",
    session: "Your session had ended, so nothing was done. Try again.",
    busy:
      "The service was busy, and it is not certain that this was done. Try again: it is never done twice.",
  },

  ...CHANGE_ROLES,
  ...CHANGE_PEOPLE,
};
