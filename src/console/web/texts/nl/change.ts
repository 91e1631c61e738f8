import type { Isolated } from "../isolated.ts";
import type { RightName } from "../../../../role/rights.ts";
import type { Texts } from "../en.ts";
import type { components } from "../../openapi_types.ts";
import { capitalized, countAllIn, countIn, type Forms } from "../plural.ts";

const count = countIn("nl");
const countAll = countAllIn("nl");
const numbers = new Intl.NumberFormat("nl");
const lists = new Intl.ListFormat("nl");

const KINDS: Readonly<Record<RightName, string>> = {
  roleManagement: "rol",
  userManagement: "gebruikers",
  viewManagement: "weergave",
  deviceManagement: "apparaat",
  reportManagement: "rapport",
  alarmManagement: "alarm",
};

/** "rol-, gebruikers- en weergavebeheer". */
function list(rights: readonly RightName[]): string {
  if (rights.length === Object.keys(KINDS).length) return "alle zes rechten";
  return lists.format(rights.map((name, i) => KINDS[name] + (i < rights.length - 1 ? "-" : "beheer")));
}

function people(n: number): string {
  return count(n, { one: "persoon", other: "personen" });
}

const ROLES: Forms = { one: "rol", other: "rollen" };
const DEVICES: Forms = { one: "apparaat", other: "apparaten" };
const MEMBERSHIPS: Forms = { one: "lidmaatschap", other: "lidmaatschappen" };

function roles(n: number, isLeast = false): string {
  return count(n, ROLES, isLeast);
}

function deletedNodes(roleCount: number, deviceCount: number): string {
  return countAll([roleCount, ROLES], [deviceCount, DEVICES]);
}

/** What is deleted together with a role: " en 3 rollen en 1 apparaat eronder"; nothing without any. */
function withBelow(roleCount: number, deviceCount: number): string {
  return roleCount + deviceCount === 0 ? "" : ` en ${deletedNodes(roleCount, deviceCount)} eronder`;
}

function listRestored(
  { roles, devices, relations, monitors, members }: components["schemas"]["Restored"],
): string {
  return countAll(
    [roles, ROLES],
    [devices, DEVICES],
    [relations + monitors, { one: "relatie", other: "relaties" }],
    [members, MEMBERSHIPS],
  );
}

type Effect = Texts["change"]["effect"];
type Amount = Parameters<Effect["lose"]>[1];
type Parts<T> = readonly (string | T)[];

/** The forms of a verb for one and for several. */
type Verb = readonly [one: string, other: string];

const LOSE: Verb = ["verliest", "verliezen"];
const GAIN: Verb = ["krijgt", "krijgen"];

/** "7 personen verliezen apparaatbeheer, op 4 rollen." */
function sentence<T>(strong: (text: string) => T, [one, other]: Verb, amount: Amount): Parts<T> {
  const who = { exact: "", atMost: "Hooguit ", about: "Ongeveer " }[amount.bound] + people(amount.people);
  return [strong(`${who} ${amount.people === 1 ? one : other}`), ` ${list(amount.rights)}`, on(amount)];
}

/** The same of one person. */
function sentenceOf<T>(name: T, [verb]: Verb, amount: Amount): Parts<T> {
  const maybe = amount.bound === "exact" ? "" : "mogelijk ";
  return [name, ` ${verb} ${maybe}${list(amount.rights)}`, on(amount)];
}

function on({ roles: n, bound }: Amount): string {
  return n === undefined
    ? "."
    : `, op ${bound === "atMost" ? "hooguit " : ""}${roles(n, bound === "about")}.`;
}

