/** The recipe of one more right, followed in a copy of the schema and on a database that is in use. */
import assert from "node:assert/strict";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Migration, readMigrations } from "../../src/db/migrations.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { readStoredTriggers, readTriggers } from "../../src/db/triggers.ts";
import { migrateFully } from "../helpers/databases.ts";
import { forEachApp, query, queryNumber } from "../helpers/http.ts";
import { bootstrap, type Manages, type Role } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { generate } from "./drizzle_kit.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const NOW = "(SELECT coalesce(max(rev), 0) FROM change_log)";
const OPEN = 9007199254740991;
const FULL = "SELECT id FROM role WHERE self_rights = 127";

/** Gives the right to roots and memberships that have all others. The history says so, too, since no trigger does. */
const GIVE_RIGHT = [
  "UPDATE role SET self_rights = 127 WHERE is_root = 1 AND self_rights = 63",
  `DELETE FROM role_history WHERE to_rev = ${OPEN} AND from_rev = ${NOW} AND role_id IN (${FULL})`,
  `UPDATE role_history SET to_rev = ${NOW} WHERE to_rev = ${OPEN} AND role_id IN (${FULL})`,
  `INSERT INTO role_history (role_id, self_rights, name, from_rev, to_rev)
   SELECT id, self_rights, name, ${NOW}, ${OPEN} FROM role WHERE self_rights = 127`,
  "UPDATE member SET rights = 127 WHERE rights = 63",
  `DELETE FROM member_history WHERE to_rev = ${OPEN} AND from_rev = ${NOW} AND rights = 63`,
  `UPDATE member_history SET to_rev = ${NOW} WHERE to_rev = ${OPEN} AND rights = 63`,
  `INSERT INTO member_history (member_id, role_id, user_id, rights, ends_at, given_by, given_via, from_rev, to_rev)
   SELECT id, role_id, user_id, rights, ends_at, given_by, given_via, ${NOW}, ${OPEN} FROM member WHERE rights = 127`,
];

let migration: Promise<Migration> | undefined;

/** Has drizzle-kit write the migration to seven rights, and completes it. */
async function writeMigration(): Promise<Migration> {
  const copy = await Deno.makeTempDir({ prefix: "rolegrid_seventh_right_" });
  try {
    for (const folder of ["src/db/schema", "migrations", "migrations/meta", "tests"]) {
      await Deno.mkdir(`${copy}/${folder}`, { recursive: true });
      for (const { name, isFile } of Deno.readDirSync(ROOT + folder)) {
        if (isFile) await Deno.copyFile(`${ROOT}${folder}/${name}`, `${copy}/${folder}/${name}`);
      }
    }
    for (const packages of ["node_modules", "tests/node_modules"]) {
      await Deno.symlink(ROOT + packages, `${copy}/${packages}`);
    }
    const path = `${copy}/src/db/schema/role.ts`;
    const schema = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, schema.replaceAll("AND 63", "AND 127").replaceAll("(63)", "(127)"));
    await generate({ schema: "src/db/schema", out: `${copy}/migrations`, name: "seventh_right" }, copy);
    const generated = (await readMigrations(pathToFileURL(`${copy}/migrations/`))).at(-1);
    assert.match(generated?.name ?? "", /_seventh_right$/);
    const statements = generated?.statements ?? [];
    // drizzle-kit takes the expression of an index for a name if it makes the table anew.
    const corrected = statements.map((sql) => sql.replace("`name COLLATE NOCASE`", "name COLLATE NOCASE"));
    return { name: generated?.name ?? "", statements: [...corrected, ...GIVE_RIGHT] };
  } finally {
    await Deno.remove(copy, { recursive: true });
  }
}

const TABLES = [
  { table: "role", id: "role_id", columns: "self_rights, name" },
  { table: "manages", id: "relation_id", columns: "parent_id, child_id, rights" },
  { table: "member", id: "member_id", columns: "role_id, user_id, rights, ends_at" },
] as const;

