import type { Texts } from "../en.ts";
import { people, plural, pluralOver, roles } from "./words.ts";

/** People of several roles: invitations that wait, memberships that end, accounts. */
export const PEOPLE: Texts["people"] = {
  lists: { all: "Alle", waiting: "Ausstehend", ending: "Ablaufend", left: "Ausgeschieden" },
  hints: {
    waiting:
      "Eingeladen und seitdem nicht angemeldet. Der Link in der E-Mail gilt 7 Tage; Sie können einen neuen senden.",
    ending:
      "Diese Mitgliedschaften enden innerhalb von 7 Tagen von selbst. Die Mitglieder bekommen eine Woche vorher eine E-Mail, außer bei weniger als zwei Wochen Dauer.",
    left: "Personen, deren letzte Mitgliedschaft in Ihren Rollen in den letzten 90 Tagen endete.",
    unmet: "Von diesen Mitgliedern ist nicht bekannt, dass sie erfüllt haben, was die Rolle verlangt.",
  },
  none: {
    all: "Sie verwalten keine Personen.",
    waiting: "Es steht keine Einladung aus.",
    ending: "Keine Mitgliedschaft endet innerhalb von 7 Tagen.",
    left: "In den letzten 90 Tagen ist niemand ausgeschieden.",
    unmet: "Alle Mitglieder haben es erfüllt.",
  },
  since: "Eingeladen am",
  again: "Noch einmal senden",
  sent: (isolated) => `Die Einladung von ${isolated} ist noch einmal unterwegs.`,
  opened: (isolated) => `${isolated} hat sich inzwischen angemeldet und braucht keine Einladung.`,
  notAgain: (time) =>
    `Ein Konto bekommt höchstens eine Einladung am Tag, und Sie können höchstens 50 am Tag senden. Die nächste ist in ${time} möglich.`,
  takeBack: "Zurücknehmen",
  later: { week: "Eine Woche länger", month: "Einen Monat länger", forGood: "Unbefristet" },
  allRoles: "In allen Rollen, deren Personen Sie verwalten",
  unmet: "Wer es noch nicht erfüllt hat",
  leftSince: "Kein Zugriff seit",
  lastSignIn: "Zuletzt angemeldet:",
  noSignIn: "Keine Anmeldung bekannt",
  factors: { passkey: "Passkey", totp: "Authenticator-App", emailOtp: "Codes per E-Mail" },
  withFactors: (factors) => `Zweiter Schritt: ${factors}`,
  noFactor: "Kein zweiter Schritt",
  endSessions: {
    open: "Sitzungen beenden …",
    title: "Alle Sitzungen beenden?",
    text:
      "Die Person wird überall abgemeldet. Sie kann sich neu anmelden: Passwort, zweite Schritte und Schlüssel bleiben.",
    submit: "Alle Sitzungen beenden",
    done: plural("# [Sitzung|Sitzungen] beendet."),
  },
  ownName: {
    hint: "Wer alle Ihre Rollen verwaltet, sieht ihn neben Ihrer Adresse.",
    save: "Namen speichern",
    saved: "Der Name ist gespeichert.",
    fault: "Ein Name hat mindestens einen Buchstaben, kein @ und höchstens 100 Zeichen.",
  },
};

export const PERSON: Texts["person"] = {
  id: (id) => `Person ${id}`,
  you: "Das sind Sie.",
  left: (time) =>
    `${
      time === null ? "Kein" : `Seit dem ${time} kein`
    } Zugriff auf Rollen, die Sie verwalten. Was diese Person gegeben hat, gilt vielleicht noch: siehe unten.`,
  reach: "Was Sie erreichen",
  unknownTitle: "Hier ist niemand, den Sie sehen dürfen",
  unknownText:
    "Sie sehen die Personen mit Zugriff auf Rollen, deren Mitglieder Sie verwalten. Diese Person hat keinen, oder es gibt sie nicht. Wer die Mitglieder anderer Rollen verwaltet, sieht sie vielleicht.",
  log: "Was diese Person getan hat",
  concerns: "Was diese Person betrifft",
  draw: "Rechte im Bild",
  endBelow: (role) => `Allen Zugriff unter ${role} beenden …`,
  memberOf: "Mitglied von",
  memberNone: "Von keiner Rolle, deren Mitglieder Sie verwalten.",
  reaches: (roles) => `erreicht ${roles} darunter`,
  until: (end) => `bis ${end}`,
  change: "Ändern",
  changeOf: (role) => `Ändern: Mitgliedschaft in ${role}`,
  removeOf: (role) => `Entfernen: Mitgliedschaft in ${role}`,
  access: "Was diese Person erreicht",
  accessHint: "Von den Rollen, deren Mitglieder Sie verwalten.",
  accessNone: "Keine Rolle, deren Mitglieder Sie verwalten.",
  find: "Nach einem Teil des Namens suchen",
  findNone: "Diese Person erreicht keine Rolle mit so einem Namen.",
  keys: "Erstellte Schlüssel",
  keysNone: "Keine, die Sie sehen dürfen.",
  made: (date) => `erstellt am ${date}`,
  ends: (date) => `endet am ${date}`,
  gave: "Gegeben und noch gültig",
  gaveNone: "Nichts, was Sie sehen dürfen.",
  membership: (person) => ["Mitgliedschaft von ", person],
  set: (date) => `festgelegt am ${date}`,
  relation: (parent, child) => [parent, " verwaltet ", child],
  latest: "Die letzten Änderungen dieser Person",
  all: "Alle Änderungen dieser Person",
  under: "Ab welcher Rolle abwärts",
};

export const HOME: Texts["home"] = {
  roles: (n) => `Ihre ${roles(n)}`,
  yours: (end) => `Für Sie bis ${end}`,
  below: (n) => `${roles(n)} darunter`,
  picture: "Die Hierarchie darum herum zeigen",
  at: (time) => `Um ${time} Uhr`,
  lastAt: (time) => `Letzter Wert ${time}`,
  noDataFor: (time) => `${time} ohne Daten`,
  noData: "Noch keine Werte",
  viewers: "Wer das noch sehen kann",
  people: people,
  allViewers: "Alle, und was sie dürfen",
  find: "Eine Rolle darunter suchen",
  needsLook: "Seit über einer Stunde ohne Daten",
  nothingBelow: "Unter dieser Rolle ist noch nichts.",
  noneFound: "Keine Rolle darunter hat das im Namen.",
  devices: pluralOver("# [Gerät|Geräte]", "keine Geräte"),
  attention: {
    title: "Braucht Aufmerksamkeit",
    waiting: pluralOver("# [Einladung steht|Einladungen stehen] aus"),
    ending: pluralOver("# [Mitgliedschaft endet|Mitgliedschaften enden] in den nächsten 7 Tagen"),
    keys: pluralOver("# Ihrer Schlüssel [läuft|laufen] in den nächsten 7 Tagen ab"),
    refused: pluralOver("# [Änderung wurde|Änderungen wurden] heute abgelehnt"),
  },
};
