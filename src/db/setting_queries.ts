import type { Database } from "./database.ts";
import { bind, defineStatement, type Statement } from "./statement.ts";

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

/** Raises a setting, a whole number from 0, to the value of an SQL expression if that is greater. */
export function raiseSetting(name: string, value: string): Statement {
  return defineStatement(
    `INSERT INTO setting (name, value) SELECT '${name}', CAST(coalesce(${value}, 0) AS TEXT) WHERE true
    ON CONFLICT (name) DO UPDATE SET value = excluded.value
    WHERE CAST(excluded.value AS INTEGER) > CAST(setting.value AS INTEGER)`,
  );
}
