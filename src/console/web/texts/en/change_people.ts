import type { Isolated } from "../isolated.ts";
import { type Parts, parts } from "../parts.ts";
import { withFirst } from "../plural.ts";
import { countAll, memberships, plural, roles } from "./words.ts";

/** The forms of members. */
export const CHANGE_PEOPLE = {
  member: {
    inviteTitle: <T>(role: T): Parts<T> => parts`Invite a person to ${role}`,
    title: <T>(person: T, role: T): Parts<T> => parts`${person} in ${role}`,
    leaveTitle: <T>(role: T): Parts<T> => parts`Leave ${role}`,
    removeTitle: <T>(person: T, role: T): Parts<T> => parts`Remove ${person} from ${role}`,
    mailLanguage: "Language of the email",
    emailHint: "The whole address. A new person is sent a link.",
    missing: "Enter the address of the person.",
    untilHint: (zone: string): string => `In your time zone, ${zone}. Empty: it does not end by itself.`,
    choices: {
      tomorrow: "Until tomorrow",
      friday: "Until Friday",
      week: "A week",
      month: "A month",
      forGood: "For good",
    },
    past: "That is in the past.",
    incomplete: "Enter both a date and a time.",
    tooLate: (time: string): string =>
      `Your own membership ends on ${time}, and what you give ends no later than that.`,
    extent: "Rights",
    all: "All that the role has",
    some: "Only some of them",
    exists: "This person is a member already. The membership gets the end and the rights given here.",
    unchanged: "Choose another end, or other rights.",
    remove: "Remove this person instead",
    leave: "Leave this role instead",
    keep: "Change the membership instead",
    invite: "Invite",
    change: "Change the membership",
    removeSubmit: "Remove from the role",
    leaveSubmit: "Leave the role",
    sees: <T>(person: T, role: T): Parts<T> =>
      parts`Even without a right, ${person} will see ${role} and everything below it.`,
    seesUntil: <T>(person: T, role: T, time: T): Parts<T> =>
      parts`Even without a right, ${person} will see ${role} and everything below it until ${time}.`,
    ends: <T>(time: T): Parts<T> => parts`The membership ends by itself on ${time}.`,
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
    title: <T>(role: T): Parts<T> => parts`Invite several people to ${role}`,
    addresses: "Email addresses",
    hint:
      "Whole addresses, one on each line, or with commas between them. A table with a header may have the columns email, until and rights.",
    file: "Choose a CSV file",
    tooLarge: "The file is too large: at most 100 kB.",
    tooMany: (found: number, most: number): string =>
      `These are ${found} addresses. At most ${most} are invited at once.`,
    missing: "Enter the addresses of the people.",
    correct: "Correct the lines above.",
    allMembers: "All of them are members already, and stay as they are.",
    faults: plural("# [line|lines] cannot be read:"),
    fault: {
      address: (line: number, text: Isolated): string => `Line ${line}: “${text}” is not an email address.`,
      twice: (line: number, text: Isolated): string =>
        `Line ${line}: “${text}” was there before, with another end or other rights.`,
      until: (line: number, text: Isolated): string =>
        `Line ${line}: “${text}” is not an end. Write 2027-01-31 or 2027-01-31T12:00Z.`,
      past: (line: number, text: Isolated): string => `Line ${line}: “${text}” is in the past.`,
      rights: (line: number, text: Isolated): string =>
        `Line ${line}: “${text}” is not a list of rights. Write all, none, or viewManagement|alarmManagement.`,
    },
    members: withFirst(
      plural("# [is a member already, and stays|are members already, and stay] as they are:"),
    ),
    shownFor: <T>(person: T): Parts<T> => parts`What this does is shown for the first of them, ${person}.`,
    submit: plural("Invite # [person|people]", "Invite"),
    working: (taken: number, n: number): string => `${taken} of ${n}…`,
    stop: "Stop",
    done: plural("# [person was|people were] invited."),
  },

  end: {
    offer: "End all their access at and below this role instead",
    title: <T>(person: T, role: T): Parts<T> => parts`End the access of ${person} at and below ${role}`,
    granted: "Also end what this person gave to others there, and what those gave in turn",
    ends: countAll(
      "This ends #.",
      memberships,
      plural("# [key|keys]"),
      plural("# [password of a role|passwords of roles]"),
    ),
    none: "There is nothing there that you may end.",
    inTrash: "In a deleted role: restoring it does not bring this back",
    left: (n: number, more: boolean): string =>
      `The person keeps access to ${roles(n, more)} there, for example by a membership above.`,
    leftNone:
      "No access is left there to roles whose members you manage. If a deletion is undone later, this person does not come back.",
    relations: "Relations that the person made stay. Look at each of them:",
    moreRelations: "There may be more of them.",
    submit: "End the access",
    keep: "Only remove this person from the role instead",
    tooMuch:
      "That would be too much at once. First end access at roles further down, or leave out what the person gave.",
    done: "The access was ended.",
  },
};
