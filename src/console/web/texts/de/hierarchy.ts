import type { Texts } from "../en.ts";
import { capped, countBoth } from "../plural.ts";
import { plural, roles } from "./words.ts";

const bare = capped(plural("#"));

export const HIERARCHY: Texts["hierarchy"] = {
  skip: "Das Bild überspringen",
  picture: "Das Bild",
  role: (id) => `Rolle ${id}`,

  box: (name, rights) => `${name}: ${rights}`,
  boxMore: countBoth(
    plural("# weitere [Rolle|Rollen] darüber"),
    plural("# weitere [Rolle|Rollen] direkt darunter"),
  ),
  boxBelow: capped(plural("# [Rolle|Rollen] darunter")),
  relation: (parent, child, rights) => `${parent} verwaltet ${child}: ${rights}`,
  relationLoses: (parent, child, rights, lost) =>
    `${parent} verwaltet ${child}: ${rights}. Geht hier verloren: ${lost}`,
  noAccess: "kein Zugriff",
  notKnown: "für Sie nicht sichtbar",
  more: (n) => `+ ${n}`,

  toBe: {
    title: "Das Bild zeigt, wie es wäre:",
    lost: "ginge verloren",
    gained: "käme hinzu",
    new: "wäre neu",
    deleted: "würde gelöscht",
    unsure: "kann sich ändern",
  },

  below: (children, shown, descendants) => {
    if (children === 0) return "Nichts darunter";
    const first = shown < children
      ? `${bare(shown)} von ${bare(children)} Rollen direkt darunter`
      : `${roles(children)} direkt darunter`;
    return `${first} · ${bare(descendants)} insgesamt`;
  },
  moreChildren: (n) => n === 1 ? "Die nächste anzeigen" : `Die nächsten ${n} anzeigen`,
  pictureFull: "Alle in einer Liste ansehen",
  above: (n, isMore) => `${roles(n, isMore)} darüber`,
  openAbove: "Alle Ebenen anzeigen",
  zoom: { label: "Größe des Bildes", out: "Kleiner", in: "Größer", whole: "100\u00A0%", fit: "Einpassen" },

  person: {
    rightsOf: "Rechte von",
    you: "Ihnen",
    memberOf: "Mitglied von",
    memberElsewhere: "Mitglied einer Rolle, die Sie nicht sehen",
    hint: "Der Anfang findet Personen mit Zugriff. Bei anderen geben Sie die ganze Adresse ein.",
    yours: "Ihre eigenen Rechte anzeigen",
    people: (name) => `Personen mit Zugriff auf ${name}`,
    nobody: "Keine Adresse beginnt so.",
    notForYou: "Sie dürfen nicht sehen, wer Zugriff auf diese Rolle hat.",
    badAddress: (text) => `„${text}“ ist keine E-Mail-Adresse. Das Bild zeigt Ihre eigenen Rechte.`,
    noAccess:
      "Diese Person hat auf keine dieser Rollen Zugriff, oder es gibt zu dieser Adresse hier kein Konto.",
    mayNotAsk:
      "Sie dürfen nicht sehen, was andere für diese Rollen dürfen. Dazu brauchen Sie Benutzerverwaltung.",
  },

  empty: {
    title: "Sie sind in keiner Rolle Mitglied",
    text: "Wer die Mitglieder einer Rolle verwaltet, kann Sie hinzufügen.",
    address: "Nennen Sie dazu die Adresse Ihres Kontos:",
  },
  dormant: {
    title: "Sie haben ruhende Mitgliedschaften",
    text:
      "Eine Ihrer Mitgliedschaften ruht. Vielleicht ist das der Grund. Der Hinweis oben sagt, was zu tun ist.",
  },
  past: {
    show: "In der Vergangenheit",
    asOf: (time) => `So war es am ${time}`,
    after: (revision) => `So war es nach Revision ${revision}`,
    back: "Zurück zu jetzt",
    began: (time) => `Der gespeicherte Verlauf beginnt am ${time}.`,
    none: "Die Rolle gab es damals nicht, oder Sie dürfen sie nicht sehen",
    noPeople: "Niemand hatte Zugriff, oder Sie dürfen nicht sehen, wer.",
  },
  gone: {
    title: "Diese Rolle gibt es nicht, oder Sie dürfen sie nicht sehen",
    text:
      "Vielleicht wurde sie gelöscht, oder Sie haben keinen Zugriff darauf. Wer ihre Mitglieder verwaltet, kann Sie einladen.",
    back: "Zu Ihren Rollen",
  },
  lost: {
    title: (name) => `Sie sehen ${name} nicht mehr`,
    text:
      "Während Sie hier waren, wurde die Rolle gelöscht oder Ihr Zugriff darauf beendet. Wer ihre Mitglieder verwaltet, kann Sie wieder einladen.",
    toParent: (name) => `Zu ${name}`,
  },

  rights: {
    title: "Was die Rechte bedeuten",
    sentences: {
      roleManagement: "Rollen darunter anlegen, umbenennen, verschieben und löschen.",
      userManagement: "Personen einladen und entfernen, und sehen, wer Zugriff hat.",
      viewManagement: "Ansichten verwalten, in den Programmen, die diesen Dienst fragen.",
      deviceManagement: "Geräte hinzufügen und ändern, und schreiben, was sie messen.",
      reportManagement: "Berichte verwalten, in den Programmen, die diesen Dienst fragen.",
      alarmManagement: "Alarme verwalten, in den Programmen, die diesen Dienst fragen.",
    },
    sees: {
      name: "sieht es",
      text:
        "Jeder Weg zu einer Rolle, auch ohne ein Recht, zeigt die Rolle, alles darunter, und was ihre Geräte messen.",
    },
  },
};
