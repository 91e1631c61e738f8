import type { Texts } from "../en.ts";
import { countIn } from "../plural.ts";

const count = countIn("nl");

export const WHY: Texts["why"] = {
  title: "Waarom?",
  intro:
    "Vraag waarom iemand een recht op een rol heeft, of juist niet. Het adres van deze pagina is de vraag: deel het gerust.",
  person: "Persoon",
  personHint:
    "Typ een deel van het e-mailadres, en kies, of typ het hele adres. Vul je niets in, dan gaat het over jou.",
  role: "Rol",
  right: "Recht",
  chooseRight: "Kies een recht",
  asOf: "Wanneer",
  asOfHint: "Vul je niets in, dan gaat het over nu.",
  you: "Jij",
  key: (id) => `Sleutel ${id}`,
  aboutKey: (id) => `Over sleutel ${id}.`,
  notKey: "Naar een persoon vragen",
  incomplete: "Kies een rol en een recht, dan staat hier het antwoord.",
  past: "Het antwoord gaat over het verleden. De namen, en wat je mag zien, zijn die van nu.",

  forYou: {
    has: ({ right, role }) => ["Je hebt ", right, " op ", role, "."],
    hasNot: ({ right, role }) => ["Je hebt geen ", right, " op ", role, "."],
    had: ({ right, role }) => ["Je had ", right, " op ", role, "."],
    hadNot: ({ right, role }) => ["Je had geen ", right, " op ", role, "."],
  },
  forThem: {
    has: ({ who, right, role }) => [who, " heeft ", right, " op ", role, "."],
    hasNot: ({ who, right, role }) => [who, " heeft geen ", right, " op ", role, "."],
    had: ({ who, right, role }) => [who, " had ", right, " op ", role, "."],
    hadNot: ({ who, right, role }) => [who, " had geen ", right, " op ", role, "."],
  },
  seeing: {
    forYou: {
      has: ({ role }) => ["Je ziet ", role, "."],
      hasNot: ({ role }) => ["Je ziet ", role, " niet."],
      had: ({ role }) => ["Je zag ", role, "."],
      hadNot: ({ role }) => ["Je zag ", role, " niet."],
    },
    forThem: {
      has: ({ who, role }) => [who, " ziet ", role, "."],
      hasNot: ({ who, role }) => [who, " ziet ", role, " niet."],
      had: ({ who, role }) => [who, " zag ", role, "."],
      hadNot: ({ who, role }) => [who, " zag ", role, " niet."],
    },
  },
  ways: (n) => n === 1 ? "Het komt er langs één weg." : `Het komt er langs ${count(n, { other: "wegen" })}.`,
  manyWays: (n) => `Het komt er langs ${n} wegen, en misschien langs meer.`,
  alsoLost: (n) =>
    n === 1
      ? "Langs één andere weg gaat het verloren."
      : `Langs ${count(n, { other: "andere wegen" })} gaat het verloren.`,
  lostInPlaces: (n) => `Langs de beste weg gaat het op ${count(n, { other: "plaatsen" })} verloren:`,
  lostAt: ({ parent, child }) => ["Het gaat verloren op de relatie van ", parent, " naar ", child, "."],
  lostHidden: "Het gaat verloren op een relatie die je niet mag zien.",
  lostAtMember: (role) => ["Het zit niet in het lidmaatschap van ", role, "."],
  lostAtHiddenMember: "Het zit niet in het lidmaatschap waarmee de weg begint.",
  lostAtRole: (role) => ["Leden van ", role, " hebben het op die rol zelf niet."],
  moreBlocked: (n) =>
    n === 1
      ? "Er leidt nog één weg naartoe, en ook daar gaat het verloren."
      : `Er leiden nog ${n} wegen naartoe, en op elk daarvan gaat het verloren.`,
  invite: "Deze persoon uitnodigen",
  relate: "Een rol erboven toevoegen",
  noWay: {
    you:
      "Je bent geen lid van deze rol, en ook niet van een rol erboven. Wie de leden ervan beheert, kan je uitnodigen.",
    they: "Deze persoon is geen lid van deze rol, en ook niet van een rol erboven.",
    mayNotAsk:
      "Je mag hier niet naar anderen vragen. Wie de leden van de rol beheert, mag dat wel, en kan personen uitnodigen.",
  },
  dormant: (
    role,
    needs,
  ) => ["Je lidmaatschap van ", role, ` slaapt in deze sessie: met ${needs} zou je het hebben.`],
  dormantHidden: (needs) =>
    `Een van je lidmaatschappen slaapt in deze sessie: met ${needs} zou je het hebben.`,
  onlyWith: (needs) => `Alleen in een sessie waarin deze persoon ${needs} heeft gebruikt.`,
  dormantMark: "slaapt",
  unknownRole: (id) => `rol ${id}`,
  unseenRole:
    "Deze rol bestaat niet, of je mag die niet zien. Wie de leden ervan beheert, kan je uitnodigen.",
  truncated: "Er leiden te veel relaties naar deze rol om ze allemaal te tonen: er kunnen meer wegen zijn.",
  hiddenRole: "een rol die je niet mag zien",

  fix: {
    title: "Wat hiervoor nodig is",
    all: "Dit is allemaal nodig:",
    relation: ({ parent, child }, right) => [
      "Voeg ",
      right,
      " toe aan de relatie van ",
      parent,
      " naar ",
      child,
      ".",
    ],
    role: (role, right) => ["Voeg ", right, " toe aan wat leden van ", role, " op die rol mogen doen."],
    member: (role, right) => ["Voeg ", right, " toe aan het lidmaatschap van ", role, "."],
    hidden: "Er moet iets veranderen wat je niet mag zien. Wie de rollen erboven beheert, kan dat doen.",
    look: "Bekijken wat dat zou doen",
    mayNot: "Dat mag je niet wijzigen. Wie beide rollen beheert, kan het wel.",
    mayNotMember: "Dat mag je niet wijzigen. Wie de leden van de rol beheert, kan het wel.",
  },

  picture: "De wegen van de lidmaatschappen naar de rol",
  notDrawn: (n) => count(n, { one: "andere weg is niet getekend", other: "andere wegen zijn niet getekend" }),
  hiddenBox: "Niet voor jou zichtbaar",
  link: (parent, child) => `${parent} beheert ${child}`,
  linkOfMember: (who, role) => `${who}: lid van ${role}`,
  lostHere: (right) => `${right} gaat hier verloren`,

  problems: {
    future: "Die tijd is nog niet voorbij. Kies een tijd in het verleden.",
    BEFORE_HISTORY: "Zo ver gaat de bewaarde geschiedenis niet terug.",
    tooLarge: "Er leidden te veel relaties naar deze rol om ze terug in de tijd te volgen.",
  },
};