/** What history says of a revision, by default of now, which must be what the tables say. */
async function readState(target: TestApp, revision?: number): Promise<unknown> {
  const at = revision ?? await queryNumber(target, "SELECT max(rev) FROM change_log");
  const then = await Promise.all(TABLES.map(({ table, id, columns }) =>
    query(
      target,
      `SELECT ${id} AS id, ${columns} FROM ${table}_history WHERE from_rev <= :at AND to_rev > :at ORDER BY 1`,
      { at },
    )
  ));
  if (revision !== undefined) return then;
  const now = TABLES.map(({ table, columns }) =>
    query(target, `SELECT id, ${columns} FROM ${table} ORDER BY 1`)
  );
  assert.deepEqual(then, await Promise.all(now));
  return then;
}

forEachApp(
  "a right more is one migration, beside a service that keeps writing, and triggers go on",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    const siteId = await admin.create(rootId, "Site");
    const lowId = await admin.create(siteId, "Low", rights("roleManagement"), rights("viewManagement"));
    await admin.put(`/v1/role/${siteId}/member?userEmail=full@example.com`);
    await admin.put(`/v1/role/${siteId}/member?userEmail=part@example.com`, {
      rights: rights("userManagement"),
    });
    const revision = await queryNumber(target, "SELECT max(rev) FROM change_log");
    const before = await readState(target);
    await admin.put(`/v1/role/${lowId}`, { name: "Lower", selfRights: rights("viewManagement") });

    migration ??= writeMigration();
    const seventh = await migration;
    const migrating = await openDatabase(target.url, { timeoutMs: 30_000 });
    const created = Promise.all(Array.from({ length: 12 }, (_, i) => admin.create(siteId, `Beside ${i}`)));
    assert.deepEqual(await migrateFully(migrating, [seventh]), [seventh.name]);
    assert.equal(new Set(await created).size, 12);
    assert.deepEqual(await migrateFully(migrating, [seventh]), []);
    await migrating.close();
    assert.deepEqual(
      new Set((await readStoredTriggers(target.database)).map(({ sql }) => sql)),
      new Set((await readTriggers()).map(({ sql }) => sql)),
    );

    // The past is as it was, and the right is there, but for roles and memberships that lacked one.
    assert.deepEqual(await readState(target, revision), before);
    await readState(target);
    assert.deepEqual(
      await query(
        target,
        "SELECT self_rights AS held FROM role WHERE name IN ('Lower', 'Energy Inc') ORDER BY id",
      ),
      [{ held: 127 }, { held: 4 }],
    );
    assert.deepEqual(
      await query(
        target,
        "SELECT rights FROM member JOIN user_account ON user_account.id = user_id ORDER BY email",
      ),
      [{ rights: 127 }, { rights: 127 }, { rights: 2 }],
    );
    await target.database.write([{
      sql: `UPDATE manages SET rights = 127 WHERE child_id = ${siteId}`,
      args: {},
    }]);
    assert.equal(await queryNumber(target, `SELECT rights FROM manages WHERE child_id = ${siteId}`), 127);
    await readState(target);

    // The service of before goes on, with history, counts and the index of texts.
    assert.deepEqual(await admin.holds(rootId, "roleManagement", "alarmManagement"), [true, true]);
    const { role: [root] } = await admin.post<{ role: Role[] }>("/v1/role/query");
    assert.deepEqual(root?.selfRights, ALL);
    await admin.put(`/v1/role/${lowId}`, { name: "Deepest", selfRights: ALL });
    const { manages } = await admin.post<{ manages: Manages[] }>(`/v1/role/${siteId}/manages/query`);
    const relation = manages.find(({ childRoleId }) => childRoleId === lowId)?.id;
    await admin.put(`/v1/role/${siteId}/manages/${relation}`, ALL);
    await admin.put(`/v1/role/${siteId}/member?userEmail=part@example.com`, { rights: ALL });
    await readState(target);
    await admin.delete(`/v1/role/${siteId}/manages/${relation}`);
    await readState(target);
    const found = await admin.post<{ role: { id: number }[] }>("/v1/search", {
      text: "beside 1",
      kind: ["role"],
    });
    assert.equal(found.role.length, 3);
    assert.equal(
      await queryNumber(target, "SELECT roles FROM root_usage WHERE branch = ''"),
      await queryNumber(target, "SELECT count(*) FROM role WHERE counted_to IS NOT NULL"),
    );
  },
);
