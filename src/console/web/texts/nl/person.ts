import type { Texts } from "../en.ts";

export const PERSON: Texts["person"] = {
  id: (id) => `Persoon ${id}`,
  you: "Dit ben je zelf.",
  left: (time) =>
    `${
      time === null ? "Geen" : `Sinds ${time} geen`
    } toegang tot rollen die je beheert. Wat deze persoon heeft gegeven, is misschien nog van kracht: zie hieronder.`,
  reach: "Waar je bij kunt",
  unknownTitle: "Hier is niemand die je mag zien",
  unknownText:
    "Je ziet de personen met toegang tot rollen waarvan je de leden beheert. Deze persoon heeft die niet, of bestaat niet. Wie de leden van andere rollen beheert, ziet deze persoon misschien wel.",
  log: "Wat deze persoon deed",
  concerns: "Wat deze persoon betreft",
  draw: "Rechten in het schema",
  endBelow: (role) => `Alle toegang onder ${role} beëindigen …`,
  memberOf: "Lid van",
  memberNone: "Van geen rol waarvan je de leden beheert.",
  reaches: (roles) => `bereikt ${roles} daaronder`,
  until: (end) => `tot ${end}`,
  change: "Wijzigen",
  changeOf: (role) => `Wijzigen: lidmaatschap van ${role}`,
  removeOf: (role) => `Verwijderen: lidmaatschap van ${role}`,
  access: "Wat deze persoon bereikt",
  accessHint: "Van de rollen waarvan je de leden beheert.",
  accessNone: "Geen rol waarvan je de leden beheert.",
  find: "Zoek op een deel van de naam",
  findNone: "Deze persoon bereikt geen rol met zo’n naam.",
  keys: "Gemaakte sleutels",
  keysNone: "Geen die je mag zien.",
  made: (date) => `gemaakt op ${date}`,
  ends: (date) => `eindigt op ${date}`,
  gave: "Gegeven, en nog van kracht",
  gaveNone: "Niets dat je mag zien.",
  membership: (person) => ["Lidmaatschap van ", person],
  set: (date) => `ingesteld op ${date}`,
  relation: (parent, child) => [parent, " beheert ", child],
  latest: "Laatste wijzigingen door deze persoon",
  all: "Alle wijzigingen door deze persoon",
  under: "Bij en onder welke rol",
};
