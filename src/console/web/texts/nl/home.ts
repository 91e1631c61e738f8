import type { HOME as EN } from "../en/home.ts";
import { people, plural, pluralOver, roles } from "./words.ts";

export const HOME: typeof EN = {
  roles: plural("# [rol|rollen] van jou"),
  yours: (end) => `Van jou tot ${end}`,
  until: (end) => `tot ${end}`,
  below: (n) => `${roles(n)} eronder`,
  picture: "De hiërarchie eromheen tonen",
  at: (time) => `Om ${time}`,
  lastAt: (time) => `Laatste waarde ${time}`,
  noDataFor: (time) => `Al ${time} geen gegevens`,
  noData: "Nog geen waarden",
  viewers: "Wie dit nog meer kan zien",
  people: people,
  allViewers: "Iedereen, en wat ze mogen",
  find: "Een rol eronder zoeken",
  needsLook: "Al meer dan een uur zonder gegevens",
  nothingBelow: "Onder deze rol is nog niets.",
  noneFound: "Geen rol eronder heeft dit in de naam.",
  devices: pluralOver("# [apparaat|apparaten]", "geen apparaten"),
  attention: {
    title: "Vraagt aandacht",
    waiting: pluralOver("# [uitnodiging wacht|uitnodigingen wachten]"),
    ending: pluralOver("# [lidmaatschap eindigt|lidmaatschappen eindigen] binnen 7 dagen"),
    keys: pluralOver("# [sleutel van jou verloopt|sleutels van jou verlopen] binnen 7 dagen"),
    refused: pluralOver("# [wijziging is|wijzigingen zijn] vandaag geweigerd"),
  },
};
