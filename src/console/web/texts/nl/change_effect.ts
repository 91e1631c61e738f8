import type { Isolated } from "../isolated.ts";
import type { components } from "../../openapi_types.ts";
import type { Texts } from "../en.ts";
import { isTotal } from "../plural.ts";
import {
  count,
  countAll,
  deletedNodes,
  DEVICES,
  list,
  MEMBERSHIPS,
  type Parts,
  ROLES,
} from "./change_words.ts";

const numbers = new Intl.NumberFormat("nl");

function people(n: number): string {
  return count(n, { one: "persoon", other: "personen" });
}

function roles(n: number, isLeast = false): string {
  return count(n, ROLES, isLeast);
}

/** Lists roles that read more or less, by name where it is known, and their people. */
function readers(names: readonly Isolated[], others: number, most: number): string {
  const more = names.length === 0 ? ROLES : { one: "andere rol", other: "andere rollen" };
  const listed = [...names, ...others > 0 ? [count(others, more)] : []].join("; ");
  return most > 0 ? `${listed} (hoogstens ${people(most)})` : listed;
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

/** The forms of a verb for one and for several. */
type Verb = readonly [one: string, other: string];

const LOSE: Verb = ["verliest", "verliezen"];
const GAIN: Verb = ["krijgt", "krijgen"];

/** "7 personen verliezen apparaatbeheer, op 4 rollen." */
function sentence<T>(strong: (text: string) => T, [one, other]: Verb, amount: Amount): Parts<T> {
  const who = { exact: "", atMost: "Hoogstens ", about: "Ongeveer " }[amount.bound] + people(amount.people);
  return [strong(`${who} ${amount.people === 1 ? one : other}`), ` ${list(amount.rights)}`, on(amount)];
}

/** The same of one person. */
function sentenceOf<T>(name: T, [verb]: Verb, amount: Amount): Parts<T> {
  const maybe = amount.bound === "exact" ? "" : "mogelijk ";
  return [name, ` ${verb} ${maybe}${list(amount.rights)}`, on(amount)];
}

function on(amount: Amount): string {
  const { roles: n, bound } = amount;
  const total = isTotal(amount) ? "in totaal " : "";
  return n === undefined
    ? "."
    : `, op ${bound === "atMost" ? "hoogstens " : total}${roles(n, bound === "about")}.`;
}

export const CHANGE_EFFECT: Texts["change"]["effect"] = {
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
  /** Of `others`, there are no names. */
  readsMore: (names, others, most) => `Gaan meer van apparaten lezen: ${readers(names, others, most)}.`,
  readsLess: (names, others, most) => `Gaan minder van apparaten lezen: ${readers(names, others, most)}.`,
  truncated: "Er is meer dan hier geteld kan worden.",
  others: "Het kunnen er minder zijn: wie hetzelfde recht ook via een andere rol heeft, behoudt het.",
  revision: (revision) =>
    `Stand: revisie ${revision}. Verandert wat dit doet voordat je bevestigt, dan gebeurt er niets en hoor je dat.`,
  you: (rights, n, isLeast) => `Je verliest zelf ${list(rights)}, op ${roles(n, isLeast)}.`,
  youUnless: (rights, n, isLeast) =>
    `Je verliest zelf ${list(rights)}, op ${roles(n, isLeast)}, tenzij een andere rol van je dat ook geeft.`,
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
    `Weggelaten, omdat het intussen is geëindigd of je het nu niet zou mogen maken: ${listRestored(counts)}.`,
  goOn: (n) =>
    `Zonder de tijd sinds de verwijdering ${n === 1 ? "gaat" : "gaan"} vanaf nu verder: ${
      count(n, { one: "relatie", other: "relaties" })
    } met apparaten die bleven bestaan.`,
  pastOnly: (n) =>
    `Alleen tot de verwijdering, omdat het intussen is geëindigd of je het nu niet zou mogen geven, ${
      n === 1 ? "komt terug" : "komen terug"
    }: ${count(n, { one: "relatie", other: "relaties" })} met apparaten die bleven bestaan.`,
  lastAwake:
    "Van de anderen die deze rol beheren, is van niemand bekend dat die aan de vereiste tweede stap voldoet. Misschien kan dan niemand de rol nog beheren: laat eerst een van hen er iets in wijzigen.",
  stayingKeys: (names, hasOthers) => [
    "Programma’s houden toegang met sleutels die deze persoon heeft gemaakt: ",
    names,
    `${hasOthers ? " en andere" : ""}. Verwijder de sleutels waarvan deze persoon het geheim kan kennen.`,
  ],
  moved: "Intussen heeft iemand iets gewijzigd, en er is niets gebeurd. Dit zou het nu doen:",
};
