/** Invitations that wait, memberships that end, and members who have not met a demand. */
export const PEOPLE = {
  title: "Invitations and ends",
  label: "What to look at",
  lists: { waiting: "Waiting", ending: "Ending" },
  hints: {
    waiting:
      "Invited, and not signed in since. The link in the email is good for 7 days; you can send a new one.",
    ending:
      "These memberships end by themselves within 7 days. Their people get an email about it a week before.",
    unmet: "Of these members it is not known that they have met what the role demands.",
  },
  none: {
    waiting: "No invitation waits.",
    ending: "No membership ends within 7 days.",
    unmet: "All members have met it.",
  },
  since: "Invited on",
  again: "Send again",
  againOf: (email: string): string => `Send the invitation of ${email} again`,
  sending: "Sending…",
  sent: (email: string): string => `The invitation of ${email} is on its way again.`,
  opened: (email: string): string => `${email} has signed in meanwhile, and needs no invitation.`,
  takeBack: "Take back",
  takeBackOf: (email: string): string => `Take the invitation of ${email} back`,
  later: { week: "A week more", month: "A month more", forGood: "For good" },
  allRoles: "In all roles whose people you manage",
  unmet: "Who has not met it yet",
};
