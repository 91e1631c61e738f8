import type { Database } from "./database.ts";
import { bind, defineStatement } from "./statement.ts";

/** Reads the schema, and so the database itself, without a table that a migration might not have brought yet. */
const PROBE = defineStatement("SELECT count(*) AS objects FROM sqlite_schema");

/** Asks the database for something it always has. Throws what the database throws when it cannot answer. */
export async function probe(database: Database): Promise<void> {
  await database.read(bind(PROBE, {}));
}
