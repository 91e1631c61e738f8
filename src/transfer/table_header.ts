import { trimBlanks } from "../core/text.ts";
import { quote } from "./roles/role_format.ts";

/** The kinds of files that an import reads, told apart by their header. */
export const TABLE_KINDS = ["roles", "people", "members", "devices"] as const;
export type TableKind = typeof TABLE_KINDS[number];

interface TableColumns {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Further columns are properties. */
  readonly isOpen?: true;
}

export const TABLE_COLUMNS: Readonly<Record<TableKind, TableColumns>> = {
  roles: { required: ["key", "name", "parents", "manages", "selfRights"], optional: ["externalId"] },
  people: { required: ["email"], optional: ["name", "language", "externalId", "passwordHash"] },
  members: { required: ["role", "person"], optional: ["rights", "until"] },
  devices: { required: ["nodeId", "role"], optional: ["externalId", "properties"], isOpen: true },
};

/** The kinds as a header tells them apart: what people and members are told by may be a property of devices. */
const BY_HEADER = ["devices", "roles", "people", "members"] as const;

/** The kind of a file, and the places of its columns. */
export interface TableHeader {
  readonly kind: TableKind;
  readonly width: number;
  /** The number of columns with a name. Those behind them are empty: spreadsheets may end each line with delimiters. */
  readonly named: number;
  /** Places by the column's name as above. */
  readonly places: ReadonlyMap<string, number>;
  /** The other columns, by their name in the file. */
  readonly others: ReadonlyMap<string, number>;
}

/** Reads the cells of a header, in any order and case. Returns what is wrong with it as a text. */
export function readTableHeader(cells: readonly string[]): TableHeader | string {
  const trimmed = cells.map(trimBlanks);
  const names = trimmed.slice(0, trimmed.findLastIndex((name) => name !== "") + 1);
  const lower = names.map((name) => name.toLowerCase());
  const has = (name: string): boolean => lower.includes(name.toLowerCase());
  const kind = BY_HEADER.find((candidate) => TABLE_COLUMNS[candidate].required.every(has));
  if (kind === undefined) return `${describeExpected(nearestKind(has))}, not ${quote(cells.join())}`;
  const { required, optional, isOpen } = TABLE_COLUMNS[kind];
  const places = new Map<string, number>();
  const others = new Map<string, number>();
  for (const [place, name] of names.entries()) {
    const known = [...required, ...optional].find((column) => column.toLowerCase() === lower[place]);
    const isTwice = places.has(known ?? "") || others.has(name);
    if (isTwice || name === "" || (known === undefined && isOpen !== true)) {
      return `${describeExpected(kind)}, not ${quote(name)}${isTwice ? " twice" : ""}`;
    }
    if (known !== undefined) places.set(known, place);
    else others.set(name, place);
  }
  return { kind, width: cells.length, named: names.length, places, others };
}

/** The kind of which the header has a column that no other kind has. */
function nearestKind(has: (name: string) => boolean): TableKind | undefined {
  const own: Readonly<Record<TableKind, readonly string[]>> = {
    roles: ["key", "name", "parents", "manages", "selfRights"],
    people: ["email", "passwordHash"],
    members: ["person"],
    devices: ["nodeId"],
  };
  return TABLE_KINDS.find((kind) => own[kind].some(has));
}

function describeExpected(kind: TableKind | undefined): string {
  if (kind !== undefined) return `the header must name the columns ${describeColumns(kind)}, in any order`;
  const all = TABLE_KINDS.map((each) => `${each} (${describeColumns(each)})`);
  return `the header must name the columns of ${all.join(" or ")}, in any order`;
}

function describeColumns(kind: TableKind): string {
  const { required, optional, isOpen } = TABLE_COLUMNS[kind];
  return `${required.join()}${optional.map((name) => `[,${name}]`).join("")}${
    isOpen ? " and any others" : ""
  }`;
}

const DELIMITERS = [",", ";", "\t"] as const;

/** Finds out what separates the columns of a file, from the beginning of its text: comma, semicolon or tab. */
export function findDelimiter(text: string): string {
  const header =
    /^(?:[^"\r\n]|"[^"]*")*/.exec(text.replace(/^[\s,;"]*[\r\n]/, ""))?.[0].replace(/"[^"]*"/g, "") ??
      "";
  const count = (delimiter: string): number => header.split(delimiter).length;
  return DELIMITERS.reduce((best, delimiter) => count(delimiter) > count(best) ? delimiter : best);
}
