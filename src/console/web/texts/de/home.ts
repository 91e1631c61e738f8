import type { HOME as EN } from "../en/home.ts";
import { countIn, type Forms } from "../plural.ts";

const count = countIn("de");

function some(n: number, forms: Forms, isMore: boolean): string {
  return `${isMore ? "mehr als " : ""}${count(n, forms)}`;
}

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
  noneFound: "Keine Rolle darunter hat das im Namen.",
  devices: (n, hasMore) => n === 0 ? "keine Geräte" : some(n, { one: "Gerät", other: "Geräte" }, hasMore),
  attention: {
    title: "Braucht Aufmerksamkeit",
    waiting: (n, isMore) => some(n, { one: "Einladung steht aus", other: "Einladungen stehen aus" }, isMore),
    ending: (n, isMore) =>
      `${
        some(n, { one: "Mitgliedschaft endet", other: "Mitgliedschaften enden" }, isMore)
      } in den nächsten 7 Tagen`,
    keys: (n, isMore) =>
      `${
        some(n, { one: "Ihrer Schlüssel läuft", other: "Ihrer Schlüssel laufen" }, isMore)
      } in den nächsten 7 Tagen ab`,
    refused: (n, isMore) =>
      `${some(n, { one: "Änderung wurde", other: "Änderungen wurden" }, isMore)} heute abgelehnt`,
  },
};
