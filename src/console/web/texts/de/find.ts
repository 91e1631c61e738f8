import type { Texts } from "../en.ts";
import { countIn } from "../plural.ts";

const count = countIn("de");

export const FIND: Texts["find"] = {
  hint: "Rolle, Person, Gerät, Seite oder Aktion",
  kinds: {
    mine: "Ihre Rolle",
    recent: "Kürzlich",
    role: "Rolle",
    person: "Person",
    device: "Gerät",
    page: "Seite",
    action: "Aktion",
  },
  below: (names) => `unter ${names.join(", ")}`,
  more: { role: "Mehr Rollen", person: "Mehr Personen", device: "Mehr Geräte" },
  hits: (n) => count(n, { one: "Treffer", other: "Treffer" }),
  none: "Nichts, was Sie sehen dürfen, heißt so. Personen findet man mit ihrer E-Mail-Adresse.",
  noRole: "Keine Rolle, die Sie sehen dürfen, heißt so.",
  beginning: "Hier steht nur, was so beginnt.",
  short: "Hier steht nur, was so beginnt. Ab drei Zeichen wird jeder Teil eines Namens gefunden.",
  others: "Es gibt mehr. Geben Sie mehr vom Namen ein.",
  actions: {
    invite: "Eine Person in {role} einladen",
    inviteMany: "Mehrere Personen in {role} einladen",
    create: "Neue Rolle unter {role}",
    why: "Warum: Rechte einer Person für {role}",
    people: "Personen mit Zugriff auf {role}",
    devices: "Geräte von {role}",
    addDevice: "Ein Gerät zu {role} hinzufügen",
    handOver: "Geräte von {role} übergeben",
    edit: "Name und Rechte von {role} ändern",
    move: "{role} verschieben",
    delete: "{role} löschen",
  },
  keys: {
    title: "Tasten",
    names: "Strg Pos1 Ende Eingabe Esc",
    find: "Eine Rolle, Person, Seite oder Aktion oder ein Gerät suchen",
    show: "Diese Tasten anzeigen",
    move: "In einem Bild zum nächsten Kasten in dieser Richtung, in einer Trefferliste auf und ab",
    menu: "In einem Bild: was Sie mit der gezeigten Rolle tun dürfen",
    ends: "In einer Trefferliste zum ersten, zum letzten",
    open: "Öffnen oder ausführen",
    undo: "Die Änderung rückgängig machen, die eine Meldung nennt",
    leave: "Ein Fenster schließen oder ein Formular verlassen",
  },
};
