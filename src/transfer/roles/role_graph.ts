import { canonicalText } from "../../core/text.ts";
import {
  computeClosure,
  type ComputedClosure,
  CycleError,
  type Relation,
} from "../../graph/closure/closure.ts";
import { createHash } from "node:crypto";
import { type Cells, formatRow, type HierarchyRow, quote, readCells } from "./role_format.ts";
import { includesRights, maskOf, type RightsMask } from "../../graph/rights.ts";

/** A problem of a file, and its line. The header is line 1. */
export interface ImportProblem {
  readonly line: number;
  readonly message: string;
}

/** The position of the role that a file is imported under. New roles have positions from 1 on. */
export const TOP = 0;

/** A role that the database has, with all relations that enter it: rights by the id of the parent. */
export interface KnownRole {
  readonly id: number;
  readonly name: string;
  readonly selfRights: RightsMask;
  readonly isRoot: boolean;
  readonly parents: ReadonlyMap<number, RightsMask>;
  /** The root below which new external ids of the role and its devices are unique. */
  readonly root: number | null;
  /** The root below which its own external id is unique. */
  readonly externalRoot: number | null;
  /** Whether the fence keeps rows from changing it: it is not below the role that the files are imported under. */
  readonly isFenced: boolean;
}

/** Several roles of the database have the external id. */
export const AMBIGUOUS = "ambiguous";
export type Found<T> = T | typeof AMBIGUOUS | undefined;

/** What the database has of the roles that a file refers to. */
export interface KnownRoles {
  byId(id: number): KnownRole | undefined;
  byExternalId(externalId: string): Found<KnownRole>;
}

/** The references of a file that the database may know. */
export interface References {
  readonly externalIds: ReadonlySet<string>;
  readonly ids: ReadonlySet<number>;
}

/** A role that a reference stands for: a new one by its position, or one of the database by its id. */
export type RolePlace = { readonly position: number } | { readonly id: number };

/** A role of the database whose row differs from it. */
export interface RoleChange {
  readonly line: number;
  readonly id: number;
  readonly name: string;
  readonly selfRights: RightsMask;
}

/** A relation into a role of the database that is to be made, or to get these rights. */
export interface RelationChange extends Relation {
  readonly line: number;
}

/**
 * A checked hierarchy that can be imported. Relations and closure name new roles by their position among the new ones,
 * roles of the database by minus their id, and the role that the file is imported under by `TOP`.
 */
export interface ImportGraph {
  /** The new roles. */
  readonly rows: readonly HierarchyRow[];
  /** Whether the file is imported under a role. Otherwise the roles at the top become roots. */
  readonly under: boolean;
  /**
   * The relations of new roles, ordered by the child's position. Includes relations from `TOP` only if the file is
   * imported under a role.
   */
  readonly relations: readonly Relation[];
  readonly closure: ComputedClosure;
  readonly changed: readonly RoleChange[];
  readonly changedRelations: readonly RelationChange[];
  /** Number of rows of roles that are as the file has them. */
  readonly unchanged: number;
  /** By the id of a role of the database that has a row, the ids of the parents that the row names. */
  readonly named: ReadonlyMap<number, ReadonlySet<number>>;
  /** Finds the role that a key, an external id or `#` and an id stands for. */
  find(reference: string): Found<RolePlace>;
  /** Returns the roots of the database that a role is below, or a few of them with the oldest. */
  rootsOf(place: RolePlace): ReadonlySet<number>;
  /** Whether the fence keeps rows from naming a role. The role that the files are imported under may be named. */
  isOutside(place: RolePlace): boolean;
  /** The roles by the keys of the file, in its order. */
  readonly places: ReadonlyMap<string, RolePlace>;
}

/** Either the graph, or all problems of the file, by line. */
export type CheckedGraph =
  | { readonly graph: ImportGraph }
  | { readonly problems: readonly ImportProblem[] };

export interface GraphOptions {
  /** Whether the file is imported under a role. Otherwise the roles at the top become roots. */
  readonly under: boolean;
  /** The role that it is imported under, if `known` is to be compared. */
  readonly underId?: number | undefined;
  /** By default the database is taken for empty. */
  readonly known?: KnownRoles;
  /** Ids by the keys of rows without an external id that an interrupted import of this file has brought. */
  readonly brought?: ReadonlyMap<string, number>;
  /** Maximum number of closure rows. By default unlimited. */
  readonly maxRows?: number;
}

