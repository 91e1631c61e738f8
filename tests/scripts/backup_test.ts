/** Backups and restores, of files and servers, keep every value and every acknowledged change. */
import assert from "node:assert/strict";
import { basename } from "node:path";
import type { Database, Row } from "../../src/db/database.ts";
import { backupFile, backupServer, checkBackup } from "../../src/db/backup/backup.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { verifyClosure } from "../../src/graph/closure/closure_service.ts";
import { exists } from "../../scripts/lib/backup_files.ts";
import { prepareRestore } from "../../scripts/lib/restore_backup.ts";
import { openPointsFile } from "../../src/telemetry/sqlite/points_file.ts";
import { keepDevelopmentKeys } from "../../src/service/development_keys.ts";
import { logInFully, readResponse } from "../helpers/http.ts";
import { startHelper } from "../helpers/processes.ts";
import { startSqld } from "../helpers/sqld.ts";
import { ADMIN, ADMIN_PASSWORD, ALL } from "../every_operation/request_catalogue.ts";
import { assertSoundGraph } from "../helpers/sound_graph.ts";
import { openHashingApp } from "../helpers/test_app.ts";
import { fieldOf, type PointsOrder } from "../crash/write_points_until_killed.ts";
import { openTelemetryScene } from "../telemetry/telemetry_scene.ts";
import { assertRefused, runOn, runScript } from "./run_script.ts";
import {
  type DatabaseKind,
  forEachKind,
  openTestDatabase,
  testMigrations,
  testOn,
} from "../helpers/databases.ts";

const LANES = 4;
/** Number of roles, and of successful changes, before the backup begins. */
const CHANGES_BEFORE = 60;

async function rows(database: Database, sql: string): Promise<Row[]> {
  return await database.read({ sql, args: {} });
}

/** The names of the files in a folder. */
function namesIn(directory: string): string[] {
  return Array.from(Deno.readDirSync(directory), ({ name }) => name).sort();
}

const SETTINGS = "SELECT name FROM setting WHERE name <> 'history_from'";

/** Opens a database for the time of one question. */
async function ask<T>(url: string, question: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(url);
  try {
    return await question(database);
  } finally {
    await database.close();
  }
}

/** The whole content of a database, table by table, with the type of each value. */
async function dump(database: Database): Promise<Map<string, unknown[]>> {
  const ids = await rows(database, "SELECT name, seq FROM sqlite_sequence ORDER BY name");
  return (await dumpTables(database)).set("ids", ids);
}

async function dumpTables(database: Database): Promise<Map<string, unknown[]>> {
  const all = new Map<string, unknown[]>();
  const tables = await rows(
    database,
    "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite%' AND name NOT LIKE 'libsql%' ORDER BY name",
  );
  for (const { name, sql } of tables as { name: string; sql: string }[]) {
    all.set(name, [sql.replace("IF NOT EXISTS ", "")]);
    // A text index is filled anew, so its tables are different. That it finds texts is tested below.
    if (!/^CREATE TABLE/.test(sql) || name.includes("_search_")) continue;
    const columns = await rows(database, `SELECT name FROM pragma_table_info('${name}')`);
    const values = columns.map((column) => `typeof("${column["name"]}") || quote("${column["name"]}")`);
    const content = `SELECT ${values.join(" || ")} AS v FROM "${name}" ORDER BY v`;
    all.get(name)?.push(...await rows(database, content));
  }
  return all;
}

const UNUSUAL_VALUES = [
  "INSERT INTO role (id, name, self_rights, is_root) VALUES (7, 'it''s; \"Ö\" ' || char(10) || ' -- ', 63, 1)",
  `INSERT INTO point (series_id, time, value) VALUES (1, 1700000000123456789, 3.0), (1, 2, 0.1), (1, 3, 3),
    (1, 4, 'text'), (1, 5, 1e300), (1, -6, -9223372036854775807)`,
  `INSERT INTO change_log (op_id, at, actor_id, session_id, kind, decision, step)
    VALUES ('gone', 1, 1, 's', 'k', 'ok', 'none'), ('kept', 1, 1, 's', 'k', 'ok', 'none')`,
  "DELETE FROM change_log",
  // Pages are limited by length as well as by number of rows.
  "INSERT INTO setting (name, value) VALUES ('long', printf('%.*c', 3000000, 'x')), ('short', '')",
  `INSERT INTO throttle (scope, key, count, started_at, expires_at) SELECT 's', value, 1, 2, 3
    FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 23000) SELECT value FROM n)`,
];

