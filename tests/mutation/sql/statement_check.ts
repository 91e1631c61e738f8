import type { Database } from "../../../src/db/database.ts";
import { explain } from "../../db/query_plans.ts";
import type { PrintedStatement } from "./print_statements.ts";

/**
 * Why the changed statements are no fair test: none of the service's statements has changed, or one of them
 * cannot be prepared or bound. Undefined if they are fair, so that only a test of their behaviour can notice.
 */
export async function findUnfairness(
  database: Database,
  right: readonly PrintedStatement[],
  wrong: readonly PrintedStatement[],
): Promise<string | undefined> {
  const rightSql = new Map(right.map(({ name, sql }) => [name, sql]));
  const changed = wrong.filter(({ name, sql }) => rightSql.get(name) !== sql);
  if (changed.length === 0) return "no statement of the service changes by it";
  for (const { name, sql, parameters } of changed) {
    try {
      await explain(database, { sql, parameters: new Set(parameters) });
    } catch (error) {
      return `${name} is no SQL: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  const [needed, named] = [parametersByExport(right), parametersByExport(wrong)];
  for (const [name, parameters] of needed) {
    const lost = [...parameters].filter((parameter) => named.get(name)?.has(parameter) !== true);
    if (lost.length > 0) return `${name} does not name :${lost.join(", :")} any more, and would not be bound`;
  }
  return undefined;
}

/** A batch is bound as a whole, so the parameters of all its statements matter. */
function parametersByExport(statements: readonly PrintedStatement[]): Map<string, Set<string>> {
  const byExport = new Map<string, Set<string>>();
  for (const { name, parameters } of statements) {
    const [exported = name] = name.split(".");
    byExport.set(exported, new Set([...byExport.get(exported) ?? [], ...parameters]));
  }
  return byExport;
}
