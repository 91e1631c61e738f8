import type { PEOPLE as EN } from "../en/people.ts";

/** Invitations that wait, memberships that end, and members who have not met a demand. */
export const PEOPLE: typeof EN = {
  title: "Personen",
  label: "Wat aandacht vraagt",
  lists: { all: "Alle", waiting: "Wachtend", ending: "Eindigend" },
  hints: {
    waiting:
      "Uitgenodigd, en sindsdien niet ingelogd. De link in de e-mail is 7 dagen geldig; je kunt een nieuwe sturen.",
    ending:
      "Deze lidmaatschappen eindigen binnen 7 dagen vanzelf. De leden krijgen een week van tevoren een e-mail, tenzij het lidmaatschap voor minder dan twee weken was.",
    unmet: "Van deze leden is niet bekend dat ze hebben voldaan aan wat de rol eist.",
  },
  none: {
    all: "Je beheert geen personen.",
    waiting: "Er wacht geen uitnodiging.",
    ending: "Er eindigt geen lidmaatschap binnen 7 dagen.",
    unmet: "Alle leden hebben eraan voldaan.",
  },
  since: "Uitgenodigd op",
  again: "Opnieuw sturen",
  sending: "Bezig met versturen …",
  sent: (isolated) => `De uitnodiging van ${isolated} is opnieuw onderweg.`,
  opened: (isolated) => `${isolated} heeft intussen ingelogd en heeft geen uitnodiging nodig.`,
  notAgain: (time) =>
    `Een account krijgt één keer per dag opnieuw een uitnodiging, en je stuurt er hoogstens 50 per dag. De volgende kan over ${time}.`,
  takeBack: "Intrekken",
  later: { week: "Een week langer", month: "Een maand langer", forGood: "Blijvend" },
  allRoles: "In alle rollen waarvan je de personen beheert",
  unmet: "Wie er nog niet aan heeft voldaan",
};
