import type { HOME as EN } from "../en/home.ts";
import { people, pluralOver, roles } from "./words.ts";

export const HOME: typeof EN = {
  roles: (n) => `Ihre ${roles(n)}`,
  yours: (end) => `Für Sie bis ${end}`,
  until: (end) => `bis ${end}`,
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
