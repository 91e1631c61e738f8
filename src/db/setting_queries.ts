import type { Database } from "./database.ts";
import { setting } from "./schema/mail.ts";
import {
  bare,
  type Declared,
  define,
  excluded,
  inserted,
  type PlaceholdersOf,
  quoted,
  rows,
  type SQL,
  sql,
  takenOver,
  text,
  type ValuesOf,
} from "./sql.ts";
import { bind, type Statement } from "./statement.ts";

interface SettingRow {
  readonly name: string;
  readonly value: string;
}

const READ_SETTINGS = rows<SettingRow>()(
  {},
  () => sql`SELECT ${setting.name}, ${setting.value} FROM ${setting}`,
);
const KEEP_SETTING = define({ name: text, value: text }, ({ name, value }) => {
  const { names, values } = inserted(setting, { name, value });
  return sql`
  INSERT INTO ${setting} (${names}) VALUES (${values})
  ON CONFLICT (${bare(setting.name)}) DO NOTHING`;
});

/** Reads all settings of the database, by name. */
export async function readSettings(database: Database): Promise<ReadonlyMap<string, string>> {
  const settings = await database.read(bind(READ_SETTINGS, {}));
  return new Map(settings.map(({ name, value }) => [name, value]));
}

/** Adds the settings that are missing; existing ones keep their values. */
export async function keepSettings(database: Database, settings: ReadonlyMap<string, string>): Promise<void> {
  await database.write(Array.from(settings, ([name, value]) => bind(KEEP_SETTING, { name, value })));
}

/** Raises a setting, a whole number from 0, to a greater value. */
export function raiseSetting<const D extends Declared>(
  declared: D,
  name: string,
  value: (args: PlaceholdersOf<D>) => SQL,
): Statement<ValuesOf<D>, never> {
  return define(declared, (args) => {
    const raised = inserted(setting, {
      name: quoted(name),
      value: sql`CAST(coalesce(${value(args)}, 0) AS TEXT)`,
    });
    return sql`
    INSERT INTO ${setting} (${raised.names}) SELECT ${raised.values} WHERE true
    ON CONFLICT (${bare(setting.name)}) DO UPDATE SET ${takenOver(setting.value)}
    WHERE CAST(${excluded(setting.value)} AS INTEGER) > CAST(${setting.value} AS INTEGER)`;
  });
}
