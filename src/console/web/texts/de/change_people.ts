import type { CHANGE_PEOPLE as En } from "../en/change_people.ts";
import { parts } from "../parts.ts";
import { withFirst } from "../plural.ts";
import { countAll, memberships, plural, roles } from "./words.ts";

export const CHANGE_PEOPLE: typeof En = {
  member: {
    inviteTitle: (role) => parts`Person in ${role} einladen`,
    title: (person, role) => parts`${person} in ${role}`,
    leaveTitle: (role) => parts`${role} verlassen`,
    removeTitle: (person, role) => parts`${person} aus ${role} entfernen`,
    mailLanguage: "Sprache der E-Mail",
    emailHint: "Die ganze Adresse. Wer neu ist, erhält einen Link.",
    missing: "Geben Sie die Adresse der Person ein.",
    untilHint: (zone) => `In Ihrer Zeitzone, ${zone}. Leer: endet nicht von selbst.`,
    choices: {
      tomorrow: "Bis morgen",
      friday: "Bis Freitag",
      week: "Eine Woche",
      month: "Einen Monat",
      forGood: "Unbefristet",
    },
    past: "Das liegt in der Vergangenheit.",
    incomplete: "Geben Sie ein Datum und eine Uhrzeit ein.",
    tooLate: (time) =>
      `Ihre eigene Mitgliedschaft endet am ${time}, und was Sie vergeben, endet spätestens dann.`,
    extent: "Rechte",
    all: "Alle, die die Rolle hat",
    some: "Nur einige davon",
    exists: "Diese Person ist schon Mitglied. Die Mitgliedschaft bekommt das Ende und die Rechte von hier.",
    unchanged: "Wählen Sie ein anderes Ende oder andere Rechte.",
    remove: "Stattdessen diese Person entfernen",
    leave: "Stattdessen diese Rolle verlassen",
    keep: "Stattdessen die Mitgliedschaft ändern",
    invite: "Einladen",
    change: "Mitgliedschaft ändern",
    removeSubmit: "Aus der Rolle entfernen",
    leaveSubmit: "Rolle verlassen",
    sees: (person, role) => parts`Auch ohne Rechte sieht ${person} dann ${role} und alles darunter.`,
    seesUntil: (person, role, time) =>
      parts`Auch ohne Rechte sieht ${person} dann ${role} und alles darunter, bis zum ${time}.`,
    ends: (time) => parts`Die Mitgliedschaft endet von selbst am ${time}.`,
    endless: "Die Mitgliedschaft endet nicht mehr von selbst.",
    nothing: "Niemand erhält oder verliert jetzt ein Recht.",
    forbidden:
      "Das dürfen Sie nicht: Dafür braucht es Benutzerverwaltung für die Rolle, und niemand vergibt mehr Rechte als die eigenen oder für längere Zeit.",
    invited: "Eingeladen. Eine E-Mail ist unterwegs.",
    changed: "Die Mitgliedschaft wurde geändert.",
    left: "Sie sind nicht mehr Mitglied.",
    removed: "Die Person ist nicht mehr Mitglied.",
  },

  many: {
    title: (role) => parts`Mehrere Personen in ${role} einladen`,
    addresses: "E-Mail-Adressen",
    hint:
      "Ganze Adressen, eine je Zeile oder mit Kommas dazwischen. Eine Tabelle mit Kopfzeile kann die Spalten email, until und rights haben.",
    file: "CSV-Datei auswählen",
    tooLarge: "Die Datei ist zu groß: höchstens 100 kB.",
    tooMany: (found, most) => `Das sind ${found} Adressen. Höchstens ${most} werden auf einmal eingeladen.`,
    missing: "Geben Sie die Adressen der Personen an.",
    correct: "Korrigieren Sie die Zeilen oben.",
    allMembers: "Alle sind schon Mitglied und bleiben es unverändert.",
    faults: plural("# [Zeile ist|Zeilen sind] nicht lesbar:"),
    fault: {
      address: (line, text) => `Zeile ${line}: „${text}“ ist keine E-Mail-Adresse.`,
      twice: (line, text) =>
        `Zeile ${line}: „${text}“ stand schon da, mit einem anderen Ende oder anderen Rechten.`,
      until: (line, text) =>
        `Zeile ${line}: „${text}“ ist kein Ende. Schreiben Sie 2027-01-31 oder 2027-01-31T12:00Z.`,
      past: (line, text) => `Zeile ${line}: „${text}“ liegt in der Vergangenheit.`,
      rights: (line, text) =>
        `Zeile ${line}: „${text}“ ist keine Liste von Rechten. Schreiben Sie all, none oder viewManagement|alarmManagement.`,
    },
    members: withFirst(
      plural("# [Person ist|Personen sind] schon Mitglied und [bleibt|bleiben] es unverändert:"),
    ),
    shownFor: (person) => parts`Die Wirkung ist für die erste Person gezeigt, ${person}.`,
    submit: plural("# [Person|Personen] einladen", "Einladen"),
    working: (taken, n) => `${taken} von ${n} …`,
    stop: "Anhalten",
    done: plural("# [Person wurde|Personen wurden] eingeladen."),
  },

  end: {
    offer: "Stattdessen allen Zugriff auf diese Rolle und darunter beenden",
    title: (person, role) => parts`Zugriff von ${person} auf ${role} und darunter beenden`,
    granted: "Auch beenden, was diese Person dort anderen gegeben hat, und was diese gegeben haben",
    ends: countAll(
      "Das beendet: #.",
      memberships,
      plural("# Schlüssel"),
      plural("# [Passwort einer Rolle|Passwörter von Rollen]"),
    ),
    none: "Dort gibt es nichts, was Sie beenden dürfen.",
    inTrash: "In einer gelöschten Rolle: kommt beim Wiederherstellen nicht zurück",
    left: (n, more) =>
      `Die Person behält dort Zugriff auf ${roles(n, more)}, zum Beispiel durch eine Mitgliedschaft darüber.`,
    leftNone:
      "Dort bleibt kein Zugriff auf Rollen, deren Personen Sie verwalten. Wird später eine Löschung rückgängig gemacht, kommt diese Person nicht zurück.",
    relations: "Beziehungen, die die Person angelegt hat, bleiben. Sehen Sie sich jede davon an:",
    moreRelations: "Es kann weitere geben.",
    submit: "Zugriff beenden",
    keep: "Stattdessen diese Person nur aus der Rolle entfernen",
    tooMuch:
      "Das wäre zu viel auf einmal. Beenden Sie zuerst den Zugriff auf Rollen weiter unten, oder zuerst ohne das, was die Person gegeben hat.",
    done: "Der Zugriff wurde beendet.",
  },
};
