import type { PEOPLE as EN } from "../en/people.ts";

/** Invitations that wait, memberships that end, and members who have not met a demand. */
export const PEOPLE: typeof EN = {
  title: "Personen",
  label: "Was zu tun ist",
  lists: { all: "Alle", waiting: "Ausstehend", ending: "Fristen" },
  hints: {
    waiting:
      "Eingeladen und seitdem nicht angemeldet. Der Link in der E-Mail gilt 7 Tage; Sie können einen neuen schicken.",
    ending:
      "Diese Mitgliedschaften enden innerhalb von 7 Tagen von selbst. Die Mitglieder bekommen eine Woche vorher eine E-Mail, außer bei weniger als zwei Wochen Dauer.",
    unmet: "Von diesen Mitgliedern ist nicht bekannt, dass sie erfüllt haben, was die Rolle verlangt.",
  },
  none: {
    all: "Sie verwalten keine Personen.",
    waiting: "Es steht keine Einladung aus.",
    ending: "Keine Mitgliedschaft endet innerhalb von 7 Tagen.",
    unmet: "Alle Mitglieder haben es erfüllt.",
  },
  since: "Eingeladen am",
  again: "Noch einmal schicken",
  sending: "Wird geschickt …",
  sent: (isolated) => `Die Einladung von ${isolated} ist noch einmal unterwegs.`,
  opened: (isolated) => `${isolated} hat sich inzwischen angemeldet und braucht keine Einladung.`,
  notAgain: (time) =>
    `Ein Konto bekommt höchstens einmal am Tag noch eine Einladung, und Sie schicken höchstens 50 am Tag. Die nächste ist in ${time} möglich.`,
  takeBack: "Zurücknehmen",
  later: { week: "Eine Woche länger", month: "Einen Monat länger", forGood: "Unbefristet" },
  allRoles: "In allen Rollen, deren Personen Sie verwalten",
  unmet: "Wer es noch nicht erfüllt hat",
};
