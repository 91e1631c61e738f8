import type { Database } from "./database.ts";
import { define, int, rows, sql, text } from "./sql.ts";
import { bind, bindBatch } from "./statement.ts";

/** The sequences of `AUTOINCREMENT`: the greatest id that each table has had. */

interface LastRow {
  readonly last: number;
}

const READ_LAST = rows<LastRow>()(
  { table: text },
  ({ table }) => sql`SELECT seq AS last FROM sqlite_sequence WHERE name = ${table}`,
);

/** A table that has had no row has no sequence. */
const RAISE = [
  define(
    { table: text, id: int },
    ({ table, id }) => sql`UPDATE sqlite_sequence SET seq = ${id} WHERE name = ${table} AND seq < ${id}`,
  ),
  define({ table: text, id: int }, ({ table, id }) =>
    sql`
    INSERT INTO sqlite_sequence (name, seq) SELECT ${table}, ${id}
    WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ${table})`),
] as const;

/** Has a table's next id be greater than `id`. Writes only if it would not be. */
export async function raiseSequence(database: Database, table: string, id: number): Promise<void> {
  const [row] = await database.read(bind(READ_LAST, { table }));
  if ((row?.last ?? 0) < id) await database.write(bindBatch(RAISE, { table, id }));
}