forEachKind(
  "a backup restored to a file or a server has every value unchanged",
  async (kind) => {
    await using opened = await openTestDatabase(kind);
    const { database, url } = opened;
    await database.write(UNUSUAL_VALUES.map((sql) => ({ sql, args: {} })));
    const directory = await Deno.makeTempDir();
    const backup = `${directory}/backup.db`;
    const made = await runOn(url, "backup.ts", backup);
    assert.equal(made.code, 0, made.stderr);
    assert.equal(((await Deno.stat(backup)).mode ?? 0) & 0o777, 0o600);
    const server = await startSqld();
    const expected = await dump(database);
    for (const target of [`file:${directory}/restored.db`, server.url]) {
      const restored = await runOn(target, "restore.ts", backup);
      assert.deepEqual([restored.code, restored.stderr], [0, ""]);
      assert.match(restored.stdout, /^Restored: 0 relations, 0 rows/);
      const again = await runOn(target, "restore.ts", backup);
      assert.equal(again.code, 1);
      assert.match(again.stderr, /^The database is not empty\./);
      assert.deepEqual(await ask(target, dump), expected);
      const found = "SELECT rowid AS id FROM role_search WHERE role_search MATCH '\"t''s\"'";
      assert.deepEqual(await ask(target, (database) => rows(database, found)), [{ id: 7 }]);
    }
    await server.stop();
    await Deno.remove(directory, { recursive: true });
  },
);

/**
 * Changes roles over HTTP with several concurrent clients, until told to stop. `acknowledged` grows with each
 * response.
 */
function startLoad(baseUrl: string, token: string, rootId: number): {
  acknowledged: Map<number, string>;
  finish(): Promise<void>;
} {
  const acknowledged = new Map<number, string>();
  let going = true;
  const ask = async (method: string, path: string, body: unknown): Promise<unknown> => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const answer = await readResponse(
      await fetch(baseUrl + path, { method, headers, body: JSON.stringify(body) }),
    );
    // A busy server may respond so. Then the outcome is unknown.
    if (answer.status !== 200) assert.equal(answer.status, 503, answer.text);
    return answer.status === 200 ? answer.body : undefined;
  };
  const lane = async (n: number): Promise<void> => {
    let parentId = rootId;
    for (let i = 0; going; i++) {
      const role = { name: `lane ${n} role ${i}`, selfRights: ALL };
      const made = await ask("POST", `/v1/role?parentRoleId=${parentId}`, { manages: ALL, role }) as
        | { role: { id: number } }
        | undefined;
      if (made === undefined) continue;
      acknowledged.set(made.role.id, role.name);
      if (i % 3 === 0) {
        const name = `${role.name} renamed`;
        if (await ask("PUT", `/v1/role/${made.role.id}`, { ...role, name }) !== undefined) {
          acknowledged.set(made.role.id, name);
        }
      }
      parentId = i % 5 === 4 ? rootId : made.role.id;
    }
  };
  const lanes = Array.from({ length: LANES }, (_, n) => lane(n));
  return {
    acknowledged,
    async finish(): Promise<void> {
      going = false;
      await Promise.all(lanes);
    },
  };
}

async function restoreAndCheck(
  backup: string,
  url: string,
  known: ReadonlyMap<number, string>,
): Promise<void> {
  const restored = await runOn(url, "restore.ts", backup);
  assert.deepEqual([restored.code, restored.stderr], [0, ""]);
  await ask(url, async (copy) => {
    assert.deepEqual(await rows(copy, "PRAGMA integrity_check"), [{ integrity_check: "ok" }]);
    await assertSoundGraph({ database: copy });
    const { relations } = await verifyClosure(copy);
    const found = await rows(copy, "SELECT id, name FROM role") as { id: number; name: string }[];
    const names = new Map(found.map(({ id, name }) => [id, name]));
    for (const [id, name] of known) {
      // Roles renamed before the backup have their new name; those renamed later may have it, too.
      assert.ok(names.get(id) === name || names.get(id) === `${name} renamed`, `${id}: ${name}`);
    }
    assert.equal(relations, found.length - 1);
    const halves = `SELECT (SELECT count(*) FROM change_log WHERE kind = 'role.create' AND step = 'grow')
      - (SELECT count(*) FROM manages) AS unlogged,
      (SELECT last_id FROM id_sequence WHERE name = 'node') - (SELECT max(id) FROM role) AS unused`;
    assert.deepEqual(await rows(copy, halves), [{ unlogged: 0, unused: 0 }]);
  });
}

