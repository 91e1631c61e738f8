import type { Database } from "./database.ts";
import { bind, defineStatement, probing } from "./statement.ts";

/** Reads the schema, to depend on no table that a migration may not have created yet. */
const PROBE = probing(defineStatement("SELECT count(*) AS objects FROM sqlite_schema"));

/** Checks that the database can be read. Throws what the database throws. */
export async function probe(database: Database): Promise<void> {
  await database.read(bind(PROBE, {}));
}
