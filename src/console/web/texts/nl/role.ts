import type { Isolated } from "../isolated.ts";
import type { Texts } from "../en.ts";
import { capped } from "../plural.ts";
import { moreRoles, plural, roles } from "./words.ts";

const below = capped(plural("# [rol|rollen] eronder", "niets eronder"));
const lines = plural("# [regel|regels]");

export const ROLE: Texts["role"] = {
  tabs: {
    label: "Onderdelen van de rol",
    about: "Rol",
    relations: "Relaties",
    keys: "Sleutels",
  },
  subtitle: (id, children) => `Rol ${id} · ${below(children)}`,
  unseen: (id) => `Rol ${id}, die je niet mag zien`,
  change: "Wijzigen",
  menu: (name: Isolated): string => `Acties voor ${name}`,
  about: {
    passwordHint:
      "Andere gebruikers die het kennen, kunnen deze rol onder een eigen rol plaatsen. Zo laat een klant een nieuwe installateur toe.",
    passwordSet: "Het wachtwoord instellen of verwijderen",
    externalId: "ID in een ander systeem",
    rights: "Rechten op deze rol",
    self: "De leden",
    selfHint: "Leden van de rollen erboven hebben wat de relaties doorgeven.",
    around: "Eromheen",
    noParents: "Geen rol die je mag zien",
    roles: capped(roles),
    below: "In totaal eronder",
    edit: "Naam en rechten wijzigen",
    delete: "Deze rol verwijderen",
  },
  relations: {
    aboveNone: "Geen rol die je mag zien, beheert deze rol.",
    belowNone: "Er zit geen rol onder.",
    deeper: "verder naar onderen",
    changeOf: (parent, child) => `Wijzigen wat ${parent} mag doen met ${child}`,
    addParent: "Nog een toevoegen",
    move: "Verplaatsen",
    takeOver: "Overnemen met wachtwoord",
    addChild: "Bestaande toevoegen",
    create: "Nieuwe rol",
  },
  people: {
    lists: { label: "Welke personen", members: "Leden", access: "Met toegang" },
    membersHint: "Leden van deze rol zelf, niet van de rollen erboven.",
    accessHint:
      "Leden van deze rol en van elke rol erboven, personen en programma’s, met wat ze hier mogen doen.",
    invite: "Een persoon uitnodigen",
    inviteMany: "Meerdere uitnodigen",
    findMember: "Zoeken onder de leden",
    find: "Zoek op een deel van het adres",
    period: "Over een periode",
    periodHint: "Wie op enig moment in deze dagen toegang had, met alle rechten van toen.",
    lastMonth: "Vorige maand",
    periodFirst: "Kies ook de eerste dag.",
    periodFault: "De laatste dag mag niet vóór de eerste liggen, en de eerste niet in de toekomst.",
    noMembers: "Deze rol heeft geen leden. Toegang loopt via de rollen erboven.",
    notMember: "Geen lid heeft dit in het adres.",
    noAccess: "Niemand heeft toegang.",
    notFound: "Niemand past hierbij.",
    until: "Tot",
    changeOf: (email) => `Het lidmaatschap van ${email} wijzigen`,
    leave: "Deze rol verlaten",
    notYours: "Van deze rol zelf ben je geen lid.",
    dormant: "Je lidmaatschap van deze rol zelf slaapt.",
    lastMet: "Voldeed het laatst aan wat de rol eist:",
    neverMet: "Heeft voor zover bekend nog niet voldaan aan wat de rol eist",
    needs:
      "Om te zien wie lid is van een rol, heb je er gebruikersbeheer op nodig, of rolbeheer vanuit een rol erboven.",
    needsAccess:
      "Om te zien wie toegang heeft tot een rol, heb je er gebruikersbeheer op nodig, of rolbeheer vanuit een rol erboven.",
    anyRight: "maakt niet uit",
    hasLeft: "Nu geen toegang meer",
    direct: "Lid",
    through: "Via",
    hidden: plural("# [rol|rollen] die je niet mag zien"),
    others: moreRoles,
    deleted: "Verwijderd account",
    key: (name) => ["Sleutel: ", name],
    whyOf: (name) => `Waarom? De toegang van ${name}`,
    draw: "In het schema",
    drawOf: (name) => `In het schema: de rechten van ${name}`,
  },
  file: {
    save: "Opslaan als CSV",
    saving: plural("Bezig met lezen … al # [regel|regels]", "Bezig met lezen …"),
    saved: (name, n) => `Opgeslagen als ${name}, met ${lines(n)}.`,
    savedPart: (name, n) => `Opgeslagen als ${name}, met de eerste ${lines(n)}. Er zijn er meer.`,
  },
  keys: {
    hint: "Met een sleutel handelt een programma als lid van deze rol, zonder iemands wachtwoord.",
    needs:
      "Om de sleutels van een rol te zien, heb je er gebruikersbeheer op nodig, of rolbeheer vanuit een rol erboven.",
    none: "Deze rol heeft geen sleutels.",
    create: "Nieuwe sleutel",
    nameHint: "Waarvoor hij is. De naam staat in het logboek en in lijsten van wie toegang heeft.",
    nameFault: "De sleutel heeft een naam nodig, van hoogstens 256 tekens.",
    rights: "Wat hij hoogstens mag",
    rightsHint:
      "Op deze rol heeft hij ook nooit meer rechten dan de leden van de rol, en daaronder nooit meer dan de relaties doorgeven. Ook zonder enig recht ziet hij de rollen en leest hij wat hun apparaten meten.",
    days: {
      7: "over een week",
      30: "over 30 dagen",
      90: "uiterlijk over 90 dagen",
      365: "over een jaar",
    },
    asks: "Mag vragen wie toegang heeft en wat er is veranderd, voor een dienst die voor anderen beslist",
    provisions: "Met gebruikersbeheer: mag personen toevoegen, voor zover de maker dat kan",
    submit: "Sleutel maken",
    refused:
      "Een sleutel kan niet meer rechten hebben, en niet langer geldig zijn, dan je eigen lidmaatschap.",
    doubtful:
      "De verbinding is verbroken, maar misschien is de sleutel toch gemaakt. Kijk in de lijst met sleutels voordat je het opnieuw probeert.",
    full: "De rol heeft al 100 sleutels. Verwijder er een die niet meer nodig is.",
    secretTitle: "Het geheim van de nieuwe sleutel",
    secretText:
      "Geef het nu aan het programma. Het wordt alleen deze keer getoond. Raakt het kwijt, verwijder de sleutel dan en maak een nieuwe.",
    ineffective: (rights) =>
      `Voorlopig zonder effect: ${rights}. Noch de rol zelf noch een relatie eronder heeft ze.`,
    tryTitle: "Probeer het",
    tryText: "Met deze opdracht in een terminal toont de sleutel de eerste rollen die hij ziet.",
    copyCommand: "Opdracht kopiëren",
    adopt: "Overnemen",
    adoptOf: (name) => `De sleutel ${name} overnemen`,
    adoptTitle: "Deze sleutel overnemen?",
    adoptText:
      "Daarna geld jij als de maker. De sleutel krijgt een nieuw geheim, dat één keer wordt getoond; het oude eindigt meteen, dus het programma heeft het nieuwe nodig.",
    adoptSubmit: "Sleutel overnemen",
    adoptRefused:
      "Je hebt zelf de rechten van de sleutel nodig, en een lidmaatschap dat niet eerder eindigt.",
    makerLeft:
      "De maker heeft geen toegang meer tot deze rol, dus de sleutel geeft niets door aan anderen. Neem hem over of verwijder hem.",
    noMaker:
      "Je ziet niet wie hem heeft gemaakt: iemand via een hogere rol die je niet ziet, een beheerder, of een verwijderd account. Neem hem over als jij ervoor instaat.",
    secretDone: "Ik heb het bewaard",
    used: "Laatst gebruikt",
    unused: "Nooit gebruikt",
    madeBy: "Gemaakt door",
    mayAsk: "Mag vragen wie toegang heeft",
    mayProvision: "Mag personen toevoegen",
    delete: "Verwijderen",
    deleteOf: (name) => `De sleutel ${name} verwijderen`,
    deleteTitle: "Deze sleutel verwijderen?",
    deleteText:
      "Het programma dat hem gebruikt, verliest meteen zijn toegang. Dat kan niet ongedaan worden gemaakt.",
    deleteSubmit: "Sleutel verwijderen",
    deleted: "De sleutel is verwijderd.",
  },
  changes: {
    needs:
      "Om alle wijzigingen van een rol te zien, heb je er gebruikersbeheer op nodig, of rolbeheer vanuit een rol erboven.",
  },
};