async function backUpUnderLoad(kind: DatabaseKind): Promise<void> {
  await using target = await openHashingApp(kind, {}, { onDisk: true });
  const { userId, roleId } = await target.bootstrapRoot(ADMIN, "Energy Inc");
  await target.setPassword(userId, ADMIN_PASSWORD);
  await keepDevelopmentKeys(target.database);
  const service = startHelper("serve_database.ts", [target.url]);
  const baseUrl = `http://127.0.0.1:${await service.nextLine()}`;
  const request: typeof target.request = (path, init) => fetch(baseUrl + path, init);
  const { accessToken } = await logInFully({ request }, ADMIN, ADMIN_PASSWORD);
  const load = startLoad(baseUrl, accessToken, roleId);
  const directory = await Deno.makeTempDir();
  for (const n of [1, 2]) {
    while (load.acknowledged.size < n * CHANGES_BEFORE) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const known = new Map(load.acknowledged);
    const made = await runOn(target.url, "backup.ts", `${directory}/${n}.db`);
    assert.equal(made.code, 0, made.stderr);
    assert.ok(load.acknowledged.size > known.size, "nothing was changed during the backup");
    await restoreAndCheck(`${directory}/${n}.db`, `file:${directory}/restored${n}.db`, known);
  }
  await load.finish();
  await service.finish();
  await Deno.remove(directory, { recursive: true });
}

forEachKind(
  "a backup during changes has every change acknowledged before it, and none by half",
  backUpUnderLoad,
);

Deno.test("backup keeps an existing file unless forced, and leaves no other files behind", async () => {
  await using file = await openTestDatabase("file");
  const directory = await Deno.makeTempDir();
  const path = `${directory}/backup.db`;
  await Deno.writeTextFile(path, "mine");
  assertRefused(await runOn(file.url, "backup.ts", path), /already exists\. .*--force/);
  assert.equal(await Deno.readTextFile(path), "mine");
  assert.equal((await runOn(file.url, "backup.ts", path, "--force")).code, 0);
  assert.equal((await runOn(`file:${directory}/new.db`, "restore.ts", path)).code, 0);
  assertRefused(
    await runOn(`file:${directory}/empty.db`, "backup.ts", `${directory}/nothing.db`),
    /^There is nothing to back up: .*empty\.db does not exist\. Check TURSO_DATABASE_URL\.\n$/,
  );
  const names = namesIn(directory).map((name) => name.replace(/-(wal|shm)$/, ""));
  assert.deepEqual([...new Set(names)], ["backup.db", "new.db"]);
  await Deno.remove(directory, { recursive: true });
});

interface RestoreScene extends AsyncDisposable {
  readonly directory: string;
  /** An empty database. */
  readonly backup: string;
  /** Where the database is to be. */
  readonly target: string;
  /** Restores a backup as the task does, and returns the new names of earlier files. */
  restore(options?: { from?: string; to?: string; force?: boolean }): Promise<string[]>;
  /** Puts the logs of a database with a setting beside the target, as a killed process leaves them. */
  leaveLogs(): Promise<void>;
  settingsOf(path: string): Promise<unknown[]>;
}

async function openRestoreScene(): Promise<RestoreScene> {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  const [backup, target] = [`${directory}/backup.db`, `${directory}/target.db`];
  await using file = await openTestDatabase("file");
  await backupFile(file.url.replace("file:", ""), backup);
  const migrations = await testMigrations();
  return {
    directory,
    backup,
    target,
    async restore({ from = backup, to = target, force = false } = {}): Promise<string[]> {
      const variable = "TURSO_DATABASE_URL";
      await using prepared = await prepareRestore({ backup: from, target: to, migrations, force, variable });
      return await prepared.finish();
    },
    async leaveLogs(): Promise<void> {
      await using source = await openTestDatabase("file");
      await source.database.write([{ sql: addSetting("lost"), args: {} }]);
      for (const suffix of ["-wal", "-shm"]) {
        await Deno.copyFile(source.url.replace("file:", "") + suffix, target + suffix);
      }
    },
    async settingsOf(path): Promise<unknown[]> {
      return await ask(`file:${path}`, async (copy) => {
        assert.deepEqual(await rows(copy, "PRAGMA integrity_check"), [{ integrity_check: "ok" }]);
        return (await rows(copy, SETTINGS)).map(({ name }) => name);
      });
    },
    [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }),
  };
}

