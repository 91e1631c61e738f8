/** Migrations and triggers are applied once, as a whole, and to databases of this program alone. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { Database, Row } from "../../src/db/database.ts";
import { migrate, type Migration, pendingMigrations, readMigrations } from "../../src/db/migrations.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { readStoredTriggers, readTriggers, type Trigger } from "../../src/db/triggers.ts";
import { forEachDatabase, migrateFully, openTestDatabase, testMigrations } from "../helpers/databases.ts";

const EXTRA: readonly Migration[] = ["a", "b", "c", "d"].map((letter) => ({
  name: `9999_${letter}`,
  statements: [
    `CREATE TABLE extra_${letter} (id INTEGER PRIMARY KEY)`,
    `INSERT INTO extra_${letter} VALUES (1)`,
  ],
}));
const EXTRA_NAMES = EXTRA.map(({ name }) => name);

const sql = (text: string) => ({ sql: text, args: {} });

/** The values of each row. */
async function read(database: Database, text: string): Promise<unknown[][]> {
  return (await database.read<Row>(sql(text))).map((row) => Object.values(row));
}

function byName(triggers: readonly Trigger[]): Trigger[] {
  return triggers.toSorted((a, b) => a.name < b.name ? -1 : 1);
}

Deno.test("migrations are read in the order of their numbers, statement by statement", async () => {
  const folder = await Deno.makeTempDir({ prefix: "rolegrid_test_" });
  await Deno.mkdir(`${folder}/points`);
  const two = "CREATE TABLE b (x);\n--> statement-breakpoint\nCREATE TABLE c (x);\n";
  for (const [name, text] of [["0010_b", two], ["0009_a", "CREATE TABLE a (x);"]]) {
    await Deno.writeTextFile(`${folder}/${name}.sql`, text ?? "");
  }
  assert.deepEqual(await readMigrations(new URL(`file://${folder}/`)), [
    { name: "0009_a", statements: ["CREATE TABLE a (x);"] },
    { name: "0010_b", statements: ["CREATE TABLE b (x);", "CREATE TABLE c (x);"] },
  ]);
  await Deno.remove(folder, { recursive: true });
});

forEachDatabase("migrating again does nothing", async (database) => {
  const migrations = [...await testMigrations(), ...EXTRA];
  const triggers = await readTriggers();
  assert.deepEqual(await pendingMigrations(database, migrations), EXTRA_NAMES);
  assert.deepEqual(await migrate(database, migrations, triggers, () => 1234), EXTRA_NAMES);
  assert.deepEqual(await pendingMigrations(database, migrations), []);
  assert.deepEqual(await migrate(database, migrations, triggers), []);
  const applied = "SELECT name, applied_at FROM applied_migration WHERE name >= '9999' ORDER BY name";
  assert.deepEqual(await read(database, applied), EXTRA_NAMES.map((name) => [name, 1234]));
});

forEachDatabase(
  "a failed migration leaves nothing behind, and can be applied once corrected",
  async (database) => {
    const migrations = await testMigrations();
    const broken = { name: "9999_a", statements: ["CREATE TABLE extra_a (id INTEGER)", "CREATE TABLE )"] };
    await assert.rejects(migrateFully(database, [broken]), /syntax|parse/i);
    assert.deepEqual(await pendingMigrations(database, [...migrations, broken]), ["9999_a"]);
    assert.deepEqual(await migrateFully(database, EXTRA), EXTRA_NAMES);
  },
);

forEachDatabase(
  "a database that is newer than the program is refused and left unchanged",
  async (database) => {
    const migrations = await testMigrations();
    await migrateFully(database, EXTRA);
    const older = [...migrations, { name: "9998_other", statements: ["DROP TABLE extra_a"] }];
    await assert.rejects(migrate(database, older, []), {
      name: "UnusableDatabaseError",
      message: /newer than this program: it has 9999_a, 9999_b, 9999_c, 9999_d/,
    });
    assert.deepEqual(await read(database, "SELECT id FROM extra_a"), [[1]]);
    assert.deepEqual(await pendingMigrations(database, migrations), []);
  },
);

/** What builds before 1.0.0 left: whole databases of different times, one half migrated, and its first step alone. */
const EARLIER: Readonly<Record<string, readonly string[]>> = {
  "complete": ["UPDATE applied_migration SET name = '0001_account_security'"],
  "half-migrated": [
    "DROP TABLE root_points",
    "INSERT INTO applied_migration VALUES ('0001_account_security', 1)",
  ],
  "begun": ["DROP TABLE root_points"],
};

