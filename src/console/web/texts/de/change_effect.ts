import type { RightName } from "../../../../graph/rights.ts";
import type { components } from "../../openapi_types.ts";
import type { Texts } from "../en.ts";
import type { Isolated } from "../isolated.ts";
import { capitalized, isTotal } from "../plural.ts";
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

function people(n: number): string {
  return count(n, { one: "Person", other: "Personen" });
}

function roles(n: number, isLeast = false): string {
  return count(n, ROLES, isLeast);
}

/** Lists roles that read more or less, by name where it is known, and their people. */
function readers(names: readonly Isolated[], others: number, most: number): string {
  const more = names.length === 0 ? ROLES : { one: "weitere Rolle", other: "weitere Rollen" };
  const listed = [...names, ...others > 0 ? [count(others, more)] : []].join("; ");
  return most > 0 ? `${listed} (bis zu ${people(most)})` : listed;
}

function listRestored(
  { roles, devices, relations, monitors, members }: components["schemas"]["Restored"],
): string {
  return countAll(
    [roles, ROLES],
    [devices, DEVICES],
    [relations + monitors, { one: "Beziehung", other: "Beziehungen" }],
    [members, MEMBERSHIPS],
  );
}

interface Amount {
  readonly people: number;
  readonly rights: readonly RightName[];
  /** Undefined if it is not known. */
  readonly roles: number | undefined;
  /** How the numbers are to be read. */
  readonly bound: "exact" | "atMost" | "about";
}

interface Verb {
  readonly one: string;
  readonly other: string;
}

const LOSE: Verb = { one: "verliert", other: "verlieren" };
const GAIN: Verb = { one: "erhält", other: "erhalten" };

/** "7 Personen verlieren Geräteverwaltung für 4 Rollen." */
function sentence<T>(strong: (text: string) => T, { one, other }: Verb, amount: Amount): Parts<T> {
  const who = { exact: "", atMost: "Bis zu ", about: "Etwa " }[amount.bound] + people(amount.people);
  return [strong(`${who} ${amount.people === 1 ? one : other}`), ` ${list(amount.rights)}${on(amount)}`];
}

/** The same of one person. */
function sentenceOf<T>(name: T, { one }: Verb, amount: Amount): Parts<T> {
  const maybe = amount.bound === "exact" ? "" : "möglicherweise ";
  return [name, ` ${one} ${maybe}${list(amount.rights)}${on(amount)}`];
}

function on(amount: Amount): string {
  const { roles: n, bound } = amount;
  const total = isTotal(amount) ? "insgesamt " : "";
  return n === undefined
    ? "."
    : ` für ${bound === "atMost" ? "bis zu " : total}${roles(n, bound === "about")}.`;
}

