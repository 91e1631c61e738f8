import { computeClosure, type ComputedClosure, CycleError, type Relation } from "../closure/closure.ts";
import { type Cells, type HierarchyRow, quote, readCells } from "./import_format.ts";
import { includesRights, maskOf } from "../rights.ts";

/** A problem of a file, and its line. The header is line 1. */
export interface ImportProblem {
  readonly line: number;
  readonly message: string;
}

/** The position of the role that a file is imported under. The file's rows have positions from 1 on. */
export const TOP = 0;

/** A checked hierarchy that can be imported. Roles are identified by their position in the file. */
export interface ImportGraph {
  readonly rows: readonly HierarchyRow[];
  /** Whether the file is imported under a role. Otherwise the roles at the top become roots. */
  readonly under: boolean;
  /** Ordered by the child's position. Includes relations from `TOP` only if the file is imported under a role. */
  readonly relations: readonly Relation[];
  readonly closure: ComputedClosure;
}

/** Either the graph, or all problems of the file, by line. */
export type CheckedGraph =
  | { readonly graph: ImportGraph }
  | { readonly problems: readonly ImportProblem[] };

export interface GraphOptions {
  /** Whether the file is imported under a role. Otherwise the roles at the top become roots. */
  readonly under: boolean;
  /** Maximum number of closure rows. By default unlimited. */
  readonly maxRows?: number;
}

interface PlacedRow extends HierarchyRow {
  readonly line: number;
}

const MAX_KEYS_SHOWN = 10;
const ROLE_MANAGEMENT = maskOf("roleManagement");

/** Collects the lines of a file and checks them as a whole. */
export class GraphReader {
  readonly #rows: PlacedRow[] = [];
  readonly #lines = new Map<string, number>();
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
    if (row !== undefined) this.#rows.push({ ...row, line });
  }

  /** Checks the file as a whole. Throws a `ClosureTooLargeError`. */
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

/** Whether the role is managed. A root needs no manager; another role needs a relation with roleManagement into it. */
function isManaged({ topRights, parents }: HierarchyRow, under: boolean): boolean {
  if (topRights !== undefined && !under) return true;
  return [topRights ?? 0, ...parents.values()].some((rights) => includesRights(rights, ROLE_MANAGEMENT));
}