function addSetting(name: string): string {
  return `INSERT INTO setting (name, value) VALUES ('${name}', '')`;
}

Deno.test("restore refuses what is no backup of this program", async () => {
  await using scene = await openRestoreScene();
  const { directory, backup } = scene;
  const bytes = await Deno.readFile(backup);
  const text = "no database, but a text that is long enough to be one".repeat(99);
  await Deno.writeTextFile(`${directory}/text.db`, text);
  await Deno.writeFile(`${directory}/cut.db`, bytes.subarray(0, bytes.length / 2));
  await Deno.copyFile(backup, `${directory}/newer.db`);
  for (
    const [name, sql] of [
      ["foreign", "CREATE TABLE t (x)"],
      ["newer", "INSERT INTO applied_migration VALUES ('9999_future', 1)"],
    ] as const
  ) await ask(`file:${directory}/${name}.db`, (database) => database.write([{ sql, args: {} }]));
  const refusals = {
    text: /^The file is not a database: .*Nothing was changed\.$/,
    cut: /^The file is (damaged|not a database): /,
    missing: /^The file .* does not exist\./,
    foreign: /not a backup of this program/,
    newer: /newer than this program: it has 9999_future/,
  };
  for (const [name, message] of Object.entries(refusals)) {
    await assert.rejects(scene.restore({ from: `${directory}/${name}.db` }), { name: "TaskError", message });
  }
  const cut = await runOn(`file:${scene.target}`, "restore.ts", `${directory}/cut.db`);
  assertRefused(cut, /^The file is (damaged|not a database): .*Nothing was changed\.\n$/);
  assert.equal(await exists(scene.target), false);
});

Deno.test("restore refuses a database in use, and with --force it keeps the old one", async () => {
  await using scene = await openRestoreScene();
  const { directory, backup, target } = scene;
  assert.equal((await runOn(`file:${target}`, "restore.ts", backup)).code, 0);
  const open = await openDatabase(`file:${target}`);
  await open.write([{ sql: addSetting("here"), args: {} }]);
  const refused = await runOn(`file:${target}`, "restore.ts", backup, "--force");
  assertRefused(refused, /^Another program has the database open: stop the service first\.\n$/);
  assert.deepEqual(await rows(open, SETTINGS), [{ name: "here" }]);
  const moved = `${directory}/moved.db`;
  await open.close();
  // This process releases its handles late, so only a copy shows what another process would find.
  await Deno.copyFile(target, moved);
  const forced = await runOn(`file:${moved}`, "restore.ts", backup, "--force");
  assert.equal(forced.code, 0, forced.stderr);
  const aside = /^The previous files are kept as (.+)\.$/m.exec(forced.stdout)?.[1] ?? "";
  assert.deepEqual(await scene.settingsOf(aside), ["here"]);
  assert.deepEqual(await scene.settingsOf(moved), []);
});

Deno.test("a backup that lacks a migration of this version is sound", async () => {
  await using scene = await openRestoreScene();
  checkBackup(scene.backup, [...await testMigrations(), { name: "9999_later", statements: [] }]);
});

for (const place of ["missing", "empty"] as const) {
  Deno.test(`restore does not merge the logs of a lost database into the restored one (${place})`, async () => {
    await using scene = await openRestoreScene();
    const { target } = scene;
    await scene.leaveLogs();
    await Deno.writeFile(`${target}-journal`, (await Deno.readFile(`${target}-wal`)).subarray(0, 1024));
    if (place === "empty") await Deno.writeFile(target, new Uint8Array());
    const kept = await scene.restore();
    assert.deepEqual(kept.map((name) => name.replace(/.*Z/, "")), ["-wal", "-shm", "-journal"]);
    assert.deepEqual(await scene.settingsOf(target), []);
    const aside = namesIn(scene.directory).filter((name) => name.includes("before"));
    assert.deepEqual(aside, kept.map((path) => basename(path)).sort());
  });
}