export const CHANGE_EFFECT: Texts["change"]["effect"] = {
  title: "Was das bewirkt",
  asking: "Die Wirkung wird ermittelt …",
  lose: (strong, amount) => sentence(strong, LOSE, amount),
  gain: (strong, amount) => sentence(strong, GAIN, amount),
  loseOne: (name, amount) => sentenceOf(name, LOSE, amount),
  gainOne: (name, amount) => sentenceOf(name, GAIN, amount),
  nobodyLoses: "Niemand verliert etwas.",
  nobodyGains: "Niemand erhält etwas.",
  emptyLose: (rights) =>
    `Noch verliert niemand etwas: Die Rollen, die ${list(rights)} verlieren, haben keine Mitglieder.`,
  emptyGain: (rights) =>
    `Noch erhält niemand etwas: Die Rollen, die ${list(rights)} erhalten, haben keine Mitglieder.`,
  nothing: "Für niemanden ändert sich etwas.",
  loses: (rights) => `verliert ${list(rights)}`,
  gains: (rights) => `erhält ${list(rights)}`,
  onRoles: (n, isLeast) => `für ${roles(n, isLeast)}`,
  /** Of a person who loses other rights, or none: "behält Ansichtenverwaltung durch Installateur X". */
  keeps: (
    rights,
    role,
  ) => [`behält ${list(rights)} durch `, role ?? "eine Rolle, die Sie nicht sehen dürfen"],
  hasAlready: (rights, role) => [
    `hat ${list(rights)} schon durch `,
    role ?? "eine Rolle, die Sie nicht sehen dürfen",
  ],
  unchanged: (n) => `Für ${people(n)} ändert sich nichts:`,
  key: (name) => ["Schlüssel ", name],
  /** Of people that the list above does not show, some of whom the viewer may not see. */
  more: (n, hidden) => {
    const more = count(n, { one: "weitere Person", other: "weitere Personen" });
    if (hidden === 0) return more;
    return n === hidden
      ? `${more}, für Sie nicht sichtbar`
      : `${more}, davon ${hidden} für Sie nicht sichtbar`;
  },
  onlyHidden: (n) => `${people(n)}, für Sie nicht sichtbar`,
  keys: "Schlüssel von Programmen zählen wie Personen.",
  /** Of `others`, there are no names. */
  readsMore: (names, others, most) => `Lesen künftig mehr von Geräten: ${readers(names, others, most)}.`,
  readsLess: (names, others, most) => `Lesen künftig weniger von Geräten: ${readers(names, others, most)}.`,
  truncated: "Es ist mehr, als hier gezählt werden kann.",
  others: "Es können weniger sein: Wer dasselbe Recht auch über eine andere Rolle hat, behält es.",
  revision: (revision) =>
    `Stand: Revision ${revision}. Ändert sich die Wirkung, bevor Sie bestätigen, geschieht nichts, und Sie erfahren es.`,
  you: (rights, n, isLeast) => `Sie selbst verlieren ${list(rights)} für ${roles(n, isLeast)}.`,
  youUnless: (rights, n, isLeast) =>
    `Sie selbst verlieren ${list(rights)} für ${
      roles(n, isLeast)
    }, es sei denn, eine andere Ihrer Rollen gibt Ihnen dieselben Rechte.`,
  unmanaged: (name) => [name, " könnte niemand mehr verwalten."],
  unmanagedMore: (name, n, isLeast) => [
    name,
    ` und ${
      count(n, { one: "weitere Rolle", other: "weitere Rollen" }, isLeast)
    } könnte niemand mehr verwalten.`,
  ],
  unmanagedHidden: (n, isLeast) =>
    `${
      capitalized(count(n, { one: "Rolle", other: "Rollen" }, isLeast))
    }, die Sie nicht sehen dürfen, könnte niemand mehr verwalten.`,
  deleted: (name) => [name, " wird gelöscht, weil nichts anderes dorthin führt."],
  deletedMore: (name, roleCount, deviceCount) => [
    name,
    " wird gelöscht, weil nichts anderes dorthin führt. Das gilt auch für ",
    deletedNodes(roleCount, deviceCount),
    " darunter.",
  ],
  deletedMany: (roleCount, deviceCount) => `Das löscht ${deletedNodes(roleCount, deviceCount)}.`,
  deletedNames: (names, more) => [
    "Darunter: ",
    names,
    more === 0 ? "." : ` und ${count(more, { one: "weiteres", other: "weitere" })}.`,
  ],
  restored: (counts) => `Wiederhergestellt: ${listRestored(counts)}.`,
  leftOut: (counts) =>
    `Ausgelassen, weil es inzwischen beendet ist oder Sie es jetzt nicht anlegen dürften: ${
      listRestored(counts)
    }.`,
  goOn: (n) =>
    `Ohne die Zeit seit der Löschung ${n === 1 ? "läuft" : "laufen"} ab jetzt weiter: ${
      count(n, { one: "Beziehung", other: "Beziehungen" })
    } zu Geräten, die bestehen blieben.`,
  pastOnly: (n) =>
    `Nur bis zur Löschung, weil sie inzwischen beendet sind oder Sie sie jetzt nicht geben dürften, ${
      n === 1 ? "kommt zurück" : "kommen zurück"
    }: ${count(n, { one: "Beziehung", other: "Beziehungen" })} zu Geräten, die bestehen blieben.`,
  lastAwake:
    "Soweit bekannt, hat niemand von den anderen, die diese Rolle verwalten, den verlangten zweiten Schritt gezeigt. Vielleicht kann sie dann niemand mehr verwalten: Lassen Sie vorher eine dieser Personen etwas darin ändern.",
  stayingKeys: (names, hasOthers) => [
    "Programme behalten ihren Zugriff mit Schlüsseln, die diese Person erstellt hat: ",
    names,
    `${hasOthers ? " und weitere" : ""}. Löschen Sie diejenigen, deren Geheimnis sie kennen könnte.`,
  ],
  moved:
    "Inzwischen wurde etwas anderes geändert, deshalb ist nichts geschehen. Das würde es jetzt bewirken:",
};
