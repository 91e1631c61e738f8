import type { Texts } from "../en.ts";
import { parts } from "../parts.ts";
import { plural } from "./words.ts";

export const WHY: Texts["why"] = {
  title: "Waarom?",
  intro:
    "Vraag waarom iemand een recht op een rol heeft, of juist niet. Het adres van deze pagina is de vraag: deel het gerust.",
  personHint:
    "Typ een deel van het e-mailadres, en kies, of typ het hele adres. Vul je niets in, dan gaat het over jou.",
  right: "Recht",
  chooseRight: "Kies een recht",
  asOf: "Wanneer",
  asOfHint: "Vul je niets in, dan gaat het over nu.",
  key: (id) => `Sleutel ${id}`,
  aboutKey: (id) => `Over sleutel ${id}.`,
  notKey: "Naar een persoon vragen",
  incomplete: "Kies een rol en een recht, dan staat hier het antwoord.",
  past: "Het antwoord gaat over het verleden. De namen, en wat je mag zien, zijn die van nu.",

  forYou: {
    has: ({ right, role }) => parts`Je hebt ${right} op ${role}.`,
    hasNot: ({ right, role }) => parts`Je hebt geen ${right} op ${role}.`,
    had: ({ right, role }) => parts`Je had ${right} op ${role}.`,
    hadNot: ({ right, role }) => parts`Je had geen ${right} op ${role}.`,
  },
  forThem: {
    has: ({ who, right, role }) => parts`${who} heeft ${right} op ${role}.`,
    hasNot: ({ who, right, role }) => parts`${who} heeft geen ${right} op ${role}.`,
    had: ({ who, right, role }) => parts`${who} had ${right} op ${role}.`,
    hadNot: ({ who, right, role }) => parts`${who} had geen ${right} op ${role}.`,
  },
  seeing: {
    forYou: {
      has: ({ role }) => parts`Je ziet ${role}.`,
      hasNot: ({ role }) => parts`Je ziet ${role} niet.`,
      had: ({ role }) => parts`Je zag ${role}.`,
      hadNot: ({ role }) => parts`Je zag ${role} niet.`,
    },
    forThem: {
      has: ({ who, role }) => parts`${who} ziet ${role}.`,
      hasNot: ({ who, role }) => parts`${who} ziet ${role} niet.`,
      had: ({ who, role }) => parts`${who} zag ${role}.`,
      hadNot: ({ who, role }) => parts`${who} zag ${role} niet.`,
    },
  },
  ways: plural("Het komt er langs [één weg|# wegen]."),
  manyWays: (n) => `Het komt er langs ${n} wegen, en misschien langs meer.`,
  alsoLost: plural("Langs [één andere weg|# andere wegen] gaat het verloren."),
  lostInPlaces: plural("Langs de beste weg gaat het op # plaatsen verloren:"),
  lostAt: ({ parent, child }) => parts`Het gaat verloren op de relatie van ${parent} naar ${child}.`,
  lostHidden: "Het gaat verloren op een relatie die je niet mag zien.",
  lostAtMember: (role) => parts`Het zit niet in het lidmaatschap van ${role}.`,
  lostAtHiddenMember: "Het zit niet in het lidmaatschap waarmee de weg begint.",
  lostAtRole: (role) => parts`Leden van ${role} hebben het op die rol zelf niet.`,
  moreBlocked: plural(
    "[Er leidt nog één weg naartoe, en ook daar|Er leiden nog # wegen naartoe, en op elk daarvan] gaat het verloren.",
  ),
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
  ) => parts`Je lidmaatschap van ${role} slaapt in deze sessie: met ${needs} zou je het hebben.`,
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
    relation: ({ parent, child }, right) =>
      parts`Voeg ${right} toe aan de relatie van ${parent} naar ${child}.`,
    role: (role, right) => parts`Voeg ${right} toe aan wat leden van ${role} op die rol mogen doen.`,
    member: (role, right) => parts`Voeg ${right} toe aan het lidmaatschap van ${role}.`,
    hidden: "Er moet iets veranderen wat je niet mag zien. Wie de rollen erboven beheert, kan dat doen.",
    look: "Bekijken wat dat zou doen",
    mayNot: "Dat mag je niet wijzigen. Wie beide rollen beheert, kan het wel.",
    mayNotMember: "Dat mag je niet wijzigen. Wie de leden van de rol beheert, kan het wel.",
  },

  picture: "De wegen van de lidmaatschappen naar de rol",
  notDrawn: plural("# andere [weg is|wegen zijn] niet getekend"),
  hiddenBox: "Niet voor jou zichtbaar",
  link: (parent, child) => `${parent} beheert ${child}`,
  linkOfMember: (who, role) => `${who}: lid van ${role}`,
  lostHere: (right) => `${right} gaat hier verloren`,

  problems: {
    future: "Die tijd ligt in de toekomst. Kies een tijd in het verleden.",
    BEFORE_HISTORY: "Zo ver gaat de bewaarde geschiedenis niet terug.",
    tooLarge: "Er leidden te veel relaties naar deze rol om ze terug in de tijd te volgen.",
  },
};
