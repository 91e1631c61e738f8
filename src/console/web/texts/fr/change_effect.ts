import type { Texts } from "../en.ts";
import type { Isolated } from "../isolated.ts";
import type { RightName } from "../../../../graph/rights.ts";
import type { components } from "../../openapi_types.ts";
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

const grammar = new Intl.PluralRules("fr");

function people(n: number): string {
  return count(n, { one: "personne", other: "personnes" });
}

function roles(n: number, isLeast = false): string {
  return count(n, ROLES, isLeast);
}

/** Lists roles that read more or less, by name where it is known, and their people. */
function readers(names: readonly Isolated[], others: number, most: number): string {
  const more = names.length === 0 ? ROLES : { one: "autre rôle", other: "autres rôles" };
  const listed = [...names, ...others > 0 ? [count(others, more)] : []].join("\u202F; ");
  return most > 0 ? `${listed} (jusqu’à ${people(most)})` : listed;
}

function listRestored(
  { roles, devices, relations, monitors, members }: components["schemas"]["Restored"],
): string {
  return countAll(
    [roles, ROLES],
    [devices, DEVICES],
    [relations + monitors, { one: "relation", other: "relations" }],
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

type Strong<T> = (text: string) => T;

const VERBS = {
  lose: { one: "perd", other: "perdent" },
  gain: { one: "gagne", other: "gagnent" },
};

/** "7 personnes perdent la gestion des appareils, sur 4 rôles." */
function sentence<T>(strong: Strong<T>, verb: "lose" | "gain", amount: Amount): Parts<T> {
  const who = { exact: "", atMost: "Jusqu’à ", about: "Environ " }[amount.bound] + people(amount.people);
  const does = grammar.select(amount.people) === "one" ? VERBS[verb].one : VERBS[verb].other;
  return [strong(`${who} ${does}`), ` ${list(amount.rights)}`, on(amount)];
}

/** The same of one person. */
function sentenceOf<T>(name: T, verb: string, amount: Amount): Parts<T> {
  const maybe = amount.bound === "exact" ? "" : "peut-être ";
  return [name, ` ${verb} ${maybe}${list(amount.rights)}`, on(amount)];
}

function on(amount: Amount): string {
  const { roles: n, bound } = amount;
  const total = isTotal(amount) ? " au total" : "";
  return n === undefined
    ? "."
    : `, sur ${roles(n, bound === "about")}${bound === "atMost" ? " au plus" : total}.`;
}

export const CHANGE_EFFECT: Texts["change"]["effect"] = {
  title: "Ce que cela change",
  asking: "Recherche de ce que cela changerait…",
  lose: (strong, amount) => sentence(strong, "lose", amount),
  gain: (strong, amount) => sentence(strong, "gain", amount),
  loseOne: (name, amount) => sentenceOf(name, VERBS.lose.one, amount),
  gainOne: (name, amount) => sentenceOf(name, VERBS.gain.one, amount),
  nobodyLoses: "Personne ne perd rien.",
  nobodyGains: "Personne ne gagne rien.",
  emptyLose: (rights) =>
    `Personne ne perd rien pour l’instant\u202F: les rôles qui perdent ${list(rights)} n’ont pas de membres.`,
  emptyGain: (rights) =>
    `Personne ne gagne rien pour l’instant\u202F: les rôles qui gagnent ${
      list(rights)
    } n’ont pas de membres.`,
  nothing: "Rien ne change pour personne.",
  loses: (rights) => `perd ${list(rights)}`,
  gains: (rights) => `gagne ${list(rights)}`,
  onRoles: (n, isLeast) => `sur ${roles(n, isLeast)}`,
  /** Of a person who loses other rights, or none: "garde la gestion des vues, par Installateur X". */
  keeps: (rights, role) => [`garde ${list(rights)}, par `, role ?? "un rôle que vous ne pouvez pas voir"],
  hasAlready: (rights, role) => [
    `a déjà ${list(rights)}, par `,
    role ?? "un rôle que vous ne pouvez pas voir",
  ],
  unchanged: (n) => `Rien ne change pour ${people(n)}\u202F:`,
  key: (name) => ["Clé ", name],
  /** Of people that the list above does not show, some of whom the viewer may not see. */
  more: (n, hidden) => {
    const others = count(n, { one: "autre", other: "autres" });
    if (hidden === 0) return others;
    return n === hidden
      ? `${others}, que vous ne pouvez pas voir`
      : `${others}, dont ${hidden} que vous ne pouvez pas voir`;
  },
  onlyHidden: (n) => `${people(n)} que vous ne pouvez pas voir`,
  keys: "Les clés des programmes comptent comme des personnes.",
  /** Of `others`, there are no names. */
  readsMore: (names, others, most) =>
    `Liront plus de données d’appareils\u202F: ${readers(names, others, most)}.`,
  readsLess: (names, others, most) =>
    `Liront moins de données d’appareils\u202F: ${readers(names, others, most)}.`,
  truncated: "Il y en a plus que ce qui peut être compté ici.",
  others:
    "Il peut y en avoir moins\u202F: les personnes qui ont aussi ce droit par un autre rôle le gardent.",
  revision: (revision) =>
    `À la révision ${revision}. Si l’effet change avant que vous confirmiez, rien n’est fait et nous vous le disons.`,
  you: (rights, n, isLeast) => `Vous perdez vous-même ${list(rights)}, sur ${roles(n, isLeast)}.`,
  youUnless: (rights, n, isLeast) =>
    `Vous perdez vous-même ${list(rights)}, sur ${
      roles(n, isLeast)
    }, sauf si un autre de vos rôles vous donne ce droit.`,
  unmanaged: (name) => ["Plus personne ne pourrait gérer ", name, "."],
  unmanagedMore: (name, n, isLeast) => [
    "Plus personne ne pourrait gérer ",
    name,
    `, ni ${count(n, { one: "autre rôle", other: "autres rôles" }, isLeast)}.`,
  ],
  unmanagedHidden: (n, isLeast) =>
    `Plus personne ne pourrait gérer ${roles(n, isLeast)} que vous ne pouvez pas voir.`,
  deleted: (name) => [name, " est supprimé\u202F: rien d’autre n’y mène."],
  deletedMore: (name, roleCount, deviceCount) => [
    name,
    " est supprimé, car rien d’autre n’y mène, et avec lui ",
    deletedNodes(roleCount, deviceCount),
    " en dessous.",
  ],
  deletedMany: (roleCount, deviceCount) => `Cela supprime ${deletedNodes(roleCount, deviceCount)}.`,
  deletedNames: (names, more) => [
    "Parmi eux\u202F: ",
    names,
    more === 0 ? "." : ` et ${count(more, { one: "autre", other: "autres" })}.`,
  ],
  restored: (counts) => `Rétabli\u202F: ${listRestored(counts)}.`,
  leftOut: (counts) =>
    `Laissé de côté, car terminé depuis, ou parce que vous ne pourriez pas le créer maintenant\u202F: ${
      listRestored(counts)
    }.`,
  goOn: (n) =>
    `Sans le temps écoulé depuis la suppression, ${
      n === 1 ? "continue" : "continuent"
    } à partir de maintenant\u202F: ${
      count(n, { one: "relation", other: "relations" })
    } avec des appareils qui sont restés.`,
  pastOnly: (n) =>
    `Jusqu’à la suppression seulement, car terminé depuis, ou parce que vous ne pourriez pas le donner maintenant, ${
      n === 1 ? "revient" : "reviennent"
    }\u202F: ${count(n, { one: "relation", other: "relations" })} avec des appareils qui sont restés.`,
  lastAwake:
    "Parmi les autres personnes qui gèrent ce rôle, aucune n’est connue pour satisfaire à la seconde étape qu’il exige. Peut-être que plus personne ne pourra alors le gérer\u202F: faites d’abord modifier quelque chose dans ce rôle par l’une d’elles.",
  stayingKeys: (names, hasOthers) => [
    "Des programmes gardent leur accès grâce à des clés créées par cette personne\u202F: ",
    names,
    `${hasOthers ? " et d’autres" : ""}. Supprimez celles dont elle peut connaître le secret.`,
  ],
  moved:
    "Entre-temps, autre chose a été modifié, et rien n’a été fait. Voici ce que cela changerait maintenant\u202F:",
};
