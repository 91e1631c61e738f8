import type { Texts } from "../en.ts";
import { people, plural, pluralOver, roles } from "./words.ts";

/** People of several roles: invitations that wait, memberships that end, accounts. */
export const PEOPLE: Texts["people"] = {
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

export const PERSON: Texts["person"] = {
  id: (id) => `Persoon ${id}`,
  you: "Dit ben je zelf.",
  left: (time) =>
    `${
      time === null ? "Geen" : `Sinds ${time} geen`
    } toegang tot rollen die je beheert. Wat deze persoon heeft gegeven, is misschien nog van kracht: zie hieronder.`,
  reach: "Waar je bij kunt",
  unknownTitle: "Hier is niemand die je mag zien",
  unknownText:
    "Je ziet de personen met toegang tot rollen waarvan je de leden beheert. Deze persoon heeft die niet, of bestaat niet. Wie de leden van andere rollen beheert, ziet deze persoon misschien wel.",
  log: "Wat deze persoon deed",
  concerns: "Wat deze persoon betreft",
  draw: "Rechten in het schema",
  endBelow: (role) => `Alle toegang onder ${role} beëindigen …`,
  memberOf: "Lid van",
  memberNone: "Van geen rol waarvan je de leden beheert.",
  reaches: (roles) => `bereikt ${roles} daaronder`,
  until: (end) => `tot ${end}`,
  change: "Wijzigen",
  changeOf: (role) => `Wijzigen: lidmaatschap van ${role}`,
  removeOf: (role) => `Verwijderen: lidmaatschap van ${role}`,
  access: "Wat deze persoon bereikt",
  accessHint: "Van de rollen waarvan je de leden beheert.",
  accessNone: "Geen rol waarvan je de leden beheert.",
  find: "Zoek op een deel van de naam",
  findNone: "Deze persoon bereikt geen rol met zo’n naam.",
  keys: "Gemaakte sleutels",
  keysNone: "Geen die je mag zien.",
  made: (date) => `gemaakt op ${date}`,
  ends: (date) => `eindigt op ${date}`,
  gave: "Gegeven, en nog van kracht",
  gaveNone: "Niets dat je mag zien.",
  membership: (person) => ["Lidmaatschap van ", person],
  set: (date) => `ingesteld op ${date}`,
  relation: (parent, child) => [parent, " beheert ", child],
  latest: "Laatste wijzigingen door deze persoon",
  all: "Alle wijzigingen door deze persoon",
  under: "Bij en onder welke rol",
};

export const HOME: Texts["home"] = {
  roles: plural("# [rol|rollen] van jou"),
  yours: (end) => `Van jou tot ${end}`,
  below: (n) => `${roles(n)} eronder`,
  picture: "De hiërarchie eromheen tonen",
  at: (time) => `Om ${time}`,
  lastAt: (time) => `Laatste waarde ${time}`,
  noDataFor: (time) => `Al ${time} geen gegevens`,
  noData: "Nog geen waarden",
  viewers: "Wie dit nog meer kan zien",
  people: people,
  allViewers: "Iedereen, en wat ze mogen",
  find: "Een rol eronder zoeken",
  needsLook: "Al meer dan een uur zonder gegevens",
  nothingBelow: "Onder deze rol is nog niets.",
  noneFound: "Geen rol eronder heeft dit in de naam.",
  devices: pluralOver("# [apparaat|apparaten]", "geen apparaten"),
  attention: {
    title: "Vraagt aandacht",
    waiting: pluralOver("# [uitnodiging wacht|uitnodigingen wachten]"),
    ending: pluralOver("# [lidmaatschap eindigt|lidmaatschappen eindigen] binnen 7 dagen"),
    keys: pluralOver("# [sleutel van jou verloopt|sleutels van jou verlopen] binnen 7 dagen"),
    refused: pluralOver("# [wijziging is|wijzigingen zijn] vandaag geweigerd"),
  },
};