const DAMAGES: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  "a header of zeros": (bytes) => bytes.fill(0, 0, 16),
  "a first page that is scribbled over": (bytes) => bytes.fill(255, 100, 200),
  "half of the file": (bytes) => bytes.subarray(0, bytes.length / 2),
  "a schema format of the future": (bytes) => bytes.fill(9, 44, 48),
  "a short text": () => new TextEncoder().encode("SECRET=1"),
};

for (const [what, damage] of Object.entries(DAMAGES)) {
  Deno.test(`restore replaces a damaged database only if forced, and keeps it with its logs: ${what}`, async () => {
    await using scene = await openRestoreScene();
    const { target } = scene;
    const bytes = damage(await Deno.readFile(scene.backup));
    await Deno.writeFile(target, bytes);
    await scene.leaveLogs();
    await assert.rejects(scene.restore(), {
      name: "TaskError",
      message: /^The existing file is not a database, or is damaged\. Stop the service .*--force/,
    });
    assert.equal((await Deno.stat(target)).size, bytes.length);
    const kept = await scene.restore({ force: true });
    assert.equal((await Deno.stat(kept[0] ?? "")).size, bytes.length);
    // The log exists, unless SQLite has already merged it into the file.
    const contents = kept.map((path) => new TextDecoder().decode(Deno.readFileSync(path)));
    assert.ok(contents.some((content) => content.includes("lost")), kept.join());
    assert.deepEqual(await scene.settingsOf(target), []);
  });
}

Deno.test("a forced restore that fails at its last step leaves the database in place", async () => {
  await using scene = await openRestoreScene();
  const { target } = scene;
  await Deno.copyFile(scene.backup, target);
  const before = await Deno.readFile(target);
  const { rename } = Deno;
  const broken = (from: string | URL, to: string | URL): Promise<void> => {
    return to === target ? Promise.reject(new Error("broken off")) : rename(from, to);
  };
  Object.assign(Deno, { rename: broken });
  try {
    await assert.rejects(scene.restore({ force: true }), { message: "broken off" });
  } finally {
    Object.assign(Deno, { rename });
  }
  assert.deepEqual(await Deno.readFile(target), before);
  const names = namesIn(scene.directory).map((name) => name.replace(/before-.*/, "before"));
  assert.deepEqual(names, ["backup.db", "target.db", "target.db.before"]);
});

Deno.test("restore follows a symbolic link to the database, even if the target does not exist yet", async () => {
  await using scene = await openRestoreScene();
  const { directory } = scene;
  await Deno.mkdir(`${directory}/disk`);
  const to = `${directory}/link.db`;
  await Deno.symlink("disk/real.db", to);
  for (const force of [false, true]) {
    await scene.restore({ to, force });
    assert.ok((await Deno.lstat(to)).isSymlink);
  }
  assert.deepEqual(await scene.settingsOf(`${directory}/disk/real.db`), []);
  const aside = namesIn(`${directory}/disk`).filter((name) => /^real\.db\.before-[^-]+$/.test(name));
  assert.equal(aside.length, 1);
});