export const CHANGE: Texts["change"] = {
  gone: "Dit is er niet meer. Misschien heeft iemand anders het gewijzigd.",
  back: "Terug naar de rol",
  unknown: "Het adres zegt niet wat er gewijzigd moet worden.",
  hiddenRole: "(een rol die je niet mag zien)",

  effect: {
    title: "Wat dit doet",
    asking: "We kijken wat dit zou doen …",
    lose: (strong, amount) => sentence(strong, LOSE, amount),
    gain: (strong, amount) => sentence(strong, GAIN, amount),
    loseOne: (name, amount) => sentenceOf(name, LOSE, amount),
    gainOne: (name, amount) => sentenceOf(name, GAIN, amount),
    nobodyLoses: "Niemand verliest iets.",
    nobodyGains: "Niemand krijgt er iets bij.",
    emptyLose: (rights) =>
      `Voorlopig verliest niemand iets: de rollen die ${list(rights)} verliezen, hebben geen leden.`,
    emptyGain: (rights) =>
      `Voorlopig krijgt niemand er iets bij: de rollen die ${list(rights)} krijgen, hebben geen leden.`,
    nothing: "Er verandert voor niemand iets.",
    loses: (rights) => `verliest ${list(rights)}`,
    gains: (rights) => `krijgt ${list(rights)}`,
    onRoles: (n, isLeast) => `op ${roles(n, isLeast)}`,
    keeps: (rights, role) => [`behoudt ${list(rights)}, via `, role ?? "een rol die je niet mag zien"],
    hasAlready: (rights, role) => [`heeft ${list(rights)} al, via `, role ?? "een rol die je niet mag zien"],
    unchanged: (n) => `Er verandert niets voor ${people(n)}:`,
    key: (name) => ["Sleutel ", name],
    more: (n, hidden) =>
      hidden === 0
        ? `nog ${numbers.format(n)}`
        : n === hidden
        ? `nog ${numbers.format(n)}, die je niet mag zien`
        : `nog ${numbers.format(n)}, van wie je er ${numbers.format(hidden)} niet mag zien`,
    onlyHidden: (n) => `${people(n)} die je niet mag zien`,
    keys: "Sleutels van programma’s tellen mee als personen.",
    truncated: "Er is meer dan hier geteld kan worden.",
    others: "Het kunnen er minder zijn: wie hetzelfde recht ook via een andere rol heeft, behoudt het.",
    revision: (revision) =>
      `Stand: revisie ${revision}. Verandert wat dit doet voordat je bevestigt, dan gebeurt er niets en hoor je dat.`,
    you: (rights, n, isLeast) => `Je verliest zelf ${list(rights)}, op ${roles(n, isLeast)}.`,
    youUnless: (rights, n, isLeast) =>
      `Je verliest zelf ${list(rights)}, op ${
        roles(n, isLeast)
      }, tenzij een andere rol van je dat ook geeft.`,
    unmanaged: (name) => ["Niemand zou ", name, " nog kunnen beheren."],
    unmanagedMore: (name, n, isLeast) => [
      "Niemand zou ",
      name,
      ` en ${count(n, { one: "andere rol", other: "andere rollen" }, isLeast)} nog kunnen beheren.`,
    ],
    unmanagedHidden: (n, isLeast) =>
      `Niemand zou ${
        count(n, { one: "rol die je niet mag zien", other: "rollen die je niet mag zien" }, isLeast)
      }, nog kunnen beheren.`,
    deleted: (name) => [name, " wordt verwijderd: er leidt niets anders naartoe."],
    deletedMore: (name, roleCount, deviceCount) => [
      name,
      " wordt verwijderd, omdat er niets anders naartoe leidt, samen met ",
      deletedNodes(roleCount, deviceCount),
      " eronder.",
    ],
    deletedMany: (roleCount, deviceCount) => `Dit verwijdert ${deletedNodes(roleCount, deviceCount)}.`,
    deletedNames: (names, more) => [
      "Daaronder: ",
      names,
      more === 0 ? "." : ` en nog ${numbers.format(more)}.`,
    ],
    restored: (counts) => `Hersteld: ${listRestored(counts)}.`,
    leftOut: (counts) =>
      `Weggelaten, omdat het intussen is geëindigd of je het nu niet zou mogen maken: ${
        listRestored(counts)
      }.`,
    lastAwake:
      "Van de anderen die deze rol beheren, is van niemand bekend dat die aan de vereiste tweede stap voldoet. Misschien kan dan niemand de rol nog beheren: laat eerst een van hen er iets in wijzigen.",
    stayingKeys: (names, hasOthers) => [
      "Programma’s houden toegang met sleutels die deze persoon heeft gemaakt: ",
      names,
      `${hasOthers ? " en andere" : ""}. Verwijder de sleutels waarvan deze persoon het geheim kan kennen.`,
    ],
    moved: "Intussen heeft iemand iets gewijzigd, en er is niets gebeurd. Dit zou het nu doen:",
  },

  giving: {
    mask: (rights) => `Je kunt ${list(rights)} niet geven: dat zit niet in je eigen lidmaatschap.`,
    onlyTake:
      "Je kunt hier alleen rechten wegnemen. Om er een toe te voegen heb je rolbeheer op beide rollen nodig, via hetzelfde lidmaatschap.",
    needed: "Een nieuwe rol moet door iemand worden beheerd. Daarom geeft de relatie altijd rolbeheer door.",
  },

  problems: {
    cycle: "Dat zou een kring sluiten: de rol die erboven zou komen, zit al onder de andere.",
    unmanaged:
      "Dan zou geen enkele rol deze nog beheren. Laat rolbeheer op de relatie staan, of voeg er eerst een andere rol boven toe die het heeft.",
    unmanagedRoles: (names, more) =>
      `Geen rol zou ${
        lists.format([
          ...names,
          ...(more === 0 ? [] : [count(more, { one: "andere rol", other: "andere rollen" })]),
        ])
      } nog beheren. Zet er eerst een andere rol met rolbeheer boven.`,
    lastMember:
      "Dit is het laatste lid dat deze bovenste rol blijvend kan beheren. Maak eerst iemand anders blijvend lid.",
    externalIdTaken: "Een andere rol onder dezelfde bovenste rol heeft deze ID al. Kies een andere.",
    tooLarge:
      "Dit raakt meer rollen dan de dienst in één keer wijzigt. Wijzig kleinere delen eronder, een voor een.",
    previews: (time) =>
      `Je hebt heel vaak gevraagd wat wijzigingen zouden doen. Over ${time} gaat het vanzelf verder.`,
    invitations: (time) =>
      `Je kunt tot 50 personen per dag uitnodigen, en bekijken wat een uitnodiging doet, telt ook mee. De volgende kan over ${time}.`,
    session: "Je sessie was beëindigd, dus er is niets gebeurd. Probeer het opnieuw.",
    busy:
      "De dienst had het te druk, en het is niet zeker of het is gelukt. Probeer het opnieuw: het gebeurt nooit dubbel.",
  },

  relation: {
    title: (parent, child) => [parent, " beheert ", child],
    now: "Geeft nu door",
    rights: "Wijzigen in",
    unchanged: "Kies wat de relatie moet doorgeven.",
    delete: "Liever deze relatie verwijderen",
    keep: "Liever de rechten ervan wijzigen",
    deleteTitle: (parent, child) => ["De relatie van ", parent, " naar ", child, " verwijderen"],
    deleteText: (parent, child) => [
      "De leden van ",
      parent,
      " en van de rollen erboven zien ",
      child,
      " en wat eronder zit niet meer, tenzij er een andere weg naartoe leidt.",
    ],
    deleteNothing: "Niemand krijgt of verliest een recht.",
    deleteSubmit: "Relatie verwijderen",
    take: (rights) => `${capitalized(list(rights))} wegnemen`,
    give: (rights) => `${capitalized(list(rights))} geven`,
    change: "Relatie wijzigen",
    working: "Bezig met wijzigen …",
    nothing: "Er verandert voor niemand iets: niemand erboven heeft deze rechten om door te geven.",
    forbidden: "Zo mag je deze relatie niet wijzigen.",
    changed: "De relatie is gewijzigd.",
    deleted: "De relatie is verwijderd.",
  },

  deletion: {
    title: (role, roleCount, deviceCount) => [role, withBelow(roleCount, deviceCount), " verwijderen"],
    done: (role, roleCount, deviceCount) => `Verwijderd: ${role}${withBelow(roleCount, deviceCount)}.`,
    type: (role) => ["Typ ", role, " om dit alles te verwijderen."],
    confirm: "Naam van de rol",
    why: (n) => `Dit wordt gevraagd omdat er ${count(n, { other: "dingen" })} tegelijk worden verwijderd.`,
    different: "Dat is niet de naam van de rol.",
    noParents: "Geen rol die je mag zien, beheert deze rol, dus kun je die niet verwijderen.",
    parents: (role, n) => [
      `Er leiden ${count(n, { other: "relaties" })} naar `,
      role,
      ". De rol wordt met de laatste daarvan verwijderd. Welke moet eerst worden verwijderd?",
    ],
  },

  join: {
    parentTitle: (role) => ["Rol toevoegen die boven ", role, " komt"],
    childTitle: (role) => ["Bestaande rol toevoegen onder ", role],
    parent: "Beheerd door",
    child: "Beheert",
    rights: "De relatie geeft door",
    choose: "Kies een rol.",
    same: "Een rol kan zichzelf niet beheren.",
    sees: (parent, child) => [
      "Ook zonder enig recht zien de leden van ",
      parent,
      " en van de rollen erboven dan ",
      child,
      ", alles daaronder en wat de apparaten ervan meten.",
    ],
    exists: "Die relatie is er al. Dit wijzigt wat die doorgeeft.",
    submit: "Relatie toevoegen",
    change: "Relatie wijzigen",
    working: "Bezig met toevoegen …",
    nothing: "Niemand krijgt of verliest een recht.",
    forbidden:
      "Je mag deze rollen niet verbinden: daarvoor is rolbeheer nodig op de bovenste, en op de onderste vanuit een rol erboven, via hetzelfde lidmaatschap.",
    done: "De relatie is toegevoegd.",
  },

  password: {
    title: (role) => ["Het wachtwoord van ", role],
    text:
      "Geef het, samen met het nummer van de rol, aan wie de rol onder een eigen rol moet plaatsen. Die persoon kan zichzelf hoogstens de rechten hieronder geven.",
    none: "De rol heeft geen wachtwoord.",
    isSet: "De rol heeft er een, ingesteld op",
    void:
      "Het werkt niet meer, omdat de persoon die het instelde dat nu niet meer zou mogen. Stel een nieuw in.",
    field: "Nieuw wachtwoord",
    hint: (n) => `Minstens ${n} tekens`,
    padded: "Een wachtwoord kan niet met een spatie beginnen of eindigen.",
    rights: "Het geeft hoogstens",
    set: "Het wachtwoord instellen",
    replace: "Het wachtwoord vervangen",
    working: "Opslaan…",
    remove: "Het wachtwoord verwijderen",
    removeText: "Relaties die ermee gemaakt zijn, blijven.",
    done: "Het wachtwoord van de rol is ingesteld.",
    removed: "Het wachtwoord van de rol is verwijderd.",
    forbidden:
      "Dat mag je niet instellen: daarvoor is rolbeheer op de rol nodig, en het wachtwoord geeft hoogstens wat jij mag geven.",
  },

  takeOver: {
    title: (role) => ["Een rol overnemen onder ", role],
    text: "Wie de rol beheert, geeft je het nummer en het wachtwoord ervan.",
    number: "Nummer van de rol",
    numberHint: "Dat staat op de pagina van de rol: ‘Rol 12’",
    numberFault: "Dit is niet het nummer van een andere rol.",
    password: "Wachtwoord van de rol",
    rights: "De relatie draagt",
    atMost:
      "Hoogstens wat het wachtwoord geeft. Ook zonder een recht zien jouw leden de rol, wat eronder is, en wat de apparaten meten.",
    submit: "De rol overnemen",
    working: "Overnemen…",
    forbidden:
      "Dat zijn niet het nummer en het wachtwoord van een rol, of het wachtwoord geeft niet al deze rechten.",
    done: "De rol staat nu onder de jouwe.",
  },

  move: {
    title: (role) => [role, " verplaatsen"],
    from: "Weg bij",
    to: "Naar",
    rights: "De nieuwe relatie geeft door",
    noParents: "Geen rol die je mag zien, beheert deze rol. Je kunt die dus nergens weghalen.",
    same: "Daar zit de rol al.",
    submit: "Verplaatsen",
    working: "Bezig met verplaatsen …",
    nothing: "Niemand krijgt of verliest een recht.",
    done: "De rol is verplaatst.",
  },

  create: {
    title: (role) => ["Nieuwe rol onder ", role],
    name: "Naam",
    nameFault: "Een naam heeft hoogstens 256 tekens, op één regel.",
    relation: "Rechten van de rol erboven",
    selfRights: "Rechten van de eigen leden",
    text: (parent) => [
      "Niemand verliest iets. De leden van ",
      parent,
      " en, zover hun rechten reiken, van de rollen erboven krijgen de rechten hierboven op de nieuwe rol. Die heeft zelf nog geen leden.",
    ],
    submit: "Rol maken",
    working: "Bezig met maken …",
    forbidden: "Je mag hier geen rol maken: daarvoor is rolbeheer nodig op de rol erboven.",
    done: (name) => `${name} is gemaakt.`,
    doneDemanding: (name) => `${name} is gemaakt. De rol eist van de leden hetzelfde als de rol erboven.`,
  },

  edit: {
    title: (role) => [role, " wijzigen"],
    name: "Naam",
    externalIdFault: "Een ID heeft hoogstens 128 tekens, op één regel.",
    selfRights: "Rechten van de eigen leden",
    unchanged: "Kies een andere naam, een andere ID of andere rechten.",
    submit: "Wijzigingen opslaan",
    working: "Bezig met opslaan …",
    nothing: "Niemand krijgt of verliest een recht.",
    forbidden: "Je mag deze rol niet wijzigen: daarvoor is rolbeheer nodig vanuit een rol erboven.",
    done: "De rol is gewijzigd.",
  },

  member: {
    inviteTitle: (role) => ["Iemand uitnodigen voor ", role],
    title: (person, role) => [person, " in ", role],
    leaveTitle: (role) => [role, " verlaten"],
    removeTitle: (person, role) => [person, " verwijderen uit ", role],
    email: "E-mailadres",
    emailHint: "Wie nieuw is, krijgt een e-mail met een link.",
    emailFault: "Dit is geen e-mailadres.",
    missing: "Vul het adres van de persoon in.",
    until: "Eindigt",
    untilHint: (zone) => `In je tijdzone, ${zone}. Leeg: eindigt niet vanzelf.`,
    choices: {
      tomorrow: "Tot en met morgen",
      friday: "Tot en met vrijdag",
      week: "Een week",
      month: "Een maand",
      forGood: "Blijvend",
    },
    past: "Dat ligt in het verleden.",
    incomplete: "Vul zowel een datum als een tijd in.",
    tooLate: (time) =>
      `Je eigen lidmaatschap eindigt op ${time}, en wat jij geeft, eindigt niet later dan dat.`,
    extent: "Rechten",
    all: "Alles wat de rol heeft",
    some: "Alleen een deel ervan",
    rights: "Hoogstens",
    exists: "Deze persoon is al lid. Dit wijzigt het lidmaatschap.",
    unchanged: "Kies een ander einde of andere rechten.",
    remove: "Liever deze persoon verwijderen",
    leave: "Liever deze rol verlaten",
    keep: "Liever het lidmaatschap wijzigen",
    invite: "Uitnodigen",
    change: "Lidmaatschap wijzigen",
    removeSubmit: "Verwijderen uit de rol",
    leaveSubmit: "Rol verlaten",
    working: "Bezig met opslaan …",
    sees: (person, role) => ["Ook zonder enig recht ziet ", person, " dan ", role, " en alles daaronder."],
    seesUntil: (person, role, time) => [
      "Ook zonder enig recht ziet ",
      person,
      " dan ",
      role,
      " en alles daaronder, tot ",
      time,
      ".",
    ],
    ends: (time) => ["Het lidmaatschap eindigt vanzelf op ", time, "."],
    endless: "Het lidmaatschap eindigt niet meer vanzelf.",
    nothing: "Niemand krijgt of verliest nu een recht.",
    forbidden:
      "Dat mag je niet doen: daarvoor is gebruikersbeheer op de rol nodig, en je kunt niet meer rechten geven dan je zelf hebt, en niet voor langer.",
    invited: "Uitgenodigd. Er is een e-mail onderweg.",
    changed: "Het lidmaatschap is gewijzigd.",
    left: "Je bent geen lid meer.",
    removed: "De persoon is geen lid meer.",
  },

  many: {
    title: <T>(role: T): Parts<T> => ["Meerdere mensen uitnodigen bij ", role],
    addresses: "E-mailadressen",
    hint:
      "Eén per regel, of met komma’s ertussen. Een tabel met kopregel kan de kolommen email, until en rights hebben.",
    file: "CSV-bestand kiezen",
    tooLarge: "Het bestand is te groot: hoogstens 100 kB.",
    tooMany: (found: number, most: number): string =>
      `Dit zijn ${found} adressen. Je nodigt er hoogstens ${most} tegelijk uit.`,
    missing: "Vul de adressen van de mensen in.",
    allMembers: "Ze zijn allemaal al lid, en blijven dat zoals het is.",
    faults: (n: number): string => `${count(n, { one: "regel is", other: "regels zijn" })} niet te lezen:`,
    fault: {
      address: (line: number, text: Isolated): string => `Regel ${line}: “${text}” is geen e-mailadres.`,
      twice: (line: number, text: Isolated): string => `Regel ${line}: “${text}” stond er al.`,
      until: (line: number, text: Isolated): string =>
        `Regel ${line}: “${text}” is geen einde. Schrijf 2027-01-31 of 2027-01-31T12:00Z.`,
      rights: (line: number, text: Isolated): string =>
        `Regel ${line}: “${text}” is geen lijst van rechten. Schrijf all, none of viewManagement|alarmManagement.`,
    },
    members: (first: readonly Isolated[], n: number): string =>
      `${
        count(n, {
          one: "is al lid, en blijft dat zoals het is",
          other: "zijn al lid, en blijven dat zoals het is",
        })
      }: ${first.join(", ")}${n > first.length ? ", …" : "."}`,
    shownFor: <T>(person: T): Parts<T> => ["Wat dit doet, zie je voor de eerste: ", person, "."],
    submit: (n: number): string =>
      n === 0 ? "Uitnodigen" : `${count(n, { one: "persoon", other: "mensen" })} uitnodigen`,
    working: (taken: number, n: number): string => `${taken} van ${n}…`,
    stop: "Stoppen",
    done: (n: number): string => `${count(n, { one: "persoon is", other: "mensen zijn" })} uitgenodigd.`,
  },

  end: {
    offer: "Liever alle toegang bij en onder deze rol beëindigen",
    title: (person, role) => ["De toegang van ", person, " bij en onder ", role, " beëindigen"],
    granted: "Ook beëindigen wat deze persoon daar aan anderen heeft gegeven, en wat zij hebben gegeven",
    ends: (members, keys, passwords) =>
      `Dit beëindigt ${
        countAll(
          [members, MEMBERSHIPS],
          [keys, { one: "sleutel", other: "sleutels" }],
          [passwords, { one: "wachtwoord van een rol", other: "wachtwoorden van rollen" }],
        )
      }.`,
    none: "Er is daar niets dat je mag beëindigen.",
    password: "Wachtwoord van de rol",
    left: (n, more) =>
      `De persoon houdt daar toegang tot ${
        count(n, ROLES, more)
      }, bijvoorbeeld door een lidmaatschap erboven.`,
    leftNone:
      "Daar blijft geen toegang over tot rollen waarvan je de personen beheert. Wordt een verwijdering later ongedaan gemaakt, dan komt deze persoon niet terug.",
    relations: "Relaties die de persoon heeft gemaakt, blijven. Bekijk ze een voor een:",
    moreRelations: "Er kunnen er meer zijn.",
    submit: "Toegang beëindigen",
    working: "Bezig met beëindigen …",
    keep: "Liever deze persoon alleen uit de rol verwijderen",
    tooMuch:
      "Dat zou te veel tegelijk zijn. Beëindig eerst de toegang bij rollen verder naar beneden, of eerst zonder wat de persoon heeft gegeven.",
    done: "De toegang is beëindigd.",
  },
};
