import { collectStatements } from "../query_plans.ts";
import { evaluateBound, sizesOf } from "./bound.ts";
import { boundOf, DECLARED, keyOfBound } from "./declared.ts";
import type { Measured } from "./measure.ts";

/** The run that comes closest to a bound, or exceeds it most. */
export interface Use {
  readonly key: string;
  /** The rows as a part of what the bound allows in that world. Infinite if the statement declares no bound. */
  readonly part: number;
  /** The statement, the world and the request. */
  readonly description: string;
}

/** How much of each bound is used, most first. Bounds of statements that were not measured are absent. */
export async function findUses(measured: readonly Measured[]): Promise<Use[]> {
  const names = Map.groupBy(await collectStatements(), ({ statement }) => statement.sql);
  const uses = new Map<string, Use>();
  for (const { sql, rows, world, sizes, request } of measured) {
    for (const { name } of names.get(sql) ?? []) {
      const key = keyOfBound(name) ?? name;
      const most = key in DECLARED ? evaluateBound(boundOf(name), sizesOf(sizes)) : 0;
      const part = rows / most;
      if (part <= (uses.get(key)?.part ?? -1)) continue;
      const allowed = `${most} (${DECLARED[key] ?? "no bound"})`;
      uses.set(key, { key, part, description: `${rows} rows of ${allowed}: ${name}, ${world}, ${request}` });
    }
  }
  return [...uses.values()].sort((one, other) => other.part - one.part);
}
