import type { Texts } from "../en.ts";
import { countIn } from "../plural.ts";

const count = countIn("nl");

export const DEVICES: Texts["devices"] = {
  title: "Apparaten",
  filters: "Welke apparaten",
  idLabel: "Node-ID, naam of nummer",
  idHint: "Een deel van de ID of naam, of het hele nummer",
  roleLabel: "Bewaakt door de rol",
  search: "Zoeken",
  clear: "Alle tonen",
  none: "Je rollen, en de rollen eronder, bewaken geen apparaten.",
  noneOfRole: "Deze rol bewaakt geen apparaten.",
  noneBelow: "Deze rol bewaakt geen apparaten, en de rollen eronder ook niet.",
  noneFound: "Geen apparaat dat je mag zien, past hierbij.",
  noneYet: "Nog geen bij de eerste.",
  noneHere: (n, isMore) =>
    `Hier geen, ${isMore ? "meer dan " : ""}${count(n, { one: "apparaat", other: "apparaten" })} eronder.`,
  showBelow: "Die tonen",
  extent: "Van welke rollen",
  ofRole: "Van deze rol",
  withBelow: "En eronder",
  type: "Type",
  allTypes: "Alle typen",
  property: "Eigenschap",
  propertyValue: "Waarde ervan",
  propertyFault: 'Zonder " en \\.',
  monitoredBy: "Bewaakt door",
  alsoMonitoredBy: "Ook bewaakt door",
  moreRoles: (n) => `en nog ${count(n, { one: "rol", other: "rollen" })}`,
  device: (id) => `Apparaat ${id}`,
  ended: {
    title: "Vroegere apparaten",
    yours: "Voor jou leesbaar",
    text:
      "Geen rol van jou bewaakt dit apparaat nog. Wat in die tijd is gemeten mag je nog lezen; wat het nu is, zie je niet meer.",
  },
  unknownTitle: "Dit apparaat bestaat niet",
  unknownText:
    "Misschien is het verwijderd, of ben je geen lid van een rol die het bewaakt of van een rol daarboven.",
  all: "Alle apparaten",
  changed: (time) => `Gewijzigd op ${time}`,
  details: "Over dit apparaat",
  mayChange: "Je mag dit apparaat wijzigen en de metingen ervan schrijven.",
  mayRead:
    "Je mag dit apparaat en de metingen ervan bekijken. Om het te wijzigen heb je apparaatbeheer nodig op een rol die het bewaakt, of rolbeheer daarop vanuit een rol erboven.",
  yourRights: "Je rechten op de rollen die het bewaken",
  properties: "Eigenschappen",
  yes: "ja",
  no: "nee",
  nothing: "leeg",
  entries: (n) => count(n, { one: "item", other: "items" }),
  characters: (n) => count(n, { one: "teken", other: "tekens" }),

  measurements: "Metingen",
  noSeries:
    "Dit apparaat zegt niet wat het meet. In de eigenschap nodeInfluxSeries staan de reeksen, elk met database, measurement en fields.",
  unreadable: (n) =>
    `${
      count(n, { one: "item van nodeInfluxSeries kan", other: "items van nodeInfluxSeries kunnen" })
    } niet worden getoond: elk item heeft een database, een measurement en een lijst met fields nodig.`,
  seriesPages: "Meer metingen",
  previousSeries: "Vorige metingen",
  nextSeries: "Volgende metingen",
  pageOf: (page, pages) => `Pagina ${page} van ${pages}`,
  explain: (time) =>
    `Elk punt staat voor ${time}: de lijn is het gemiddelde, en de band om een enkele lijn loopt van de laagste tot de hoogste waarde. Sleep over een grafiek om in te zoomen; dubbelklik om terug te gaan.`,
  edges: (times) =>
    `Een streepjeslijn geeft aan waar de tijd die je mag lezen begint of eindigt: ${times.join("; ")}.`,
  onlyHours: "Van deze tijd worden alleen waarden per uur bewaard.",
  clipped: "Je mag maar een deel van deze tijd lezen: in de rest bewaakten andere rollen het apparaat.",
  arrangement: { label: "Indeling", together: "Over elkaar", each: "Elk apart" },
  lines: "Lijnen",
  moreLines: (n) => `${count(n, { one: "andere lijn wordt", other: "andere lijnen worden" })} niet getekend.`,
  noLines: "Er is geen lijn gekozen.",
  files: {
    label: "Deze grafiek opslaan",
    csv: "Opslaan als CSV",
    png: "Opslaan als PNG",
    saved: (file) => `Opgeslagen als ${file}.`,
  },
  time: "Tijd",
  presets: { label: "Tijdsduur", day: "Dag", week: "Week", month: "Maand", year: "Jaar" },
  days: {
    choose: "Dagen kiezen",
    first: "Eerste dag",
    last: "Laatste dag",
    show: "Deze dagen tonen",
    faults: {
      missing: "Beide dagen zijn nodig.",
      order: "De laatste dag ligt voor de eerste.",
      tooLong: "Dat is meer dan tien jaar.",
    },
  },
  earlier: "Eerder",
  later: "Later",
  closer: "Inzoomen",
  wider: "Uitzoomen",
  reset: "Terug naar nu",
  summary: (lowest, mean, highest) => `Laagste ${lowest} · Gemiddelde ${mean} · Hoogste ${highest}`,
  latest: (value, time) => `Laatst ${value} (${time})`,
  plot: (field, time, summary) => `${field}, ${time}: ${summary}. De tabel hieronder bevat de waarden.`,
  asTable: "Als tabel tonen",
  table: (field, time) => `Waarden van ${field}, ${time}`,
  from: "Vanaf",
  lowest: "Laagste",
  mean: "Gemiddelde",
  highest: "Hoogste",
  values: "Waarden",
  never: "Er is nog niets gemeten, of het wordt niet meer bewaard.",
  latestValue: (time) => `Laatste waarde, van ${time}:`,
  showLatest: "Die tijd tonen",
  lacks: {
    empty: "In deze periode is niets gemeten.",
    forbidden:
      "Je mag deze metingen niet lezen: daarvoor moet je lid zijn van een rol die het apparaat bewaakt, of van een rol daarboven.",
    notNumbers: "Deze waarden zijn geen getallen en kunnen dus niet worden getekend.",
    refused: "Deze reeks kan niet worden gelezen: de dienst begrijpt niet hoe het apparaat die beschrijft.",
  },
  tooMuch: "Er zijn te veel waarden in deze periode. Kies een kortere.",
  tooOften: (time) =>
    `Je hebt zoveel metingen gelezen als nu is toegestaan. Over ${time} worden ze opnieuw gelezen.`,
  away: "De metingen kunnen op dit moment niet worden gelezen.",
};
