import type { Texts } from "../en.ts";
import { capped, countBoth } from "../plural.ts";
import { plural } from "./words.ts";

const bare = capped(plural("#"));

export const HIERARCHY: Texts["hierarchy"] = {
  skip: "Het schema overslaan",
  picture: "Het schema",
  role: (id) => `Rol ${id}`,
  box: (name, rights) => `${name}: ${rights}`,
  boxMore: countBoth(
    plural("# [rol|rollen] meer direct erboven"),
    plural("# [rol|rollen] meer direct eronder"),
  ),
  boxBelow: capped(plural("# [rol|rollen] eronder")),
  relation: (parent, child, rights) => `${parent} beheert ${child}: ${rights}`,
  relationLoses: (parent, child, rights, lost) =>
    `${parent} beheert ${child}: ${rights}. Gaat hier verloren: ${lost}`,
  noAccess: "geen toegang",
  notKnown: "niet zichtbaar voor je",
  more: (n) => `+ ${n}`,

  toBe: {
    title: "Het schema toont hoe het zou worden:",
    lost: "zou verloren gaan",
    gained: "zou erbij komen",
    new: "zou nieuw zijn",
    deleted: "zou worden verwijderd",
    unsure: "kan veranderen",
  },

  below: (children, shown, descendants) => {
    if (children === 0) return "Er zit niets onder";
    const total = bare(children);
    const first = shown < children ? `${bare(shown)} van ${total} direct eronder` : `${total} direct eronder`;
    return `${first} · ${bare(descendants)} in totaal`;
  },
  moreChildren: (n) => `De volgende ${n} tonen`,
  pictureFull: "Alle in een lijst zien",
  above: plural("# [rol|rollen] erboven"),
  openAbove: "Alle niveaus tonen",
  zoom: { label: "Grootte van het schema", out: "Kleiner", in: "Groter", whole: "100%", fit: "Passend" },

  person: {
    rightsOf: "Rechten van",
    you: "jou",
    memberOf: "lid van",
    memberElsewhere: "lid van een rol die je niet ziet",
    hint: "Met het begin vind je wie toegang heeft. Van een ander typ je het hele adres.",
    yours: "Je eigen rechten tonen",
    people: (name) => `Personen met toegang tot ${name}`,
    nobody: "Geen adres begint zo.",
    notForYou: "Je mag niet zien wie toegang heeft tot deze rol.",
    badAddress: (text) => `‘${text}’ is geen e-mailadres. Het schema toont je eigen rechten.`,
    noAccess: "Deze persoon heeft tot geen van deze rollen toegang, of het adres is hier niet bekend.",
    mayNotAsk: "Je mag niet zien wat anderen op deze rollen mogen doen. Daarvoor is gebruikersbeheer nodig.",
  },

  empty: {
    title: "Je bent van geen enkele rol lid",
    text: "Iemand die de leden van een rol beheert, kan je toevoegen.",
    address: "Geef het adres van je account door:",
  },
  dormant: {
    title: "Je hebt slapende lidmaatschappen",
    text: "Een van je lidmaatschappen slaapt; misschien komt het daardoor. Hierboven staat wat je kunt doen.",
  },
  past: {
    show: "In het verleden",
    asOf: (time) => `Zoals het was op ${time}`,
    after: (revision) => `Zoals het was na revisie ${revision}`,
    back: "Terug naar nu",
    began: (time) => `De bewaarde geschiedenis begint op ${time}.`,
    none: "De rol was er toen niet, of je mag die niet zien",
    noPeople: "Niemand had toegang, of je mag niet zien wie.",
  },
  gone: {
    title: "Deze rol bestaat niet, of je mag die niet zien",
    text:
      "Misschien is die verwijderd, of heb je er geen toegang toe. Wie de leden ervan beheert, kan je uitnodigen.",
    back: "Naar je rollen",
  },
  lost: {
    title: (name) => `Je ziet ${name} niet meer`,
    text:
      "Terwijl je keek, is de rol verwijderd of is je toegang weggenomen. Wie de leden ervan beheert, kan je opnieuw uitnodigen.",
    toParent: (name) => `Naar ${name}`,
  },

  rights: {
    title: "Wat de rechten betekenen",
    sentences: {
      roleManagement: "Rollen eronder maken, en ze hernoemen, verplaatsen en verwijderen.",
      userManagement: "Personen uitnodigen en verwijderen, en zien wie toegang heeft.",
      viewManagement: "Weergaven beheren, in de programma’s die deze dienst raadplegen.",
      deviceManagement: "Apparaten toevoegen en wijzigen, en schrijven wat ze meten.",
      reportManagement: "Rapporten beheren, in de programma’s die deze dienst raadplegen.",
      alarmManagement: "Alarmen beheren, in de programma’s die deze dienst raadplegen.",
    },
    sees: {
      name: "ziet het",
      text:
        "Elke weg naar een rol, ook zonder een recht, toont de rol, alles eronder, en wat de apparaten meten.",
    },
  },
};
