import * as v from "valibot";
import { ALL_RIGHTS, maskOf, overPaths, RIGHT_NAMES, type RightsMask, toRights } from "../rights.ts";
import { RoleNameSchema } from "../schemas.ts";

/**
 * The CSV format of a hierarchy, both ways. `parents` is a list of keys, each with rights of its own behind a `=` or with
 * those of `manages`. A list that begins with an empty key, which an empty cell does too, means the top: the role is a
 * root, or hangs below the role that the file is imported under.
 */
export const COLUMNS = ["key", "name", "parents", "manages", "selfRights"] as const;

export type Cells = Readonly<Record<typeof COLUMNS[number], string>>;

/** A role of the file and the relations that enter it. */
export interface HierarchyRow {
  readonly key: string;
  readonly name: string;
  readonly selfRights: RightsMask;
  /** What a relation from the role that the file is imported under carries; undefined: the role is not at the top. */
  readonly topRights: RightsMask | undefined;
  /** Rights by the key of the parent. */
  readonly parents: ReadonlyMap<string, RightsMask>;
}

/** What could be read of a line. With problems there is no row, but perhaps a key that other lines refer to. */
export interface ReadLine {
  readonly key: string | undefined;
  readonly row: HierarchyRow | undefined;
  readonly problems: readonly string[];
}

const ALL = "all";
const MAX_KEY_LENGTH = 256;
const MAX_QUOTED_LENGTH = 60;

/** Reads the cells of one line. */
export function readCells(cells: Cells): ReadLine {
  const problems: string[] = [];
  const key = cells.key.trim();
  const keyFault = findKeyFault(key);
  if (keyFault !== undefined) problems.push(keyFault);
  const name = v.safeParse(RoleNameSchema, cells.name);
  if (!name.success) problems.push("name must be 1 to 256 characters without control characters");
  const selfRights = parseRights(cells.selfRights, "|");
  if (selfRights === undefined) problems.push(badRights("selfRights", cells.selfRights));
  const shared = parseRights(cells.manages, "|");
  if (shared === undefined) problems.push(badRights("manages", cells.manages));
  const relations = readParents(cells.parents, shared ?? ALL_RIGHTS, problems);
  if (relations.parents.has(key)) problems.push(`${quote(key)} is its own parent`);
  const row = problems.length === 0 && name.success && selfRights !== undefined
    ? { key, name: name.output, selfRights, ...relations }
    : undefined;
  return { key: keyFault === undefined ? key : undefined, row, problems };
}

function findKeyFault(key: string): string | undefined {
  if (key === "") return "key is empty";
  if (key.length > MAX_KEY_LENGTH) return `key is longer than ${MAX_KEY_LENGTH} characters`;
  if (/[|=\p{Cc}]/u.test(key)) return `key ${quote(key)} must not contain "|", "=" or control characters`;
  return undefined;
}

function readParents(
  cell: string,
  shared: RightsMask,
  problems: string[],
): Pick<HierarchyRow, "topRights" | "parents"> {
  const parents = new Map<string, RightsMask>();
  let topRights: RightsMask | undefined;
  for (const [i, entry] of cell.split("|").entries()) {
    const [key = "", ...assigned] = entry.split("=").map((part) => part.trim());
    const rights = assigned.length === 0 ? shared : parseRights(assigned.join("="), "+");
    if (rights === undefined) {
      problems.push(badRights("parents", entry));
    } else if (key === "" && i === 0) {
      topRights = rights;
    } else if (key === "") {
      problems.push("parents contains an empty key: only the first key may be empty");
    } else if (parents.has(key)) {
      problems.push(`parents names ${quote(key)} twice`);
    } else {
      parents.set(key, rights);
    }
  }
  return { topRights, parents };
}

function parseRights(text: string, separator: string): RightsMask | undefined {
  const trimmed = text.trim();
  if (trimmed === ALL) return ALL_RIGHTS;
  if (trimmed === "") return 0;
  const masks: RightsMask[] = [];
  for (const part of trimmed.split(separator)) {
    const name = RIGHT_NAMES.find((known) => known === part.trim());
    if (name === undefined) return undefined;
    masks.push(maskOf(name));
  }
  return overPaths(masks);
}

function badRights(column: string, text: string): string {
  return `${column} contains ${quote(text)}: rights are "${ALL}", nothing, or some of ${
    RIGHT_NAMES.join(", ")
  }`;
}

/** A text of the file as a message shows it: short, and without characters that would reach the terminal. */
export function quote(text: string): string {
  const shown = text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text;
  // JSON lets DEL and the C1 controls through, with which a terminal's commands may begin as well.
  return JSON.stringify(shown).replace(/\p{Cc}/gu, (control) => {
    return `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** The cells of one line. What `manages` says holds for the first entry of `parents`, and for those without a `=`. */
export function formatRow({ key, name, selfRights, topRights, parents }: HierarchyRow): Cells {
  const shared = topRights ?? [...parents.values()][0] ?? 0;
  const entries = Array.from(parents, ([parent, rights]) => {
    return rights === shared ? parent : `${parent}=${formatRights(rights, "+")}`;
  });
  if (topRights !== undefined) entries.unshift("");
  return {
    key,
    name,
    parents: entries.join("|"),
    manages: formatRights(shared, "|"),
    selfRights: formatRights(selfRights, "|"),
  };
}

function formatRights(mask: RightsMask, separator: string): string {
  if (mask === ALL_RIGHTS) return ALL;
  const rights = toRights(mask);
  return RIGHT_NAMES.filter((name) => rights[name]).join(separator);
}
