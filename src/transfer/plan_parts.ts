import { quote } from "./roles/role_format.ts";
import { AMBIGUOUS, type ImportGraph, NOT_BELOW, type RolePlace } from "./roles/role_graph.ts";
import type { TableReader } from "./table_reader.ts";

/** What the plans of all kinds of rows share. */

export interface PlanOptions {
  /** The role that the roles without parents get below. */
  readonly underId?: number | undefined;
  /** Whether rows may name and change what is not below that role. */
  readonly outside?: boolean | undefined;
  readonly now: number;
  /** For how long a deleted device lies in the trash. */
  readonly trashMs: number;
  /** Maximum number of rows of the rights table. */
  readonly maxRows: number;
}

/** How many rows of a file are new, differ, or are as the database has them. */
export interface RowCounts {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
}

/** Returns the role that a reference found, or reports a problem of its line. */
export function findRole(
  tables: TableReader,
  kind: "members" | "devices",
  line: number,
  graph: ImportGraph,
  reference: string,
): RolePlace | undefined {
  const found = graph.find(reference);
  if (found === undefined) {
    tables.report(kind, line, `the role ${quote(reference)} is neither in the files nor in the database`);
  } else if (found === AMBIGUOUS) {
    tables.report(kind, line, `the role ${quote(reference)} may be one of several: write # and its id`);
  } else if (graph.isOutside(found)) {
    tables.report(kind, line, `the role ${quote(reference)} is one ${NOT_BELOW}`);
  } else return found;
  return undefined;
}
