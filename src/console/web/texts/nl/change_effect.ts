import { gainsIn, moreIn, readersIn } from "../change_effect.ts";
import type { Texts } from "../en.ts";
import { parts } from "../parts.ts";
import { list, moreRoles, nodes, people, plural, restored, roles } from "./words.ts";

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
