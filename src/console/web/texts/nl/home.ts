import type { HOME as EN } from "../en/home.ts";
import { countIn } from "../plural.ts";

const count = countIn("nl");

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
  noneFound: "Geen rol eronder begint zo.",
  devices: (n, hasMore) =>
    n === 0 ? "geen apparaten" : count(n, { one: "apparaat", other: "apparaten" }, hasMore),
};
