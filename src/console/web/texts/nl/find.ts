import type { Texts } from "../en.ts";
import { countIn } from "../plural.ts";

const count = countIn("nl");

export const FIND: Texts["find"] = {
  hint: "Rol, persoon, apparaat, pagina of actie",
  kinds: {
    mine: "Jouw rol",
    recent: "Onlangs",
    role: "Rol",
    person: "Persoon",
    device: "Apparaat",
    page: "Pagina",
    action: "Actie",
  },
  below: (names) => `onder ${names.join(", ")}`,
  more: { role: "Meer rollen", person: "Meer personen", device: "Meer apparaten" },
  hits: (n) => count(n, { one: "resultaat", other: "resultaten" }),
  none: "Niets wat je mag zien, heet zo. Personen vind je met hun e-mailadres.",
  noRole: "Geen rol die je mag zien, heet zo.",
  beginning: "Alleen wat zo begint, wordt getoond.",
  short: "Alleen wat zo begint, wordt getoond. Vanaf drie tekens wordt elk deel van een naam gevonden.",
  others: "Er zijn er meer. Typ meer van de naam.",
  actions: {
    invite: "Een persoon uitnodigen voor {role}",
    inviteMany: "Meerdere personen uitnodigen voor {role}",
    create: "Nieuwe rol onder {role}",
    why: "Waarom: de rechten van een persoon op {role}",
    people: "Personen met toegang tot {role}",
    devices: "Apparaten van {role}",
    addDevice: "Een apparaat toevoegen aan {role}",
    handOver: "Apparaten van {role} overdragen",
    edit: "Naam en rechten van {role} wijzigen",
    move: "{role} verplaatsen",
    delete: "{role} verwijderen",
  },
  keys: {
    title: "Toetsen",
    names: "Ctrl Home End Enter Esc",
    find: "Een rol, persoon, apparaat, pagina of actie zoeken",
    show: "Deze toetsen tonen",
    move: "In een schema naar het volgende vak in die richting, in een lijst met resultaten omhoog en omlaag",
    menu: "In een schema: wat je met de getoonde rol mag doen",
    ends: "In een lijst met resultaten naar het eerste of het laatste",
    open: "Openen of uitvoeren",
    undo: "De wijziging uit een melding ongedaan maken",
    leave: "Een venster sluiten of een formulier verlaten",
  },
};
