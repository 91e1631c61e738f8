import * as v from "valibot";
import { canonicalText, trimBlanks } from "../../core/text.ts";
import { ALL_RIGHTS, maskOf, overPaths, RIGHT_NAMES, type RightsMask, toRights } from "../../graph/rights.ts";
import { MAX_EXTERNAL_ID_LENGTH } from "../../role/external_id_queries.ts";
import { ExternalIdSchema, RoleNameSchema } from "../../role/schemas.ts";

/**
 * Reads and writes the CSV format of a hierarchy. `parents` is a list of references to roles. Each has its own rights
 * after a `=`, or those of `manages`. A list that starts with an empty one, such as an empty cell, stands for the top:
 * the role is a root, or a child of the role that the file is imported under.
 */
export const COLUMNS = ["key", "name", "parents", "manages", "selfRights"] as const;

export type Cells = Readonly<Record<typeof COLUMNS[number], string>> & { readonly externalId?: string };

/** A role of the file and the relations that enter it. */
export interface HierarchyRow {
  readonly key: string;
  /** The id of the role in another system, as the file has it. */
  readonly externalId?: string | undefined;
  readonly name: string;
  readonly selfRights: RightsMask;
  /** Rights of the relation from the role that the file is imported under. Undefined if the role is not at the top. */
  readonly topRights: RightsMask | undefined;
  /** Rights by the reference to the parent: a key, an external id, or `#` with the id of a role. */
  readonly parents: ReadonlyMap<string, RightsMask>;
}

/** The result of reading a line. With problems it has no row, but it may have a key that other lines refer to. */
export interface ReadLine {
  readonly key: string | undefined;
  readonly row: HierarchyRow | undefined;
  readonly problems: readonly string[];
}

const ALL = "all";
/** No right: in lists where an empty text stands for something else. */
const NONE = "none";
const MAX_KEY_LENGTH = 256;
const MAX_QUOTED_LENGTH = 60;

/** Reads the cells of one line. */
export function readCells(cells: Cells): ReadLine {
  const problems: string[] = [];
  const key = canonicalText(cells.key);
  const keyFault = findKeyFault(key);
  if (keyFault !== undefined) problems.push(keyFault);
  const name = v.safeParse(RoleNameSchema, cells.name);
  if (!name.success) problems.push("name must be 1 to 256 characters without control characters");
  const selfRights = parseRights(cells.selfRights, "|");
  if (selfRights === undefined) problems.push(badRights("selfRights", cells.selfRights));
  const shared = parseRights(cells.manages, "|");
  if (shared === undefined) problems.push(badRights("manages", cells.manages));
  const relations = readParents(cells.parents, shared ?? ALL_RIGHTS, problems);
  const externalId = readExternalId(cells.externalId ?? "", problems);
  if ([...relations.parents.keys()].some((parent) => canonicalText(parent) === key)) {
    problems.push(`${quote(key)} is its own parent`);
  }
  const row = problems.length === 0 && name.success && selfRights !== undefined
    ? { key, ...(externalId && { externalId }), name: name.output, selfRights, ...relations }
    : undefined;
  return { key: keyFault === undefined ? key : undefined, row, problems };
}

function findKeyFault(key: string): string | undefined {
  if (key === "") return "key is empty";
  if ([...key].length > MAX_KEY_LENGTH) return `key is longer than ${MAX_KEY_LENGTH} characters`;
  if (/[|=\p{Cc}]/u.test(key)) return `key ${quote(key)} must not contain "|", "=" or control characters`;
  return undefined;
}

/** Returns the external id of a cell as it is written there, and undefined for an empty one. */
export function readExternalId(cell: string, problems: string[]): string | undefined {
  if (trimBlanks(cell) === "") return undefined;
  if (!v.is(ExternalIdSchema, cell)) {
    problems.push(
      `externalId ${
        quote(trimBlanks(cell))
      } must be at most ${MAX_EXTERNAL_ID_LENGTH} characters without control characters`,
    );
  }
  return cell;
}

function readParents(
  cell: string,
  shared: RightsMask,
  problems: string[],
): Pick<HierarchyRow, "topRights" | "parents"> {
  const parents = new Map<string, RightsMask>();
  let topRights: RightsMask | undefined;
  for (const [i, entry] of cell.split("|").entries()) {
    const [key = "", ...assigned] = entry.split("=").map(trimBlanks);
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

/** Reads a list of rights. An empty one is none. Returns undefined for what is no right. */
export function parseRights(text: string, separator: string): RightsMask | undefined {
  const trimmed = trimBlanks(text);
  if (trimmed === ALL) return ALL_RIGHTS;
  if (trimmed === "" || trimmed === NONE) return 0;
  const masks: RightsMask[] = [];
  for (const part of trimmed.split(separator)) {
    const name = RIGHT_NAMES.find((known) => known === trimBlanks(part));
    if (name === undefined) return undefined;
    masks.push(maskOf(name));
  }
  return overPaths(masks);
}

export function badRights(column: string, text: string): string {
  return `${column} contains ${quote(text)}: rights are "${ALL}", nothing, or some of ${
    RIGHT_NAMES.join(", ")
  }`;
}

/** Quotes a text of the file for a message: shortened, with control characters escaped. */
export function quote(text: string): string {
  const shown = text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text;
  // JSON does not escape DEL and the C1 controls, which can also start a terminal's escape sequences.
  return JSON.stringify(shown).replace(/\p{Cc}/gu, (control) => {
    return `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** Returns the cells of one line. `manages` applies to the first of `parents` and to all entries without a `=`. */
export function formatRow({ key, externalId, name, selfRights, topRights, parents }: HierarchyRow): Cells {
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
    ...(externalId !== undefined && { externalId }),
  };
}

/** Returns the rights of a membership, where an empty text would be no limit. */
export function formatLimit(mask: RightsMask): string {
  return mask === 0 ? NONE : formatRights(mask, "|");
}

function formatRights(mask: RightsMask, separator: string): string {
  if (mask === ALL_RIGHTS) return ALL;
  const rights = toRights(mask);
  return RIGHT_NAMES.filter((name) => rights[name]).join(separator);
}