for (const [state, statements] of Object.entries(EARLIER)) {
  forEachDatabase(
    `a ${state} database of a build before 1.0.0 is refused and left unchanged`,
    async (database) => {
      await database.write(["DROP TRIGGER role_counted", ...statements].map(sql));
      await assertRefused(
        database,
        /^The database is of a build before 1\.0\.0, .*deno task export.*deno task import/,
      );
    },
  );
}

forEachDatabase(
  "a database with tables of another program is refused and left unchanged",
  async (database) => {
    await database.write([sql("DROP TABLE applied_migration")]);
    await assertRefused(database, /^The database has tables, but not by a migration of this program, /);
  },
);

forEachDatabase("a restore that was interrupted is refused and left unchanged", async (database) => {
  await database.write([sql("DROP TRIGGER role_counted"), sql("DELETE FROM applied_migration")]);
  await assertRefused(database, /a restore to it was interrupted\. Name an empty one\.$/);
});

Deno.test("a file of another program without a write-ahead log stays as it is", async () => {
  const directory = await Deno.makeTempDir({ prefix: "rolegrid_test_" });
  const path = `${directory}/other.db`;
  const other = new DatabaseSync(path);
  other.exec("CREATE TABLE note (text TEXT)");
  other.close();
  const before = await Deno.readFile(path);
  const database = await openDatabase(`file:${path}`);
  await assert.rejects(migrateFully(database), { name: "UnusableDatabaseError" });
  await database.close();
  assert.deepEqual(await Deno.readFile(path), before);
  assert.deepEqual(Array.from(Deno.readDirSync(directory), ({ name }) => name), ["other.db"]);
  await Deno.remove(directory, { recursive: true });
});

async function assertRefused(database: Database, message: RegExp): Promise<void> {
  const state =
    "SELECT name, sql, NULL FROM sqlite_schema UNION ALL SELECT name, value, 'setting' FROM setting";
  const before = await read(database, state);
  const refusal = { name: "UnusableDatabaseError", message };
  await assert.rejects(migrateFully(database, EXTRA), refusal);
  await assert.rejects(pendingMigrations(database, await testMigrations()), refusal);
  assert.deepEqual(await read(database, state), before);
}

Deno.test("a file without tables is migrated, even with those that Litestream makes", async () => {
  await using file = await openTestDatabase("file");
  const empty = await openDatabase(`${file.url}.empty`);
  await empty.write([sql("CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)")]);
  assert.deepEqual(await migrateFully(empty), (await testMigrations()).map(({ name }) => name));
  await empty.close();
});

forEachDatabase("two concurrent migrations apply each step once", async (database, target) => {
  const other = await openDatabase(target.url, { timeoutMs: 30_000 });
  const migrations = [...await testMigrations(), ...EXTRA];
  const applied = await Promise.all([migrateFully(database, EXTRA), migrateFully(other, EXTRA)]);
  assert.deepEqual(applied.flat().sort(), EXTRA_NAMES);
  assert.deepEqual(await pendingMigrations(other, migrations), []);
  await other.close();
});

forEachDatabase("triggers that differ from their files are made anew, in one write", async (database) => {
  await migrateFully(database);
  const wanted = await readStoredTriggers(database);
  await database.write([
    sql("DROP TRIGGER role_counted"),
    sql("DROP TRIGGER key_deleted"),
    sql("CREATE TRIGGER key_deleted AFTER DELETE ON role_key BEGIN SELECT 1; END"),
    sql("CREATE TRIGGER of_an_earlier_version AFTER DELETE ON role BEGIN SELECT 1; END"),
  ]);
  let writes = 0;
  const counting: Database = { ...database, write: (batch) => (writes++, database.write(batch)) };
  assert.deepEqual(await migrateFully(counting), ["triggers"]);
  assert.deepEqual(byName(await readStoredTriggers(database)), byName(wanted));
  assert.deepEqual([await migrateFully(counting), writes], [[], 1]);
});

forEachDatabase(
  "an older version that was about to make its triggers leaves those of a newer one, which came before it",
  async (database) => {
    await migrateFully(database);
    const newer = {
      name: "9999_newer",
      table: "role",
      sql: "CREATE TRIGGER newer AFTER DELETE ON role BEGIN SELECT 1; END",
    };
    const triggers = [...await readTriggers(), newer];
    const late: Database = {
      ...database,
      async write(batch) {
        await migrate(database, [...await testMigrations(), ...EXTRA], triggers);
        return await database.write(batch);
      },
    };
    await database.write([sql("DROP TRIGGER role_counted")]);
    await assert.rejects(migrateFully(late), {
      name: "UnusableDatabaseError",
      message: /newer than this program/,
    });
    assert.ok((await readStoredTriggers(database)).some(({ name }) => name === "newer"));
  },
);
