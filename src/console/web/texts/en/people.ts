import type { Isolated } from "../isolated.ts";
import { people, plural, pluralOver, roles } from "./words.ts";

/** People of several roles: invitations that wait, memberships that end, accounts. */
export const PEOPLE = {
  lists: { all: "All", waiting: "Waiting", ending: "Ending", left: "Left" },
  hints: {
    waiting:
      "Invited, and not signed in since. The link in the email is valid for 7 days; you can send a new one.",
    ending:
      "These memberships end by themselves within 7 days. People get an email a week before, unless the membership was given for less than two weeks.",
    left: "People whose last membership in your roles ended in the last 90 days.",
    unmet: "These members are not known to have met what the role demands.",
  },
  none: {
    all: "You manage no people.",
    waiting: "No invitation waits.",
    ending: "No membership ends within 7 days.",
    left: "No one has left in the last 90 days.",
    unmet: "All members have met it.",
  },
  since: "Invited on",
  again: "Send again",
  sent: (isolated: string): string => `The invitation of ${isolated} is on its way again.`,
  opened: (isolated: string): string => `${isolated} has signed in meanwhile, and needs no invitation.`,
  notAgain: (time: string): string =>
    `An account gets at most one more invitation a day, and you send at most 50 a day. The next one is possible in ${time}.`,
  takeBack: "Take back",
  later: { week: "A week more", month: "A month more", forGood: "For good" },
  allRoles: "In all roles whose members you manage",
  unmet: "Who has not met it yet",
  leftSince: "No access since",
  lastSignIn: "Last sign-in:",
  noSignIn: "No sign-in on record",
  factors: { passkey: "passkey", totp: "authenticator app", emailOtp: "codes by email" },
  withFactors: (factors: string): string => `Second step: ${factors}`,
  noFactor: "No second step",
  endSessions: {
    open: "End sessions…",
    title: "End all sessions?",
    text:
      "This signs the person out everywhere. They can sign in again: password, second steps and keys stay.",
    submit: "End all sessions",
    done: plural("# [session|sessions] ended."),
  },
  ownName: {
    hint: "Those who manage all your roles see it beside your address.",
    save: "Save the name",
    saved: "The name is saved.",
    fault: "A name has at least one letter, no @, and at most 100 characters.",
  },
};

export const PERSON = {
  id: (id: number): string => `Person ${id}`,
  you: "This is you.",
  left: (time: string | null): string =>
    `${
      time === null ? "No" : `Since ${time}, no`
    } access to roles that you manage. What this person gave may still stand: see below.`,
  reach: "What you reach",
  unknownTitle: "There is no one here whom you may see",
  unknownText:
    "You see the people who have access to roles whose members you manage. This person has none, or does not exist. Those who manage the members of other roles may see them.",
  log: "What they did",
  concerns: "What concerns them",
  draw: "Rights in the picture",
  endBelow: (role: Isolated): string => `End all access below ${role}…`,
  memberOf: "Member of",
  memberNone: "Of no role whose members you manage.",
  reaches: (roles: string): string => `reaches ${roles} below`,
  until: (end: string): string => `until ${end}`,
  change: "Change",
  changeOf: (role: Isolated): string => `Change the membership in ${role}`,
  removeOf: (role: Isolated): string => `Remove the membership in ${role}`,
  access: "What they reach",
  accessHint: "Of the roles whose members you manage.",
  accessNone: "No role whose members you manage.",
  find: "Find by a part of the name",
  findNone: "They reach no role with such a name.",
  keys: "Keys they made",
  keysNone: "None that you may see.",
  made: (date: string): string => `made ${date}`,
  ends: (date: string): string => `ends ${date}`,
  gave: "What they gave that still stands",
  gaveNone: "Nothing that you may see.",
  membership: <T>(person: T): readonly (T | string)[] => ["Membership of ", person],
  set: (date: string): string => `set ${date}`,
  relation: <T>(parent: T, child: T): readonly (T | string)[] => [parent, " manages ", child],
  latest: "Their latest changes",
  all: "All changes of theirs",
  under: "At and below which role",
};

export const HOME = {
  roles: plural("# [role|roles] of yours"),
  /** `end`: "Friday 18:00". */
  yours: (end: string): string => `Yours until ${end}`,
  below: (n: number): string => `${roles(n)} below`,
  picture: "Show the hierarchy around it",
  at: (time: string): string => `At ${time}`,
  lastAt: (time: string): string => `Last value ${time}`,
  /** `time`: "3 hours". */
  noDataFor: (time: string): string => `No data for ${time}`,
  noData: "No values yet",
  viewers: "Who else can see this",
  people: people,
  allViewers: "Everyone, and what they may do",
  find: "Find a role below",
  needsLook: "Without data for over an hour",
  nothingBelow: "There is nothing below this role yet.",
  noneFound: "No role below has this in its name.",
  devices: pluralOver("# [device|devices]", "no devices"),
  attention: {
    title: "Needs attention",
    waiting: pluralOver("# [invitation waits|invitations wait]"),
    ending: pluralOver("# [membership ends|memberships end] within 7 days"),
    keys: pluralOver("# [key of yours expires|keys of yours expire] within 7 days"),
    refused: pluralOver("# [change was|changes were] refused today"),
  },
};
