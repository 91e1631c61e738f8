import type { RightName } from "../../../../graph/rights.ts";
import type { components } from "../../openapi_types.ts";
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
  return count(n, { one: "person", other: "people" });
}

function roles(n: number, isLeast = false): string {
  return count(n, ROLES, isLeast);
}

/** Lists roles that read more or less, by name where it is known, and their people. */
function readers(names: readonly Isolated[], others: number, most: number): string {
  const more = names.length === 0 ? ROLES : { one: "more role", other: "more roles" };
  const listed = [...names, ...others > 0 ? [count(others, more)] : []].join("; ");
  return most > 0 ? `${listed} (up to ${people(most)})` : listed;
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

/** "7 people lose device management, on 4 roles." */
function sentence<T>(strong: Strong<T>, verb: "lose" | "gain", amount: Amount): Parts<T> {
  const who = { exact: "", atMost: "Up to ", about: "About " }[amount.bound] + people(amount.people);
  const does = amount.people === 1 ? `${verb}s` : verb;
  return [strong(`${who} ${does}`), ` ${list(amount.rights)}`, on(amount)];
}

/** The same of one person. */
function sentenceOf<T>(name: T, verb: "lose" | "gain", amount: Amount): Parts<T> {
  const does = amount.bound === "exact" ? `${verb}s` : `may ${verb}`;
  return [name, ` ${does} ${list(amount.rights)}`, on(amount)];
}

function on(amount: Amount): string {
  const { roles: n, bound } = amount;
  if (n === undefined) return ".";
  const least = roles(n, bound === "about");
  return `, on ${bound === "atMost" ? "up to " : ""}${least}${isTotal(amount) ? " in all" : ""}.`;
}

/** What a change does, before it is done. */
export const CHANGE_EFFECT = {
  title: "What this does",
  asking: "Looking at what this would do…",
  lose: <T>(strong: Strong<T>, amount: Amount): Parts<T> => sentence(strong, "lose", amount),
  gain: <T>(strong: Strong<T>, amount: Amount): Parts<T> => sentence(strong, "gain", amount),
  loseOne: <T>(name: T, amount: Amount): Parts<T> => sentenceOf(name, "lose", amount),
  gainOne: <T>(name: T, amount: Amount): Parts<T> => sentenceOf(name, "gain", amount),
  nobodyLoses: "No one loses anything.",
  nobodyGains: "No one gains anything.",
  emptyLose: (rights: readonly RightName[]): string =>
    `No one loses anything yet: the roles that lose ${list(rights)} have no members.`,
  emptyGain: (rights: readonly RightName[]): string =>
    `No one gains anything yet: the roles that gain ${list(rights)} have no members.`,
  nothing: "Nothing changes for anyone.",
  loses: (rights: readonly RightName[]): string => `loses ${list(rights)}`,
  gains: (rights: readonly RightName[]): string => `gains ${list(rights)}`,
  onRoles: (n: number, isLeast: boolean): string => `on ${roles(n, isLeast)}`,
  /** Of a person who loses other rights, or none: "keeps view management, through Installer X". */
  keeps: <T>(rights: readonly RightName[], role: T | undefined): Parts<T> => [
    `keeps ${list(rights)}, through `,
    role ?? "a role that you may not see",
  ],
  hasAlready: <T>(rights: readonly RightName[], role: T | undefined): Parts<T> => [
    `has ${list(rights)} already, through `,
    role ?? "a role that you may not see",
  ],
  unchanged: (n: number): string => `Nothing changes for ${people(n)}:`,
  key: <T>(name: T): Parts<T> => ["Key ", name],
  /** Of people that the list above does not show, some of whom the viewer may not see. */
  more: (n: number, hidden: number): string =>
    hidden === 0
      ? `${count(n, { other: "more" })}`
      : n === hidden
      ? `${count(n, { other: "more" })}, whom you may not see`
      : `${count(n, { other: "more" })}, ${hidden} of whom you may not see`,
  onlyHidden: (n: number): string => `${people(n)} whom you may not see`,
  keys: "Keys of programs count like people.",
  /** Of `others`, there are no names. */
  readsMore: (names: readonly Isolated[], others: number, most: number): string =>
    `Will read more of devices: ${readers(names, others, most)}.`,
  readsLess: (names: readonly Isolated[], others: number, most: number): string =>
    `Will read less of devices: ${readers(names, others, most)}.`,
  truncated: "There is more than can be counted here.",
  others: "The number may be smaller: people who have the same right by another role keep it.",
  revision: (revision: string): string =>
    `As of revision ${revision}. If what this does changes before you confirm, nothing is done, and you are told.`,
  you: (rights: readonly RightName[], n: number, isLeast: boolean): string =>
    `You lose ${list(rights)} yourself, on ${roles(n, isLeast)}.`,
  youUnless: (rights: readonly RightName[], n: number, isLeast: boolean): string =>
    `You lose ${list(rights)} yourself, on ${
      roles(n, isLeast)
    }, unless another of your roles gives it to you.`,
  unmanaged: <T>(name: T): Parts<T> => [name, " would have no one left who can manage it."],
  unmanagedMore: <T>(name: T, n: number, isLeast: boolean): Parts<T> => [
    name,
    ` and ${
      count(n, { one: "more role", other: "more roles" }, isLeast)
    } would have no one left who can manage them.`,
  ],
  unmanagedHidden: (n: number, isLeast: boolean): string =>
    `${
      capitalized(count(n, { one: "role", other: "roles" }, isLeast))
    } that you may not see would have no one left to manage them.`,
  deleted: <T>(name: T): Parts<T> => [name, " is deleted: nothing else leads to it."],
  deletedMore: <T>(name: T, roleCount: number, deviceCount: number): Parts<T> => [
    name,
    " is deleted, since nothing else leads to it, and with it ",
    deletedNodes(roleCount, deviceCount),
    " below it.",
  ],
  deletedMany: (roleCount: number, deviceCount: number): string =>
    `This deletes ${deletedNodes(roleCount, deviceCount)}.`,
  deletedNames: <T>(names: T, more: number): Parts<T> => [
    "Among them: ",
    names,
    more === 0 ? "." : ` and ${count(more, { other: "more" })}.`,
  ],
  restored: (counts: components["schemas"]["Restored"]): string => `Restored: ${listRestored(counts)}.`,
  leftOut: (counts: components["schemas"]["Restored"]): string =>
    `Left out, as it has ended since or you could not make it now: ${listRestored(counts)}.`,
  goOn: (n: number): string =>
    `${capitalized(count(n, { one: "relation", other: "relations" }))} to devices that lived on ${
      n === 1 ? "goes" : "go"
    } on from now, without the time since the deletion.`,
  pastOnly: (n: number): string =>
    `${capitalized(count(n, { one: "relation", other: "relations" }))} to devices that lived on ${
      n === 1 ? "returns" : "return"
    } only up to the deletion, as it has ended since or you could not give it now.`,
  lastAwake:
    "No other manager of this role is known to have the second step that it demands, so the role may be left without a manager. Ask one of them to change something in it first.",
  stayingKeys: <T>(names: T, hasOthers: boolean): Parts<T> => [
    "Programs keep their access with keys that this person made: ",
    names,
    `${hasOthers ? " and others" : ""}. Delete those whose secret they may know.`,
  ],
  moved: "Meanwhile, another person changed something, and nothing was done. This is what it would do now:",
};
