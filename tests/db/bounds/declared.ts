import { ACCOUNT_BOUNDS } from "./account_bounds.ts";
import { parseBound, type Term } from "./bound.ts";
import { DEVICE_BOUNDS } from "./device_bounds.ts";
import { GRAPH_BOUNDS } from "./graph_bounds.ts";
import { EXPLAIN_BOUNDS } from "./explain_bounds.ts";
import { JOB_BOUNDS } from "./job_bounds.ts";

/**
 * The bound of every statement, by the name that it has in the catalogue (`query_plans.ts`) or the beginning of that
 * name: a module, a list, a record. The longest match counts.
 */
export const DECLARED: Readonly<Record<string, string>> = {
  ...GRAPH_BOUNDS,
  ...DEVICE_BOUNDS,
  ...EXPLAIN_BOUNDS,
  ...ACCOUNT_BOUNDS,
  ...JOB_BOUNDS,
};

/** The key of a statement's bound, or undefined if it has none. */
export function keyOfBound(name: string): string | undefined {
  const parts = name.split(/(?=[ .])/);
  const beginnings = parts.map((_, i) => parts.slice(0, parts.length - i).join(""));
  return beginnings.find((key) => key in DECLARED);
}

/** The bound of a statement. Throws a `TypeError` if it has none. */
export function boundOf(name: string): Term[] {
  const key = keyOfBound(name);
  if (key === undefined) throw new TypeError(`${name} declares no bound: add one to tests/db/bounds`);
  return parseBound(DECLARED[key] as string);
}