forEachKind(
  "a backup has the points of a file of their own, and is restored with them or without",
  async (kind) => {
    await using opened = await openTestDatabase(kind);
    const directory = await Deno.makeTempDir();
    const run = (name: string, url: string, pointsName: string, ...args: string[]) =>
      runScript(name, {
        env: { TURSO_DATABASE_URL: url, TELEMETRY_URL: pointsName && `file:${directory}/${pointsName}` },
        args: [backup, ...args],
      });
    const backup = `${directory}/backup.db`;
    const missing = await run("backup.ts", opened.url, "points.db");
    assert.match(
      missing.stderr,
      /^There is nothing to back up: \S+points\.db does not exist\. Check TELEMETRY_URL\./,
    );

    const points = await openPointsFile(`file:${directory}/points.db`, opened);
    await points?.write([{
      sql: "INSERT INTO point VALUES (7, 1700000000123456789, 3.0), (7, 2, 'text')",
      args: {},
    }]);
    await points?.close();
    const made = await run("backup.ts", opened.url, "points.db");
    assert.deepEqual([made.code, made.stderr], [0, ""]);
    assert.match(made.stdout, /^Wrote \S+backup\.db\.points: .*\nWrote \S+backup\.db: /);
    assert.equal(((await Deno.stat(`${backup}.points`)).mode ?? 0) & 0o777, 0o600);
    await Deno.rename(backup, `${directory}/aside.db`);
    assert.match(
      (await run("backup.ts", opened.url, "points.db")).stderr,
      /backup\.db\.points already exists\./,
    );
    await Deno.rename(`${directory}/aside.db`, backup);

    const server = await startSqld();
    for (const [i, target] of [`file:${directory}/restored.db`, server.url].entries()) {
      const restored = await run("restore.ts", target, `restored${i}.db`);
      assert.deepEqual([restored.code, restored.stderr], [0, ""]);
      const content = await ask(`file:${directory}/restored${i}.db`, dumpTables);
      assert.deepEqual(content, await ask(`file:${directory}/points.db`, dumpTables));
      // Both are checked before one is replaced.
      const again = await run("restore.ts", target, "third.db");
      assert.match(again.stderr, /^The database is not empty\./);
      const filled = await run("restore.ts", `file:${directory}/fourth.db`, `restored${i}.db`);
      assert.match(filled.stderr, /^The points' file is not empty\. Choose another one with TELEMETRY_URL/);
      for (const name of ["third.db", "fourth.db"]) {
        assert.equal(await exists(`${directory}/${name}`), false, name);
      }
    }
    await server.stop();

    const alone = await run("restore.ts", `file:${directory}/alone.db`, "");
    assert.equal(alone.code, 0);
    assert.match(alone.stdout, /backup\.db\.points is left out: TELEMETRY_URL names no file for points\.\n/);
    await Deno.remove(`${backup}.points`);
    const lacking = await run("restore.ts", `file:${directory}/lacking.db`, "lacking.points");
    assert.match(lacking.stderr, /^There is no \S+backup\.db\.points with the points for TELEMETRY_URL\./);
    await Deno.remove(directory, { recursive: true });
  },
);

forEachKind(
  "a backup while points are written has the acknowledged ones, and knows their series",
  async (kind) => {
    const directory = await Deno.makeTempDir();
    const telemetryUrl = `file:${directory}/points.db`;
    await using scene = await openTelemetryScene({
      label: "",
      kind,
      onDisk: true,
      open: ({ deps }) => Promise.resolve(deps.telemetryStore),
    });
    const { target: { url, clock }, owner: actor } = scene;
    for (const nodeId of ["left", "right"]) await scene.addDevice(nodeId);
    const order: PointsOrder = { url, pointsUrl: telemetryUrl, actor, now: clock.now(), first: 1 };
    const writer = startHelper("../crash/write_points_until_killed.ts", [JSON.stringify(order)]);
    const acknowledged = await writer.nextLine();
    const path = `${directory}/backup.db`;
    const made = await runScript("backup.ts", {
      env: { TURSO_DATABASE_URL: url, TELEMETRY_URL: telemetryUrl },
      args: [path],
    });
    await writer.kill();
    assert.deepEqual([made.code, made.stderr], [0, ""]);

    const tables = ["point", "recent_point", "block_range", "hour_summary"];
    const series = tables.map((table) => `SELECT series_id AS id FROM ${table}`).join(" UNION ");
    const withPoints = await ask(`file:${path}.points`, (points) => rows(points, series));
    const known = await ask(`file:${path}`, (database) => rows(database, "SELECT id, field FROM series"));
    const fields = new Map(known.map(({ id, field }) => [id, field]));
    const found = withPoints.map(({ id }) => fields.get(id));
    assert.ok(!found.includes(undefined), "points whose series the copy of the database does not know");
    assert.ok(found.includes(fieldOf(Number(acknowledged))), "an acknowledged request is lost");
    await Deno.remove(directory, { recursive: true });
  },
);

testOn("remote", "a backup goes to no other address that the server names", async (_, { url }) => {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const response = await fetch(`${url}/v2/pipeline`, { method: "POST", body: await request.text() });
    return Response.json({ ...await response.json(), base_url: "http://elsewhere.invalid" });
  });
  const directory = await Deno.makeTempDir({ prefix: "rolegrid_test_" });
  await backupServer({ url: `http://127.0.0.1:${server.addr.port}` }, `${directory}/backup.db`);
  checkBackup(`${directory}/backup.db`, await testMigrations());
  await Deno.remove(directory, { recursive: true });
  await server.shutdown();
});
