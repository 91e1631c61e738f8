import type { Database } from "./database.ts";
import { define, rows, sql } from "./sql.ts";
import { bind, probing } from "./statement.ts";

interface SchemaRow {
  readonly objects: number;
}

/** Reads the schema, to depend on no table that a migration may not have created yet. */
const COUNT_OBJECTS = probing(
  rows<SchemaRow>()({}, () => sql`SELECT count(*) AS objects FROM sqlite_schema`),
);

/** Writes what is there already: a page that has to be stored, as that of any write. */
const REWRITE = define({}, () => sql`UPDATE sqlite_sequence SET seq = seq WHERE name = 'change_log'`);

/** Checks that the database can store a write, once it has had any change. Throws what the database throws. */
export async function requireWritable(database: Database): Promise<void> {
  await database.write([bind(REWRITE, {})]);
}

/** Checks that the database can be read. Throws what the database throws. */
export async function requireReadable(database: Database): Promise<void> {
  await database.read(bind(COUNT_OBJECTS, {}));
}
