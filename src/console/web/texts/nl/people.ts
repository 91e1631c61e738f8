import type { PEOPLE as EN } from "../en/people.ts";
import { plural } from "./words.ts";

/** People of several roles: invitations that wait, memberships that end, accounts. */
export const PEOPLE: typeof EN = {
  lists: { all: "Alle", waiting: "Wachtend", ending: "Eindigend", left: "Vertrokken" },
  hints: {
    waiting:
      "Uitgenodigd, en sindsdien niet ingelogd. De link in de e-mail is 7 dagen geldig; je kunt een nieuwe sturen.",
    ending:
      "Deze lidmaatschappen eindigen binnen 7 dagen vanzelf. De leden krijgen een week van tevoren een e-mail, tenzij het lidmaatschap voor minder dan twee weken was.",
    left: "Personen van wie het laatste lidmaatschap in jouw rollen in de afgelopen 90 dagen eindigde.",
    unmet: "Van deze leden is niet bekend dat ze hebben voldaan aan wat de rol eist.",
  },
  none: {
    all: "Je beheert geen personen.",
    waiting: "Er wacht geen uitnodiging.",
    ending: "Er eindigt geen lidmaatschap binnen 7 dagen.",
    left: "In de afgelopen 90 dagen is niemand vertrokken.",
    unmet: "Alle leden hebben eraan voldaan.",
  },
  since: "Uitgenodigd op",
  again: "Opnieuw sturen",
  sent: (isolated) => `De uitnodiging van ${isolated} is opnieuw onderweg.`,
  opened: (isolated) => `${isolated} heeft intussen ingelogd en heeft geen uitnodiging nodig.`,
  notAgain: (time) =>
    `Een account krijgt hoogstens één keer per dag opnieuw een uitnodiging, en je stuurt er hoogstens 50 per dag. De volgende kan over ${time}.`,
  takeBack: "Intrekken",
  later: { week: "Een week langer", month: "Een maand langer", forGood: "Blijvend" },
  allRoles: "In alle rollen waarvan je de leden beheert",
  unmet: "Wie er nog niet aan heeft voldaan",
  leftSince: "Geen toegang sinds",
  lastSignIn: "Laatst ingelogd:",
  noSignIn: "Laatst ingelogd: niet bekend",
  factors: { passkey: "passkey", totp: "authenticator-app", emailOtp: "codes per e-mail" },
  withFactors: (factors) => `Tweede stap: ${factors}`,
  noFactor: "Geen tweede stap",
  endSessions: {
    open: "Sessies beëindigen …",
    title: "Alle sessies beëindigen?",
    text:
      "De persoon wordt overal uitgelogd, maar kan opnieuw inloggen: wachtwoord, tweede stappen en sleutels blijven.",
    submit: "Alle sessies beëindigen",
    done: plural("# [sessie|sessies] beëindigd."),
  },
  ownName: {
    hint: "Wie al je rollen beheert, ziet je naam naast je adres.",
    save: "Naam opslaan",
    saved: "De naam is opgeslagen.",
    fault: "Een naam heeft minstens één letter, geen @ en hoogstens 100 tekens.",
  },
};
