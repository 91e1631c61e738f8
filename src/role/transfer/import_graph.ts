import { computeClosure, type ComputedClosure, CycleError, type Relation } from "../closure/closure.ts";
import { type Cells, type HierarchyRow, quote, readCells } from "./import_format.ts";
import { includesRights, maskOf } from "../rights.ts";

/** What is wrong with a file, and in which line; the header is line 1. */
export interface ImportProblem {
  readonly line: number;
  readonly message: string;
}

/** The role that a file is imported under, among the positions of its rows, which begin with 1. */
export const TOP = 0;

/** A hierarchy that may be imported as it is. Roles are named by their position in the file. */
export interface ImportGraph {
  readonly rows: readonly HierarchyRow[];
  /** It is for a place under a role; else what stands at the top becomes a root. */
  readonly under: boolean;
  /** By the children's positions. Those from `TOP` only where the file is imported under a role. */
  readonly relations: readonly Relation[];
  readonly closure: ComputedClosure;
}

/** Either the graph, or all that keeps the file from being imported, by line. */
export type CheckedGraph =
  | { readonly graph: ImportGraph }
  | { readonly problems: readonly ImportProblem[] };

export interface GraphOptions {
  /** The file is imported under a role, rather than making roots. */
  readonly under: boolean;
  /** Rows that the closure may have; absent: any number. */
  readonly maxRows?: number;
}

interface PlacedRow extends HierarchyRow {
  readonly line: number;
}

const MAX_KEYS_SHOWN = 10;
const ROLE_MANAGEMENT = maskOf("roleManagement");

/** Collects the lines of a file and checks what they say together. */
export class GraphReader {
  readonly #rows: PlacedRow[] = [];
  readonly #lines = new Map<string, number>();
  readonly #problems: ImportProblem[] = [];

  /** Notes a problem of a line that could not be read at all. */
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
    if (row !== undefined) this.#rows.push({ ...row, line });
  }

  /** Checks the whole. Throws a `ClosureTooLargeError`. */
  finish({ under, maxRows }: GraphOptions): CheckedGraph {
    const relations = this.#relate(under);
    const closure = this.#computeClosure(relations, maxRows);
    if (closure !== undefined && this.#problems.length === 0) {
      return { graph: { rows: this.#rows, under, relations, closure } };
    }
    return { problems: this.#problems.toSorted((a, b) => a.line - b.line) };
  }

  #relate(under: boolean): Relation[] {
    const positions = new Map(this.#rows.map(({ key }, i) => [key, i + 1]));
    const relations: Relation[] = [];
    for (const [i, row] of this.#rows.entries()) {
      const { line, topRights, parents } = row;
      const childId = i + 1;
      if (topRights !== undefined && under) {
        relations.push({ parentId: TOP, childId, rights: topRights });
      }
      for (const [key, rights] of parents) {
        const parentId = positions.get(key);
        if (parentId !== undefined) relations.push({ parentId, childId, rights });
        else if (!this.#lines.has(key)) this.report(line, `the parent ${quote(key)} is not in the file`);
      }
      if (!isManaged(row, under)) {
        this.report(line, `no parent manages ${quote(row.key)} with roleManagement`);
      }
    }
    return relations;
  }

  #computeClosure(relations: readonly Relation[], maxRows = Infinity): ComputedClosure | undefined {
    try {
      return computeClosure(relations, { maxRows });
    } catch (error) {
      if (!(error instanceof CycleError)) throw error;
      this.#reportCycle(error.roleIds);
      return undefined;
    }
  }

  #reportCycle(positions: readonly number[]): void {
    const cycle = positions.flatMap((position) => this.#rows[position - 1] ?? []);
    const keys = cycle.slice(0, MAX_KEYS_SHOWN).map(({ key }) => quote(key));
    const more = cycle.length > MAX_KEYS_SHOWN ? ` -> … (${cycle.length} roles)` : "";
    const line = cycle.reduce((lowest, row) => Math.min(lowest, row.line), Infinity);
    this.report(line, `the roles manage one another in a cycle: ${keys.join(" -> ")}${more} -> ${keys[0]}`);
  }
}

/** A root needs no role that manages it; any other role needs one that does so with roleManagement. */
function isManaged({ topRights, parents }: HierarchyRow, under: boolean): boolean {
  if (topRights !== undefined && !under) return true;
  return [topRights ?? 0, ...parents.values()].some((rights) => includesRights(rights, ROLE_MANAGEMENT));
}
