import { compile, insert, pick, select } from "./builder.ts";
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
  type SQL,
  sql,
  takenOver,
  type ValuesOf,
} from "./sql.ts";
import { bind, type Statement } from "./statement.ts";

const READ_SETTINGS = compile({}, () => select(pick(setting, "name", "value")).from(setting));

const KEEP_SETTING = compile(
  pick(setting, "name", "value"),
  (args) => insert(setting, args).onConflictDoNothing(setting.name),
);

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
