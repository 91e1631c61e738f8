import type { Database } from "./database.ts";
import { rows, sql } from "./sql.ts";
import { bind, probing } from "./statement.ts";

interface SchemaRow {
  readonly objects: number;
}

/** Reads the schema, to depend on no table that a migration may not have created yet. */
const COUNT_OBJECTS = probing(
  rows<SchemaRow>()({}, () => sql`SELECT count(*) AS objects FROM sqlite_schema`),
);

/** Checks that the database can be read. Throws what the database throws. */
export async function requireReadable(database: Database): Promise<void> {
  await database.read(bind(COUNT_OBJECTS, {}));
}
