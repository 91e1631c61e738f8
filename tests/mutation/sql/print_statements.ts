import { collectStatements } from "../../db/query_plans.ts";

/** Prints every statement of the project that this file lies in, as JSON: `PrintedStatement[]`. */

export interface PrintedStatement {
  readonly name: string;
  readonly sql: string;
  readonly parameters: readonly string[];
}

if (import.meta.main) {
  const statements = (await collectStatements()).map(({ name, statement: { sql, parameters } }) => {
    return { name, sql, parameters: [...parameters] } satisfies PrintedStatement;
  });
  await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(statements)));
}
