import type { HOME as EN } from "../en/home.ts";
import { countIn } from "../plural.ts";

const count = countIn("de");

export const HOME: typeof EN = {
  title: "Start",
  roles: (n) => `Ihre ${count(n, { one: "Rolle", other: "Rollen" })}`,
  yours: (end) => `Für Sie bis ${end}`,
  until: (end) => `bis ${end}`,
  below: (n) => `${count(n, { one: "Rolle", other: "Rollen" })} darunter`,
  picture: "Die Hierarchie darum herum zeigen",
  at: (time) => `Um ${time} Uhr`,
  lastAt: (time) => `Letzter Wert ${time}`,
  noDataFor: (time) => `${time} ohne Daten`,
  noData: "Noch keine Werte",
  viewers: "Wer das noch sehen kann",
  people: (n, isPart) => count(n, { one: "Person", other: "Personen" }, isPart),
  allViewers: "Alle, und was sie dürfen",
  find: "Eine Rolle darunter suchen",
  needsLook: "Seit über einer Stunde ohne Daten",
  nothingBelow: "Unter dieser Rolle ist noch nichts.",
  noneFound: "Keine Rolle darunter beginnt so.",
  devices: (n, hasMore) => n === 0 ? "keine Geräte" : count(n, { one: "Gerät", other: "Geräte" }, hasMore),
};
