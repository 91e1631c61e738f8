import { gainsIn, moreIn, readersIn } from "../change_effect.ts";
import type { Texts } from "../en.ts";
import { parts } from "../parts.ts";
import { withMore } from "../plural.ts";
import { CHANGE_PEOPLE } from "./change_people.ts";
import { CHANGE_ROLES } from "./change_roles.ts";
import { list, lists, moreRoles, nodes, people, plural, restored, roles } from "./words.ts";

const { ofMany, ofOne } = gainsIn({
  list,
  roles,
  who: { exact: "", atMost: "Hoogstens ", about: "Ongeveer " },
  on: { exact: ", op #.", total: ", op in totaal #.", atMost: ", op hoogstens #.", about: ", op #." },
});
const readers = readersIn({ roles, moreRoles, upTo: plural("hoogstens # [persoon|personen]") });
const andMore = plural(" en nog #.", ".");
const HIDDEN_ROLE = "een rol die je niet mag zien";

export const CHANGE_EFFECT: Texts["change"]["effect"] = {
  title: "Wat dit doet",
  asking: "We kijken wat dit zou doen …",
  lose: ofMany(plural("# [persoon verliest|personen verliezen]")),
  gain: ofMany(plural("# [persoon krijgt|personen krijgen]")),
  loseOne: ofOne("verliest", "verliest mogelijk"),
  gainOne: ofOne("krijgt", "krijgt mogelijk"),
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
  keeps: (rights, role) => parts`behoudt ${list(rights)}, via ${role ?? HIDDEN_ROLE}`,
  hasAlready: (rights, role) => parts`heeft ${list(rights)} al, via ${role ?? HIDDEN_ROLE}`,
  unchanged: (n) => `Er verandert niets voor ${people(n)}:`,
  key: (name) => parts`Sleutel ${name}`,
  more: moreIn(plural("nog #"), ", die je niet mag zien", plural(", van wie je er # niet mag zien")),
  onlyHidden: (n) => `${people(n)} die je niet mag zien`,
  keys: "Sleutels van programma’s tellen mee als personen.",
  readsMore: (names, others, most) => `Gaan meer van apparaten lezen: ${readers(names, others, most)}.`,
  readsLess: (names, others, most) => `Gaan minder van apparaten lezen: ${readers(names, others, most)}.`,
  truncated: "Er is meer dan hier geteld kan worden.",
  others: "Het kunnen er minder zijn: wie hetzelfde recht ook via een andere rol heeft, behoudt het.",
  revision: (revision) =>
    `Stand: revisie ${revision}. Verandert wat dit doet voordat je bevestigt, dan gebeurt er niets en hoor je dat.`,
  you: (rights, n, isLeast) => `Je verliest zelf ${list(rights)}, op ${roles(n, isLeast)}.`,
  youUnless: (rights, n, isLeast) =>
    `Je verliest zelf ${list(rights)}, op ${roles(n, isLeast)}, tenzij een andere rol van je dat ook geeft.`,
  unmanaged: (name) => parts`Niemand zou ${name} nog kunnen beheren.`,
  unmanagedMore: (name, n, isLeast) =>
    parts`Niemand zou ${name} en ${moreRoles(n, isLeast)} nog kunnen beheren.`,
  unmanagedHidden: plural("Niemand zou # [rol|rollen] die je niet mag zien, nog kunnen beheren."),
  deleted: (name) => parts`${name} wordt verwijderd: er leidt niets anders naartoe.`,
  deletedMore: (name, roleCount, deviceCount) =>
    parts`${name} wordt verwijderd, omdat er niets anders naartoe leidt, samen met ${
      nodes(roleCount, deviceCount)
    } eronder.`,
  deletedMany: (roleCount, deviceCount) => `Dit verwijdert ${nodes(roleCount, deviceCount)}.`,
  deletedNames: (names, more) => parts`Daaronder: ${names}${andMore(more)}`,
  restored: restored("Hersteld: #."),
  leftOut: restored("Weggelaten, omdat het intussen is geëindigd of je het nu niet zou mogen maken: #."),
  goOn: plural(
    "# [relatie|relaties] met apparaten die niet zijn verwijderd, [gaat|gaan] vanaf nu verder, zonder de tijd sinds de verwijdering.",
  ),
  pastOnly: plural(
    "# [relatie|relaties] met apparaten die niet zijn verwijderd, [komt|komen] alleen terug voor de tijd tot de verwijdering, omdat [die|ze] intussen [is|zijn] geëindigd of je [die|ze] nu niet zou mogen geven.",
  ),
  lastAwake:
    "Van de anderen die deze rol beheren, is van niemand bekend dat die aan de vereiste tweede stap voldoet. Misschien kan dan niemand de rol nog beheren: laat eerst een van hen er iets in wijzigen.",
  stayingKeys: (names, hasOthers) =>
    parts`Programma’s houden toegang met sleutels die deze persoon heeft gemaakt: ${names}${
      hasOthers ? " en andere" : ""
    }. Verwijder de sleutels waarvan deze persoon het geheim kan kennen.`,
  moved: "Intussen heeft iemand iets gewijzigd, en er is niets gebeurd. Dit zou het nu doen:",
};

export const CHANGE: Texts["change"] = {
  gone: "Dit is er niet meer. Misschien heeft iemand anders het gewijzigd.",
  back: "Terug naar de rol",
  unknown: "Het adres zegt niet wat er gewijzigd moet worden.",
  hiddenRole: "(een rol die je niet mag zien)",
  nothing: "Niemand krijgt of verliest een recht.",

  effect: CHANGE_EFFECT,

  giving: {
    presets: { reader: "Alleen weergaven", technician: "Monteur", manager: "Beheerder", everything: "Alles" },
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
        lists.format(withMore(names, more, moreRoles))
      } nog beheren. Zet er eerst een andere rol met rolbeheer boven.`,
    lastMember:
      "Dit is het laatste lid dat deze bovenste rol blijvend kan beheren. Maak eerst iemand anders blijvend lid.",
    externalIdTaken: "Een andere rol onder dezelfde bovenste rol heeft deze ID al. Kies een andere.",
    tooLarge:
      "Dit raakt meer rollen dan de dienst in één keer wijzigt. Wijzig kleinere delen eronder, een voor een.",
    invitations: (time) =>
      `Je kunt tot 50 personen per dag uitnodigen, en bekijken wat een uitnodiging doet, telt ook mee. De volgende kan over ${time}.`,
    moved: "Intussen heeft iemand anders iets gewijzigd, dus hier is niets gebeurd. Bekijk het opnieuw.",
    session: "Je sessie was beëindigd, dus er is niets gebeurd. Probeer het opnieuw.",
    busy:
      "De dienst had het te druk, en het is niet zeker of het is gelukt. Probeer het opnieuw: het gebeurt nooit dubbel.",
  },

  ...CHANGE_ROLES,
  ...CHANGE_PEOPLE,
};