/** Where the roles of a file are. */
interface Places {
  readonly byKey: ReadonlyMap<string, RolePlace>;
  /** Roles of the database by the keys of their rows. */
  readonly rolesOfRows: ReadonlyMap<string, KnownRole>;
  readonly find: ImportGraph["find"];
  readonly isOutside: ImportGraph["isOutside"];
}

interface Related {
  readonly relations: Relation[];
  readonly changed: RoleChange[];
  readonly changedRelations: RelationChange[];
  readonly rootsOf: ImportGraph["rootsOf"];
  readonly named: Map<number, ReadonlySet<number>>;
  unchanged: number;
}

interface PlacedRow extends HierarchyRow {
  readonly line: number;
}

/** Ends what is told of a role that the fence keeps from a row. */
export const NOT_BELOW = "that is not below the role of --under: name it with --outside, or not at all";

const MAX_KEYS_SHOWN = 10;
const ROLE_MANAGEMENT = maskOf("roleManagement");
const NOTHING_KNOWN: KnownRoles = { byId: () => undefined, byExternalId: () => undefined };

/** Returns the id of a reference such as `#12`. */
export function idOfReference(reference: string): number | undefined {
  const digits = /^#([1-9]\d{0,14})$/.exec(reference)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Collects the lines of a file and checks them as a whole. */
export class GraphReader {
  readonly #rows: PlacedRow[] = [];
  readonly #lines = new Map<string, number>();
  readonly #linesOfExternalIds = new Map<string, number>();
  readonly #problems: ImportProblem[] = [];

  /** Reports a problem of a line. */
  report(line: number, message: string): void {
    this.#problems.push({ line, message });
  }

  /** Reads the cells of a line. */
  add(line: number, cells: Cells): void {
    const { key, row, problems } = readCells(cells);
    for (const message of problems) this.report(line, message);
    if (key !== undefined) {
      const first = this.#lines.get(key);
      if (first !== undefined) return this.report(line, `key ${quote(key)} is already in line ${first}`);
      this.#lines.set(key, line);
    }
    if (row === undefined) return;
    if (row.externalId !== undefined) {
      const externalId = canonicalText(row.externalId);
      const first = this.#linesOfExternalIds.get(externalId);
      if (first !== undefined) {
        return this.report(line, `externalId ${quote(row.externalId)} is already in line ${first}`);
      }
      this.#linesOfExternalIds.set(externalId, line);
    }
    this.#rows.push({ ...row, line });
  }

  /** Returns what names this file and its place, if it has rows that are known by nothing else. */
  fingerprint(underId: number | undefined): string | undefined {
    if (this.#rows.every(({ externalId }) => externalId !== undefined)) return undefined;
    const hash = createHash("sha256").update(`${underId}`);
    for (const row of this.#rows) hash.update(JSON.stringify(formatRow(row)));
    return `file:${hash.digest("hex")}`;
  }

  /** Returns what the database may know: besides `brought`, `known` of `finish` is asked for nothing else. */
  references(brought: ReadonlyMap<string, number>): References {
    const externalIds = new Set<string>();
    const ids = new Set<number>(brought.values());
    for (const { externalId, parents } of this.#rows) {
      if (externalId !== undefined) externalIds.add(externalId);
      for (const reference of parents.keys()) {
        if (this.#lines.has(canonicalText(reference))) continue;
        externalIds.add(reference);
        const id = idOfReference(reference);
        if (id !== undefined) ids.add(id);
      }
    }
    return { externalIds, ids };
  }

  /** Checks the file as a whole. Throws a `ClosureTooLargeError`. */
  finish(options: GraphOptions): CheckedGraph {
    const { under, maxRows } = options;
    const places = this.#place(options);
    const { byKey, find, isOutside } = places;
    const related = this.#relate(options, places);
    const closure = this.#computeClosure(related, this.#rows, byKey, maxRows);
    if (closure === undefined || this.#problems.length > 0) return { problems: this.problems() };
    const rows = this.#rows.filter(({ key }) => "position" in (byKey.get(key) ?? {}));
    return { graph: { rows, under, ...related, closure, find, isOutside, places: byKey } };
  }

  /** The problems that were found so far, by line. */
  problems(): ImportProblem[] {
    return this.#problems.toSorted((a, b) => a.line - b.line);
  }

  /** Finds out which rows are of roles that the database has. */
  #place({ underId, known = NOTHING_KNOWN, brought }: GraphOptions): Places {
    const byKey = new Map<string, RolePlace>();
    const byExternalId = new Map<string, RolePlace>();
    const rolesOfRows = new Map<string, KnownRole>();
    let position = TOP;
    for (const { key, externalId, line } of this.#rows) {
      const found = externalId === undefined
        ? known.byId(brought?.get(key) ?? 0)
        : known.byExternalId(externalId);
      if (found === AMBIGUOUS) {
        this.report(
          line,
          `externalId ${
            quote(externalId ?? "")
          } is of several roles, below different roots: import with --under`,
        );
      }
      const role = found === AMBIGUOUS ? undefined : found;
      if (role?.isFenced) {
        this.report(line, `externalId ${quote(externalId ?? "")} is that of role #${role.id}, ${NOT_BELOW}`);
      }
      const place = role === undefined ? { position: ++position } : { id: role.id };
      byKey.set(key, place);
      if (role !== undefined) rolesOfRows.set(key, role);
      if (externalId !== undefined) byExternalId.set(canonicalText(externalId), place);
    }
    const find = (reference: string): Found<RolePlace> => {
      const name = canonicalText(reference);
      const [ofKey, ofExternalId] = [byKey.get(name), byExternalId.get(name)];
      if (ofKey !== undefined && ofExternalId !== undefined && ofKey !== ofExternalId) return AMBIGUOUS;
      const inFile = ofKey ?? ofExternalId;
      if (inFile !== undefined) return inFile;
      const id = idOfReference(reference);
      // Callers choose external ids: one that looks like the id of another role must not stand for it.
      const role = id === undefined ? known.byExternalId(reference) : known.byId(id);
      return role === undefined || role === AMBIGUOUS ? role : { id: role.id };
    };
    const isOutside = (place: RolePlace): boolean =>
      "id" in place && place.id !== underId && known.byId(place.id)?.isFenced === true;
    return { byKey, rolesOfRows, find, isOutside };
  }

  #relate(
    { under, underId, known = NOTHING_KNOWN }: GraphOptions,
    places: Places,
  ): Related {
    const { rolesOfRows, byKey } = places;
    const relations: Relation[] = [];
    const rootsOf = rootFinder(relations, known, underId);
    const related: Related = {
      relations,
      changed: [],
      changedRelations: [],
      rootsOf,
      named: new Map(),
      unchanged: 0,
    };
    const compared: (readonly [PlacedRow, KnownRole, ReadonlyMap<number, RightsMask>])[] = [];
    for (const row of this.#rows) {
      const parents = this.#findParents(row, places);
      const { line, key, topRights } = row;
      const role = rolesOfRows.get(key);
      if (role !== undefined) {
        if (topRights !== undefined && under && underId !== undefined) parents.set(-underId, topRights);
        compared.push([row, role, parents]);
        continue;
      }
      const childId = nodeOf(byKey.get(key) as RolePlace);
      if (topRights !== undefined && under) {
        related.relations.push({ parentId: TOP, childId, rights: topRights });
      }
      for (const [parentId, rights] of parents) related.relations.push({ parentId, childId, rights });
      if (!isManaged(row, under)) this.report(line, `no parent manages ${quote(key)} with roleManagement`);
    }
    for (const [row, role, parents] of compared) this.#compare(row, role, parents, under, related);
    return related;
  }

  /** Returns the rights by the parent's number. Keys come first, since the column is made for them. */
  #findParents(
    { line, parents }: PlacedRow,
    { byKey, find, isOutside }: Places,
  ): Map<number, RightsMask> {
    const found = new Map<number, RightsMask>();
    for (const [reference, rights] of parents) {
      const place = byKey.get(canonicalText(reference)) ?? find(reference);
      if (place === AMBIGUOUS) {
        this.report(line, `the parent ${quote(reference)} may be one of several roles: write # and its id`);
      } else if (place !== undefined) {
        if (isOutside(place)) this.report(line, `the parent ${quote(reference)} is a role ${NOT_BELOW}`);
        if (found.has(nodeOf(place))) this.report(line, `parents names the role ${quote(reference)} twice`);
        found.set(nodeOf(place), rights);
      } else if (!this.#lines.has(canonicalText(reference))) {
        this.report(line, `the parent ${quote(reference)} is neither in the file nor in the database`);
      }
    }
    return found;
  }

  /** Compares a row with the role of the database that it is of. Relations that the row lacks stay. */
  #compare(
    { line, key, name, selfRights, topRights, externalId = "" }: PlacedRow,
    role: KnownRole,
    parents: ReadonlyMap<number, RightsMask>,
    under: boolean,
    related: Related,
  ): void {
    if (topRights !== undefined && !under && !role.isRoot) {
      this.report(line, `${quote(key)} has no parent in the file, but is no root role: import with --under`);
    }
    if (!(role.isRoot && topRights !== undefined) && !sharesRoot(role, parents, related.rootsOf)) {
      this.report(
        line,
        `externalId ${
          quote(externalId)
        } is that of a role below another root: import the root by itself, then the roles below it with --under`,
      );
    }
    related.named.set(role.id, new Set(Array.from(parents.keys(), (node) => -node)));
    const after = new Map(Array.from(role.parents, ([id, rights]) => [-id, rights]));
    const childId = -role.id;
    const differing: (Relation & { readonly line: number })[] = [];
    for (const [parentId, rights] of parents) {
      if (after.get(parentId) === rights) continue;
      after.set(parentId, rights);
      differing.push({ line, parentId, childId, rights });
    }
    if (!role.isRoot && ![...after.values()].some((rights) => includesRights(rights, ROLE_MANAGEMENT))) {
      this.report(line, `no parent manages ${quote(key)} with roleManagement`);
    }
    const differs = name !== role.name || selfRights !== role.selfRights;
    if (differs) related.changed.push({ line, id: role.id, name, selfRights });
    // A role must not lose its last parent with roleManagement before it gets another.
    const managing = ({ rights }: Relation): number => rights & ROLE_MANAGEMENT;
    related.changedRelations.push(...differing.toSorted((a, b) => managing(b) - managing(a)));
    if (!differs && differing.length === 0) related.unchanged++;
  }

  #computeClosure(
    { relations, changedRelations }: Related,
    rows: readonly PlacedRow[],
    byKey: Places["byKey"],
    maxRows = Infinity,
  ): ComputedClosure | undefined {
    try {
      // A cycle may lead through roles of the database, into which relations are made later.
      if (changedRelations.length > 0) computeClosure([...relations, ...changedRelations]);
      return computeClosure(relations, { maxRows });
    } catch (error) {
      if (!(error instanceof CycleError)) throw error;
      const rowsOfNodes = new Map(rows.map((row) => [nodeOf(byKey.get(row.key) as RolePlace), row]));
      this.#reportCycle(error.roleIds.flatMap((node) => rowsOfNodes.get(node) ?? []));
      return undefined;
    }
  }

  #reportCycle(cycle: readonly PlacedRow[]): void {
    const keys = cycle.slice(0, MAX_KEYS_SHOWN).map(({ key }) => quote(key));
    const more = cycle.length > MAX_KEYS_SHOWN ? ` -> … (${cycle.length} roles)` : "";
    const line = cycle.reduce((lowest, row) => Math.min(lowest, row.line), Infinity);
    this.report(line, `the roles manage one another in a cycle: ${keys.join(" -> ")}${more} -> ${keys[0]}`);
  }
}

