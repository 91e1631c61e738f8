/** Invitations that wait, memberships that end, and members who have not met a demand. */
export const PEOPLE = {
  title: "People",
  label: "What to look at",
  lists: { all: "All", waiting: "Waiting", ending: "Ending" },
  hints: {
    waiting:
      "Invited, and not signed in since. The link in the email is good for 7 days; you can send a new one.",
    ending:
      "These memberships end by themselves within 7 days. People get an email a week before, unless the membership was given for less than two weeks.",
    unmet: "Of these members it is not known that they have met what the role demands.",
  },
  none: {
    all: "You manage no people.",
    waiting: "No invitation waits.",
    ending: "No membership ends within 7 days.",
    unmet: "All members have met it.",
  },
  since: "Invited on",
  again: "Send again",
  sending: "Sending…",
  sent: (isolated: string): string => `The invitation of ${isolated} is on its way again.`,
  opened: (isolated: string): string => `${isolated} has signed in meanwhile, and needs no invitation.`,
  notAgain: (time: string): string =>
    `Invitations go out once a day to one account, and 50 a day in all. The next one is possible in ${time}.`,
  takeBack: "Take back",
  later: { week: "A week more", month: "A month more", forGood: "For good" },
  allRoles: "In all roles whose people you manage",
  unmet: "Who has not met it yet",
};
