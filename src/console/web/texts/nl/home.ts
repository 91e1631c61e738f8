import type { HOME as EN } from "../en/home.ts";
import { countIn, type Forms } from "../plural.ts";

const count = countIn("nl");

function some(n: number, forms: Forms, isMore: boolean): string {
  return `${isMore ? "meer dan " : ""}${count(n, forms)}`;
}

export const HOME: typeof EN = {
  title: "Start",
  roles: (n) => count(n, { one: "rol van jou", other: "rollen van jou" }),
  yours: (end) => `Van jou tot ${end}`,
  until: (end) => `tot ${end}`,
  below: (n) => `${count(n, { one: "rol", other: "rollen" })} eronder`,
  picture: "De hiërarchie eromheen tonen",
  at: (time) => `Om ${time}`,
  lastAt: (time) => `Laatste waarde ${time}`,
  noDataFor: (time) => `Al ${time} geen gegevens`,
  noData: "Nog geen waarden",
  viewers: "Wie dit nog meer kan zien",
  people: (n, isPart) => count(n, { one: "persoon", other: "personen" }, isPart),
  allViewers: "Iedereen, en wat ze mogen",
  find: "Een rol eronder zoeken",
  needsLook: "Al meer dan een uur zonder gegevens",
  nothingBelow: "Onder deze rol is nog niets.",
  noneFound: "Geen rol eronder heeft dit in de naam.",
  devices: (n, hasMore) =>
    n === 0 ? "geen apparaten" : some(n, { one: "apparaat", other: "apparaten" }, hasMore),
  attention: {
    title: "Vraagt aandacht",
    waiting: (n, isMore) => some(n, { one: "uitnodiging wacht", other: "uitnodigingen wachten" }, isMore),
    ending: (n, isMore) =>
      `${some(n, { one: "lidmaatschap eindigt", other: "lidmaatschappen eindigen" }, isMore)} binnen 7 dagen`,
    keys: (n, isMore) =>
      `${
        some(n, { one: "sleutel van jou verloopt", other: "sleutels van jou verlopen" }, isMore)
      } binnen 7 dagen`,
    refused: (n, isMore) =>
      `${some(n, { one: "wijziging is", other: "wijzigingen zijn" }, isMore)} vandaag geweigerd`,
  },
};
