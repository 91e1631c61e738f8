import type { RightName } from "../../../../graph/rights.ts";
import type { Isolated } from "../isolated.ts";
import { capped, countBoth } from "../plural.ts";
import { plural } from "./words.ts";

/** The number alone. */
const bare = capped(plural("#"));

export const HIERARCHY = {
  skip: "Skip the picture",
  picture: "The picture",
  role: (id: number): string => `Role ${id}`,

  /** What a box and a line say to screen readers. */
  box: (name: string, rights: string): string => `${name}: ${rights}`,
  boxMore: countBoth(
    plural("# more [parent|parents]"),
    plural("# more [child|children]"),
  ),
  boxBelow: capped(plural("# [role|roles] below")),
  relation: (parent: string, child: string, rights: string): string =>
    `${parent} manages ${child}: ${rights}`,
  relationLoses: (parent: string, child: string, rights: string, lost: string): string =>
    `${parent} manages ${child}: ${rights}. Lost here: ${lost}`,
  noAccess: "no access",
  notKnown: "not for you to see",
  more: (n: string): string => `+ ${n}`,

  /** What the change in the open form would make of boxes and lines. */
  toBe: {
    title: "The picture shows what would be:",
    lost: "would be lost",
    gained: "would be gained",
    new: "would be new",
    deleted: "would be deleted",
    unsure: "may change",
  },

  /** Around the picture. */
  below: (children: number, shown: number, descendants: number): string => {
    if (children === 0) return "Nothing below it";
    const first = shown < children
      ? `${bare(shown)} of ${bare(children)} directly below`
      : `${bare(children)} directly below`;
    return `${first} · ${bare(descendants)} in all`;
  },
  moreChildren: (n: number): string => `Show the next ${n}`,
  pictureFull: "See all in a list",
  above: plural("# [role|roles] above"),
  openAbove: "Show all levels",
  zoom: { label: "Size of the picture", out: "Smaller", in: "Larger", whole: "100%", fit: "Fit" },

  /** Whose rights the picture shows. */
  person: {
    rightsOf: "Rights of",
    you: "you",
    memberOf: "member of",
    memberElsewhere: "member of a role that you do not see",
    hint: "The beginning finds people with access. For others, type the whole address.",
    yours: "Show your own rights",
    people: (name: Isolated): string => `People with access to ${name}`,
    nobody: "No person’s address begins like that.",
    notForYou: "You may not see who has access to this role.",
    badAddress: (text: Isolated): string =>
      `“${text}” is not an email address. The picture shows your own rights.`,
    noAccess: "They have no access to any of these roles, or the address is not known here.",
    mayNotAsk: "You may not see what others may do on these roles. That takes user management.",
  },

  empty: {
    title: "You are not a member of any role",
    text: "A person who manages the members of a role can add you.",
    address: "Tell them the address of your account:",
  },
  dormant: {
    title: "You have dormant memberships",
    text: "A membership of yours is dormant, which may be the reason. The note above says what to do.",
  },
  past: {
    show: "In the past",
    asOf: (time: string): string => `As it was on ${time}`,
    after: (revision: string): string => `As it was after revision ${revision}`,
    back: "Back to now",
    began: (time: string): string => `The history that is kept begins on ${time}.`,
    none: "The role was not there then, or you may not see it",
    noPeople: "No one had access, or you may not see who.",
  },
  gone: {
    title: "There is no such role, or you may not see it",
    text:
      "It may have been deleted, or you have no access to it. Those who manage its members can invite you.",
    back: "To your roles",
  },
  lost: {
    title: (name: Isolated): string => `You no longer see ${name}`,
    text:
      "While you were looking, it was deleted, or your access to it was taken away. Those who manage its members can invite you again.",
    toParent: (name: Isolated): string => `To ${name}`,
  },

  /** What the rights let their holders do. Programs that ask this service decide what views, reports and alarms are. */
  rights: {
    title: "What the rights mean",
    sentences: {
      roleManagement: "Make roles below, and rename, move and delete them.",
      userManagement: "Invite and remove people, and see who has access.",
      viewManagement: "Manage views, in the programs that ask this service.",
      deviceManagement: "Add and change devices, and write what they measure.",
      reportManagement: "Manage reports, in the programs that ask this service.",
      alarmManagement: "Manage alarms, in the programs that ask this service.",
    } satisfies Record<RightName, string>,
    sees: {
      name: "sees it",
      text:
        "Every path to a role, even without a right, shows it, all that is below it, and what its devices measure.",
    },
  },
};
