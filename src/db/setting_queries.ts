import type { Database } from "./database.ts";
import { bind, defineStatement } from "./statement.ts";

const READ_SETTINGS = defineStatement(`SELECT name, value FROM setting`);
const KEEP_SETTING = defineStatement(
  `INSERT INTO setting (name, value) VALUES (:name, :value) ON CONFLICT (name) DO NOTHING`,
);

/** All settings of the database, by name. */
export async function readSettings(database: Database): Promise<ReadonlyMap<string, string>> {
  const rows = await database.read<{ name: string; value: string }>(bind(READ_SETTINGS, {}));
  return new Map(rows.map(({ name, value }) => [name, value]));
}

/** Adds the settings that are missing; existing ones keep their values. */
export async function keepSettings(database: Database, settings: ReadonlyMap<string, string>): Promise<void> {
  await database.write(Array.from(settings, ([name, value]) => bind(KEEP_SETTING, { name, value })));
}
