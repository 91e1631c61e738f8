import assert from "node:assert/strict";
import type { Database, Row } from "../../src/db/database.ts";
import { migrate, type Migration, pendingMigrations, readMigrations } from "../../src/db/migrations.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { readStoredTriggers, readTriggers, type Trigger } from "../../src/db/triggers.ts";
import { forEachDatabase, migrateFully, testMigrations } from "../helpers/databases.ts";

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

/** A file with all migrations before the one whose name ends like this. */
async function openBefore(end: string) {
  const folder = await Deno.makeTempDir({ prefix: "rolegrid_test_" });
  const database = await openDatabase(`file:${folder}/rolegrid.db`, { timeoutMs: 5000 });
  const migrations = await testMigrations();
  const earlier = migrations.slice(0, migrations.findIndex(({ name }) => name.endsWith(end)));
  await migrate(database, earlier, undefined);
  return {
    database,
    async [Symbol.asyncDispose]() {
      await database.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

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

Deno.test("a migration fills in the sessions of existing factors and transfers from the log", async () => {
  await using before = await openBefore("_codes_of_who_asked");
  const { database } = before;
  const event = (at: number, userId: number, name: string, result: string, session: string) =>
    sql(`INSERT INTO security_event (op_id, at, user_id, event, result, session_id)
      VALUES ('${session}', ${at}, ${userId}, '${name}', '${result}', '${session}')`);
  await database.write([
    event(50, 1, "totp.activate", "wrong", "a"),
    event(50, 1, "totp.activate", "ok", "b"),
    event(50, 2, "totp.activate", "ok", "c"),
    event(60, 1, "recovery_code.reset", "ok", "d"),
    event(70, 1, "email.transfer", "ok", "e"),
    sql(`INSERT INTO second_factor (user_id, kind, activated_at)
      VALUES (1, 'totp', 50), (1, 'recovery_code', 60), (1, 'email_otp', NULL), (3, 'totp', 50)`),
    sql("INSERT INTO undo_link (mac, user_id, email, created_at, expires_at) VALUES ('m', 1, 'e', 70, 80)"),
  ]);
  await migrateFully(database);
  const activated = await read(database, "SELECT activated_by FROM second_factor ORDER BY user_id, kind");
  assert.deepEqual(activated.flat(), [null, "d", "b", null]);
  assert.deepEqual(await read(database, "SELECT completed_by FROM undo_link"), [["e"]]);
});

Deno.test("a migration fills in the setters of existing role passwords from the log, where it has them", async () => {
  await using before = await openBefore("_merged_refusals");
  const { database } = before;
  const role = (id: number, hash: string) =>
    sql(`INSERT INTO role (id, name, self_rights, password_hash, password_rights)
      VALUES (${id}, 'r', 0, ${hash}, CASE WHEN ${hash} IS NOT NULL THEN 4 END)`);
  let at = 0;
  const change = (roleId: number, actorId: number, kind: string, decision: string) =>
    sql(`INSERT INTO change_log (op_id, at, actor_id, session_id, kind, role_id, decision, effect)
      VALUES ('${++at}', ${at}, ${actorId}, 's', '${kind}', ${roleId}, '${decision}', 'none')`);
  await database.write([
    role(1, "'set twice'"),
    role(2, "'from before the log'"),
    role(3, "NULL"),
    change(1, 11, "role.password_set", "ok"),
    change(1, 12, "role.password_set", "ok"),
    change(1, 13, "role.password_set", "denied"),
    change(1, 13, "role.update", "ok"),
    change(3, 11, "role.password_set", "ok"),
    change(3, 11, "role.password_removed", "ok"),
  ]);
  await migrateFully(database);
  const rows = await read(database, "SELECT id, password_set_by, password_set_at FROM role ORDER BY id");
  assert.deepEqual(rows, [[1, 12, 2], [2, null, null], [3, null, null]]);
});

Deno.test("a migration begins the history of an existing graph with its last revision", async () => {
  await using before = await openBefore("_history_and_keys");
  const { database } = before;
  const change = (rev: number, at: number) =>
    sql(`INSERT INTO change_log (rev, op_id, at, actor_id, session_id, kind, decision, effect)
      VALUES (${rev}, '${rev}', ${at}, 1, 's', 'role.create', 'ok', 'grow')`);
  await database.write([
    sql("INSERT INTO role (id, name, self_rights) VALUES (1, 'a', 5), (2, 'b', 6)"),
    sql("INSERT INTO manages (id, parent_id, child_id, rights) VALUES (3, 1, 2, 7)"),
    sql("INSERT INTO member (id, role_id, user_id) VALUES (4, 1, 8)"),
    // A clock went back.
    change(16, 2000),
    change(17, 1000),
  ]);
  await migrateFully(database);
  const open = Number.MAX_SAFE_INTEGER;
  const roles = await read(database, "SELECT role_id, self_rights, from_rev, to_rev FROM role_history");
  assert.deepEqual(roles, [[1, 5, 17, open], [2, 6, 17, open]]);
  const relations = "SELECT relation_id, parent_id, child_id, rights, from_rev, to_rev FROM manages_history";
  assert.deepEqual(await read(database, relations), [[3, 1, 2, 7, 17, open]]);
  const members = "SELECT member_id, role_id, user_id, rights, ends_at, from_rev, to_rev FROM member_history";
  assert.deepEqual(await read(database, members), [[4, 1, 8, 63, null, 17, open]]);
  assert.deepEqual(await read(database, "SELECT id, rights, ends_at FROM member"), [[4, 63, null]]);
  assert.deepEqual(await read(database, "SELECT value FROM setting WHERE name = 'history_from'"), [["17"]]);
  // From now on the time of a change is not before that of the last.
  await database.write([change(18, 500), change(19, 3000), change(20, 2999)]);
  const times = await read(database, "SELECT rev, at FROM change_log WHERE rev > 16 ORDER BY rev");
  assert.deepEqual(times, [[17, 1000], [18, 1000], [19, 3000], [20, 3000]]);
});

Deno.test("a migration fills in who acted through which role, as far as log and history tell", async () => {
  await using before = await openBefore("_evidence");
  const { database } = before;
  const change = (kind: string, actorId: number, columns: string, values: string) =>
    sql(`INSERT INTO change_log (op_id, at, actor_id, session_id, kind, decision, effect, ${columns})
      SELECT hex(randomblob(8)), 0, ${actorId}, 's', '${kind}', 'ok', 'write', ${values}`);
  await database.write([
    change("role.bootstrap", 7, "role_id", "1"),
    sql("INSERT INTO role (id, name, self_rights) VALUES (1, 'a', 5), (2, 'b', 6)"),
    sql("INSERT INTO member (id, role_id, user_id) VALUES (3, 1, 7)"),
    change("role.create", 7, "role_id, relation_id", "2, 4"),
    sql("INSERT INTO manages (id, parent_id, child_id, rights) VALUES (4, 1, 2, 7)"),
    change("member.add", 7, "role_id, relation_id", "2, 5"),
    sql("INSERT INTO member (id, role_id, user_id) VALUES (5, 2, 8)"),
    change("member.add", 7, "role_id, relation_id", "2, 6"),
    sql("INSERT INTO member (id, role_id, user_id) VALUES (6, 2, 7)"),
    // From now on, two roles may have authorized what they do.
    change("role.password_set", 7, "role_id", "2"),
    sql("UPDATE role SET password_hash = 'h', password_rights = 1, password_set_by = 7 WHERE id = 2"),
    // A key, which is deleted since.
    change("key.create", 8, "role_id, relation_id, details", `2, 9, '{"name":"gate"}'`),
    change("member.remove", 8, "role_id, relation_id", "2, 5"),
    sql("DELETE FROM member WHERE id = 5"),
    change("member.add", 0, "role_id, relation_id", "1, 10"),
    sql("INSERT INTO member (id, role_id, user_id) VALUES (10, 1, 11)"),
  ]);
  await migrateFully(database);
  const log = await read(database, "SELECT kind, via_role_id FROM change_log ORDER BY rev");
  assert.deepEqual(log, [
    ["role.bootstrap", null],
    ["role.create", 1],
    ["member.add", 1],
    ["member.add", 1],
    ["role.password_set", null],
    ["key.create", 2],
    ["member.remove", 2],
    ["member.add", null],
  ]);
  const members = "SELECT id, given_by, given_via FROM member ORDER BY id";
  assert.deepEqual(await read(database, members), [[3, null, null], [6, 7, 1], [10, null, null]]);
  assert.deepEqual(await read(database, "SELECT given_by, given_via FROM manages"), [[7, 1]]);
  const history = "SELECT given_by, given_via FROM member_history WHERE member_id = 6";
  assert.deepEqual(await read(database, history), [[7, 1]]);
  assert.deepEqual(await read(database, "SELECT role_id, name FROM role_history"), [[1, "a"], [2, "b"]]);
  assert.deepEqual(await read(database, "SELECT id, role_id, name, created_by FROM deleted_key"), [
    [9, 2, "gate", 8],
  ]);
});

Deno.test("a migration keeps existing series, and gives no id of a deleted series again", async () => {
  await using before = await openBefore("_ids_of_series");
  const { database } = before;
  await database.write([
    sql(
      "INSERT INTO series (id, tag_set_id, field, kind, last_day) VALUES (7, 1, 'watts', 'number', NULL), (9, 1, 'on', 'boolean', 8)",
    ),
  ]);
  await migrateFully(database);
  await database.write([
    sql("INSERT INTO device (id, node_id, properties, updated_at) VALUES (1, 'meter', '{}', 0)"),
    sql(
      "INSERT INTO tag_set (id, device_id, measurement, database, retention_policy, tags) VALUES (1, 1, 'm', 'd', 'r', '{}')",
    ),
    sql("DELETE FROM series WHERE id = 9"),
    sql("INSERT INTO series (tag_set_id, field, kind) VALUES (1, 'volts', 'number')"),
  ]);
  const rows = await read(database, "SELECT id, field, kind, last_day FROM series ORDER BY id");
  assert.deepEqual(rows, [[7, "watts", "number", null], [10, "volts", "number", null]]);
  assert.deepEqual(await read(database, "SELECT value FROM setting WHERE name = 'deleted_series'"), [["1"]]);
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
    await assert.rejects(migrate(database, older, undefined), {
      name: "RangeError",
      message: /newer than this program: it has 9999_a, 9999_b, 9999_c, 9999_d/,
    });
    assert.deepEqual(await read(database, "SELECT id FROM extra_a"), [[1]]);
    assert.deepEqual(await pendingMigrations(database, migrations), []);
  },
);

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
    await assert.rejects(migrateFully(late), { name: "RangeError", message: /newer than this program/ });
    assert.ok((await readStoredTriggers(database)).some(({ name }) => name === "newer"));
  },
);
