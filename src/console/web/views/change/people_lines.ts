import { isEmail, normalizeEmail } from "../../../../core/email.ts";
import { forEachRight, RIGHT_NAMES, type Rights } from "../../../../graph/rights.ts";
import { readCell } from "../../csv.ts";
import { NONE } from "../../rights.ts";

/**
 * Addresses that a person pasted or chose a file of: a list with commas, semicolons or new lines between them, as mail
 * programs copy it, or a table with a header, as spreadsheets do. The columns are those of `deno task import`, where a day
 * ends as it begins in UTC.
 */

/** A person to be added, with the terms that the table has for them. */
export interface PersonLine {
  /** From 1. */
  readonly line: number;
  readonly email: string;
  /** The end, as ISO 8601; undefined if the table has none. */
  readonly until?: string | undefined;
  /** The most rights; null for all, undefined if the table has none. */
  readonly rights?: Rights | null | undefined;
}

/** What cannot be read of a line. */
export interface LineFault {
  readonly line: number;
  readonly text: string;
  readonly kind: "address" | "twice" | "until" | "past" | "rights";
}

interface PeopleLines {
  readonly people: readonly PersonLine[];
  readonly faults: readonly LineFault[];
}

const ADDRESS_COLUMNS: readonly string[] = ["email", "useremail", "person", "address"];

/** Reads all lines. */
export function readPeople(text: string): PeopleLines {
  const rows = text.split(/\r\n|\r|\n/).map((row, i) => ({ line: i + 1, cells: splitCells(row) }));
  const filled = rows.filter(({ cells }) => cells.some((cell) => cell !== ""));
  const header = filled[0]?.cells.map((cell) => cell.toLowerCase()) ?? [];
  const address = header.findIndex((cell) => ADDRESS_COLUMNS.includes(cell));
  if (address === -1) return readList(filled);
  const [until, rights] = [header.indexOf("until"), header.indexOf("rights")];
  return join(
    filled.slice(1).map(({ line, cells }) => {
      const read = readAddress(line, cells[address] ?? "");
      if ("kind" in read) return read;
      return readTerms(read, cells[until] ?? "", cells[rights] ?? "");
    }),
  );
}

/** Writes people so that `readPeople` reads them: a list, or a table if one of them has terms of their own. */
export function writePeople(people: readonly PersonLine[]): string {
  if (people.every(({ until, rights }) => until === undefined && rights === undefined)) {
    return people.map(({ email }) => email).join("\n");
  }
  const rows = people.map(({ email, until = "", rights }) => [email, until, writeRights(rights)].join(","));
  return ["email,until,rights", ...rows].join("\n");
}

/** Writes rights as a cell of such a table; undefined as an empty one. */
export function writeRights(rights: Rights | null | undefined): string {
  if (rights === undefined) return "";
  if (rights === null) return "all";
  return RIGHT_NAMES.filter((name) => rights[name]).join("|") || "none";
}

function readList(
  rows: readonly { readonly line: number; readonly cells: readonly string[] }[],
): PeopleLines {
  return join(
    rows.flatMap(({ line, cells }) =>
      cells.filter((cell) => cell !== "").map((cell) => readAddress(line, cell))
    ),
  );
}

/** Reads "eva@example.com", or "Eva Bakker <eva@example.com>". */
function readAddress(line: number, text: string): PersonLine | LineFault {
  const email = normalizeEmail(/<([^<>]*)>\s*$/.exec(text)?.[1] ?? readCell(text));
  return isEmail(email) ? { line, email } : { line, text, kind: "address" };
}

function readTerms(person: PersonLine, until: string, rights: string): PersonLine | LineFault {
  const { line } = person;
  const end = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:\d\d))?$/.test(until)
    // Without a time, the day is the last one, here.
    ? new Date(until.includes("T") ? until : `${until}T23:59:59.999`)
    : undefined;
  if (until !== "" && (end === undefined || Number.isNaN(end.getTime()))) {
    return { line, text: until, kind: "until" };
  }
  if (end !== undefined && end.getTime() <= Date.now()) return { line, text: until, kind: "past" };
  const most = readRights(rights);
  if (most === undefined && rights !== "") return { line, text: rights, kind: "rights" };
  return { ...person, until: end?.toISOString(), rights: most };
}

/** Reads "all", "none" or "viewManagement|alarmManagement"; undefined for other texts. */
function readRights(text: string): Rights | null | undefined {
  if (text === "all") return null;
  if (text === "none") return NONE;
  const names = text.split("|").map((name) => name.trim());
  if (!names.every((name) => RIGHT_NAMES.some((known) => known === name))) return undefined;
  return forEachRight((name) => names.includes(name));
}

/** Puts people and faults apart. A line that says the same as an earlier one is left out. */
function join(read: readonly (PersonLine | LineFault)[]): PeopleLines {
  const people = new Map<string, PersonLine>();
  const faults: LineFault[] = [];
  const termsOf = ({ until, rights }: PersonLine): string => `${until} ${writeRights(rights)}`;
  for (const each of read) {
    const before = "email" in each ? people.get(each.email) : undefined;
    if ("kind" in each) faults.push(each);
    else if (before === undefined) people.set(each.email, each);
    else if (termsOf(before) !== termsOf(each)) {
      faults.push({ line: each.line, text: each.email, kind: "twice" });
    }
  }
  return { people: [...people.values()], faults };
}

/** Splits at commas, semicolons and tabs, but not within quotes (RFC 4180). */
function splitCells(row: string): string[] {
  return (row.match(/("(?:[^"]|"")*"|[^",;\t])+|[,;\t]/g) ?? [])
    .reduce<string[]>((cells, part) => {
      if (/^[,;\t]$/.test(part)) return [...cells, ""];
      return [...cells.slice(0, -1), `${cells.at(-1) ?? ""}${part}`];
    }, [""])
    .map((cell) => cell.trim().replace(/^"(.*)"$/, "$1").replaceAll('""', '"').trim());
}
