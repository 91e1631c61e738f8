import type { PEOPLE as EN } from "../en/people.ts";
import { plural } from "./words.ts";

/** People of several roles: invitations that wait, memberships that end, accounts. */
export const PEOPLE: typeof EN = {
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
