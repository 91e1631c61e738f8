import assert from "node:assert/strict";
import { migrate, type Migration, pendingMigrations, readMigrations } from "../../src/db/migrations.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { forEachDatabase, testMigrations } from "../helpers/databases.ts";

const EXTRA: readonly Migration[] = ["a", "b", "c", "d"].map((letter) => ({
  name: `9999_${letter}`,
  statements: [
    `CREATE TABLE extra_${letter} (id INTEGER PRIMARY KEY)`,
    `INSERT INTO extra_${letter} VALUES (1)`,
  ],
}));
const EXTRA_NAMES = EXTRA.map(({ name }) => name);

Deno.test("migrations are read in the order of the journal, statement by statement", async () => {
  const [first] = await readMigrations(new URL("../../migrations/", import.meta.url));
  assert.equal(first?.name, "0000_initial");
  assert.ok(first.statements.length > 20, "one statement per table and index");
  for (const statement of first.statements) assert.match(statement, /^(CREATE|INSERT)/);
});

Deno.test("a folder with a malformed journal is refused", async () => {
  const folder = await Deno.makeTempDir({ prefix: "rolegrid_test_" });
  await Deno.mkdir(`${folder}/meta`);
  await Deno.writeTextFile(`${folder}/meta/_journal.json`, `{"entries":[{"idx":0}]}`);
  await assert.rejects(readMigrations(new URL(`file://${folder}/`)), /Cannot read the migrations/);
  await Deno.remove(folder, { recursive: true });
});

forEachDatabase("migrating again does nothing", async (database) => {
  const migrations = [...await testMigrations(), ...EXTRA];
  assert.deepEqual(await pendingMigrations(database, migrations), EXTRA_NAMES);
  assert.deepEqual(await migrate(database, migrations, () => 1234), EXTRA_NAMES);
  assert.deepEqual(await pendingMigrations(database, migrations), []);
  assert.deepEqual(await migrate(database, migrations), []);
  const rows = await database.read({
    sql: "SELECT name, applied_at AS appliedAt FROM applied_migration WHERE name >= '9999' ORDER BY name",
    args: {},
  });
  assert.deepEqual(rows, EXTRA_NAMES.map((name) => ({ name, appliedAt: 1234 })));
});

forEachDatabase("a migration that fails leaves nothing behind and can be mended", async (database) => {
  const migrations = await testMigrations();
  const broken = { name: "9999_a", statements: ["CREATE TABLE extra_a (id INTEGER)", "CREATE TABLE )"] };
  await assert.rejects(migrate(database, [...migrations, broken]), /syntax|parse/i);
  assert.deepEqual(await pendingMigrations(database, [...migrations, broken]), ["9999_a"]);
  assert.deepEqual(await migrate(database, [...migrations, ...EXTRA]), EXTRA_NAMES);
});

forEachDatabase("a database that is ahead of the program is refused and left as it is", async (database) => {
  const migrations = await testMigrations();
  await migrate(database, [...migrations, ...EXTRA]);
  const older = [...migrations, { name: "9998_other", statements: ["DROP TABLE extra_a"] }];
  await assert.rejects(migrate(database, older), {
    name: "RangeError",
    message: /newer than this program: it has 9999_a, 9999_b, 9999_c, 9999_d/,
  });
  assert.deepEqual(await database.read({ sql: "SELECT id FROM extra_a", args: {} }), [{ id: 1 }]);
  assert.deepEqual(await pendingMigrations(database, migrations), []);
});

forEachDatabase("of two that migrate at once each step is applied by one", async (database, target) => {
  const other = await openDatabase(target.url, { timeoutMs: 30_000 });
  const migrations = [...await testMigrations(), ...EXTRA];
  const applied = await Promise.all([migrate(database, migrations), migrate(other, migrations)]);
  assert.deepEqual(applied.flat().sort(), EXTRA_NAMES);
  assert.deepEqual(await pendingMigrations(other, migrations), []);
  await other.close();
});