/** Returns the number by which relations name a role: a new one's position, or minus the id of another. */
function nodeOf(place: RolePlace): number {
  return "position" in place ? place.position : -place.id;
}

/** Returns `rootsOf` for relations of new roles, which may still be added. */
function rootFinder(
  relations: readonly Relation[],
  known: KnownRoles,
  underId: number | undefined,
): ImportGraph["rootsOf"] {
  let byChild: ReadonlyMap<number, readonly Relation[]> | undefined;
  return (place) => {
    byChild ??= Map.groupBy(relations, ({ childId }) => childId);
    const roots = new Set<number>();
    const reached = new Set([nodeOf(place)]);
    for (const node of reached) {
      const id = node === TOP ? underId : -node;
      const root = id === undefined ? undefined : known.byId(id)?.root;
      if (root !== undefined && root !== null) roots.add(root);
      for (const { parentId } of byChild.get(node) ?? []) reached.add(parentId);
    }
    return roots;
  };
}

/**
 * Whether a row's parents, by their numbers, are below a root of its role, or are its parents already. A row without any
 * is at the top, or has other problems.
 */
function sharesRoot(
  { parents, root, externalRoot }: KnownRole,
  ofRow: ReadonlyMap<number, RightsMask>,
  rootsOf: ImportGraph["rootsOf"],
): boolean {
  return ofRow.size === 0 || [...ofRow.keys()].some((node) => {
    if (parents.has(-node)) return true;
    const roots = rootsOf(node > TOP ? { position: node } : { id: -node });
    return [root, externalRoot].some((each) => each !== null && roots.has(each));
  });
}

/** Whether the role is managed. A root needs no manager; another role needs a relation with roleManagement into it. */
function isManaged({ topRights, parents }: HierarchyRow, under: boolean): boolean {
  if (topRights !== undefined && !under) return true;
  return [topRights ?? 0, ...parents.values()].some((rights) => includesRights(rights, ROLE_MANAGEMENT));
}
