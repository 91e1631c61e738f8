import { plural } from "./words.ts";

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
