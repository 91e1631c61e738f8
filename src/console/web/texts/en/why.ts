import { type Parts, parts } from "../parts.ts";
import { plural } from "./words.ts";

interface About<T> {
  readonly who: T;
  /** "alarm management". */
  readonly right: T;
  readonly role: T;
}

/** What a loss or a relation is between. */
interface Between<T> {
  readonly parent: T;
  readonly child: T;
}

export const WHY = {
  title: "Why?",
  intro:
    "Ask why a person has a right on a role, or why not. The address of this page is the question: share it.",
  personHint:
    "Type a part of the email address, and choose, or type all of it. Without one, it is about you.",
  right: "Right",
  chooseRight: "Choose a right",
  asOf: "When",
  asOfHint: "Without a time, it is about now.",
  key: (id: number): string => `Key ${id}`,
  aboutKey: (id: number): string => `About key ${id}.`,
  notKey: "Ask about a person",
  incomplete: "Choose a role and a right, and the answer appears here.",
  past: "The answer is about the past. Names, and what you may see, are those of today.",

  forYou: {
    has: <T>({ right, role }: About<T>): Parts<T> => parts`You have ${right} on ${role}.`,
    hasNot: <T>({ right, role }: About<T>): Parts<T> => parts`You do not have ${right} on ${role}.`,
    had: <T>({ right, role }: About<T>): Parts<T> => parts`You had ${right} on ${role}.`,
    hadNot: <T>({ right, role }: About<T>): Parts<T> => parts`You did not have ${right} on ${role}.`,
  },
  forThem: {
    has: <T>({ who, right, role }: About<T>): Parts<T> => parts`${who} has ${right} on ${role}.`,
    hasNot: <T>({ who, right, role }: About<T>): Parts<T> => parts`${who} does not have ${right} on ${role}.`,
    had: <T>({ who, right, role }: About<T>): Parts<T> => parts`${who} had ${right} on ${role}.`,
    hadNot: <T>({ who, right, role }: About<T>): Parts<T> => parts`${who} did not have ${right} on ${role}.`,
  },
  /** The same about whether the role is seen at all. */
  seeing: {
    forYou: {
      has: <T>({ role }: About<T>): Parts<T> => parts`You see ${role}.`,
      hasNot: <T>({ role }: About<T>): Parts<T> => parts`You do not see ${role}.`,
      had: <T>({ role }: About<T>): Parts<T> => parts`You saw ${role}.`,
      hadNot: <T>({ role }: About<T>): Parts<T> => parts`You did not see ${role}.`,
    },
    forThem: {
      has: <T>({ who, role }: About<T>): Parts<T> => parts`${who} sees ${role}.`,
      hasNot: <T>({ who, role }: About<T>): Parts<T> => parts`${who} does not see ${role}.`,
      had: <T>({ who, role }: About<T>): Parts<T> => parts`${who} saw ${role}.`,
      hadNot: <T>({ who, role }: About<T>): Parts<T> => parts`${who} did not see ${role}.`,
    },
  },
  ways: plural("It gets there by [one path|# paths]."),
  manyWays: (n: number): string => `It gets there by ${n} paths, and maybe by more.`,
  alsoLost: plural("On [one other path|# other paths] it is lost."),
  lostInPlaces: plural("On the best path it is lost in # places:"),
  lostAt: <T>({ parent, child }: Between<T>): Parts<T> => parts`It is lost where ${parent} manages ${child}.`,
  lostHidden: "It is lost on a relation that you may not see.",
  lostAtMember: <T>(role: T): Parts<T> => parts`The membership of ${role} does not carry it.`,
  lostAtHiddenMember: "The membership that it begins with does not carry it.",
  lostAtRole: <T>(role: T): Parts<T> => parts`Members of ${role} do not have it on the role itself.`,
  moreBlocked: plural(
    "[One more path leads there, and it is lost on that, too|# more paths lead there, and it is lost on each of them].",
  ),
  invite: "Invite this person",
  relate: "Add a role above it",
  noWay: {
    you:
      "You are a member neither of it nor of a role above it. Those who manage its members can invite you.",
    they: "They are a member neither of it nor of a role above it.",
    mayNotAsk:
      "You may not ask about others here. Those who manage the members of the role may, and can invite people.",
  },
  dormant: <T>(role: T, needs: string): Parts<T> =>
    parts`Your membership of ${role} is dormant in this session: with ${needs}, you would have it.`,
  dormantHidden: (needs: string): string =>
    `A membership of yours is dormant in this session: with ${needs}, you would have it.`,
  onlyWith: (needs: string): string => `Only in a session in which they have used ${needs}.`,
  dormantMark: "dormant",
  unknownRole: (id: number): string => `role ${id}`,
  unseenRole: "There is no such role, or you may not see it. Those who manage its members can invite you.",
  truncated: "Too many relations lead to this role to show all of them: there may be more paths.",
  hiddenRole: "a role that you may not see",

  fix: {
    title: "What would give it",
    all: "All of this is needed:",
    relation: <T>(
      { parent, child }: Between<T>,
      right: T,
    ): Parts<T> => parts`Add ${right} to what ${parent} may do on ${child}.`,
    role: <T>(role: T, right: T): Parts<T> => parts`Add ${right} to what members of ${role} may do on it.`,
    member: <T>(role: T, right: T): Parts<T> => parts`Add ${right} to the membership of ${role}.`,
    hidden: "Change something that you may not see. A manager of the roles above can.",
    look: "See what that would do",
    mayNot: "You may not change that. A manager of both roles can.",
    mayNotMember: "You may not change that. A manager of the role’s members can.",
  },

  picture: "The paths from the memberships to the role",
  notDrawn: plural("# more [path is|paths are] not drawn"),
  hiddenBox: "Not yours to see",
  link: (parent: string, child: string): string => `${parent} manages ${child}`,
  linkOfMember: (who: string, role: string): string => `${who}: member of ${role}`,
  lostHere: (right: string): string => `${right} is lost here`,

  problems: {
    future: "That time has not come yet. Choose one in the past.",
    BEFORE_HISTORY: "That is before the history that is kept.",
    tooLarge: "Too many relations led to this role to follow them back in time.",
  },
};
