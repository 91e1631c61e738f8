import { parametersOf, type Statement } from "../../src/db/statement.ts";

/** A statement of a text, for scenes. The compiler knows neither its arguments nor its rows. */
export function defineStatement(sql: string): Statement {
  return { sql: sql.trim(), parameters: parametersOf(sql) };
}
