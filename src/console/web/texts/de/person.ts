import type { Texts } from "../en.ts";

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
