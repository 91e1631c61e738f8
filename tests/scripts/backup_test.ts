import assert from "node:assert/strict";
import type { Database, Row } from "../../src/db/database.ts";
import { backupServer, checkBackup } from "../../src/db/backup/backup.ts";
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
import { openHashingApp } from "../helpers/test_app.ts";
import { fieldOf, type PointsOrder } from "../crash/write_points_until_killed.ts";
import { openTelemetryScene } from "../telemetry/telemetry_scene.ts";
import { runOn, runScript } from "./run_script.ts";
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

async function write(url: string, sql: string): Promise<void> {
  await ask(url, (database) => database.write([{ sql, args: {} }]));
}

/** The whole content of a database, table by table, with the type of each value. */
async function dump(database: Database): Promise<Map<string, unknown[]>> {
  const ids = await rows(database, "SELECT name, seq FROM sqlite_sequence ORDER BY name");
  return new Map(await dumpTables(database)).set("ids", ids);
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
    const { differenceCount, unmanagedRoleIds, relations } = await verifyClosure(copy);
    assert.deepEqual([differenceCount, unmanagedRoleIds], [0, []]);
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
  const refused = await runOn(file.url, "backup.ts", path);
  assert.deepEqual([refused.code, await Deno.readTextFile(path)], [1, "mine"]);
  assert.match(refused.stderr, /already exists\. .*--force/);
  assert.equal((await runOn(file.url, "backup.ts", path, "--force")).code, 0);
  assert.equal((await runOn(`file:${directory}/new.db`, "restore.ts", path)).code, 0);
  const empty = await runOn(`file:${directory}/empty.db`, "backup.ts", `${directory}/nothing.db`);
  assert.equal(empty.code, 1);
  assert.match(
    empty.stderr,
    /^There is nothing to back up: .*empty\.db does not exist\. Check TURSO_DATABASE_URL\.\n$/,
  );
  const names = [...Deno.readDirSync(directory)].map(({ name }) => name.replace(/-(wal|shm)$/, ""));
  assert.deepEqual([...new Set(names)].sort(), ["backup.db", "new.db"]);
  await Deno.remove(directory, { recursive: true });
});

Deno.test("restore refuses a bad backup and a database in use, and with --force it keeps the old one", async () => {
  await using file = await openTestDatabase("file");
  const directory = await Deno.makeTempDir();
  const path = `${directory}/backup.db`;
  assert.equal((await runOn(file.url, "backup.ts", path)).code, 0);
  const target = `file:${directory}/target.db`;
  const refuse = async (from: string, reason: RegExp, ...args: string[]): Promise<void> => {
    const { code, stderr } = await runOn(target, "restore.ts", from, ...args);
    assert.equal(code, 1);
    assert.match(stderr, reason);
  };
  await Deno.writeTextFile(
    `${directory}/text.db`,
    "no database, but a text that is long enough to be one".repeat(99),
  );
  await refuse(`${directory}/text.db`, /^The file is not a database: .*Nothing was changed\.\n$/);
  const bytes = await Deno.readFile(path);
  await Deno.writeFile(`${directory}/cut.db`, bytes.subarray(0, bytes.length / 2));
  await refuse(`${directory}/cut.db`, /^The file is (damaged|not a database): /);
  await refuse(`${directory}/missing.db`, /^The file .* does not exist\./);
  await write(`file:${directory}/foreign.db`, "CREATE TABLE t (x)");
  await refuse(`${directory}/foreign.db`, /not a backup of this program/);
  await Deno.copyFile(path, `${directory}/newer.db`);
  await write(`file:${directory}/newer.db`, "INSERT INTO applied_migration VALUES ('9999_future', 1)");
  await refuse(`${directory}/newer.db`, /newer than this program: it has 9999_future/);

  assert.equal((await runOn(target, "restore.ts", path)).code, 0);
  const open = await openDatabase(target);
  await open.write([{ sql: "INSERT INTO setting (name, value) VALUES ('here', '')", args: {} }]);
  await refuse(path, /^Another program has the database open: stop the service first\.\n$/, "--force");
  assert.deepEqual(await rows(open, SETTINGS), [{ name: "here" }]);
  const moved = `${directory}/moved.db`;
  await open.close();
  // This process releases its handles late, so only a copy shows what another process would find.
  await Deno.copyFile(`${directory}/target.db`, moved);
  const forced = await runOn(`file:${moved}`, "restore.ts", path, "--force");
  assert.equal(forced.code, 0, forced.stderr);
  const aside = /^The previous files are kept as (.+)\.$/m.exec(forced.stdout)?.[1] ?? "";
  const settings = (path: string) => ask(`file:${path}`, (database) => rows(database, SETTINGS));
  assert.deepEqual(await settings(aside), [{ name: "here" }]);
  assert.deepEqual(await settings(moved), []);
  await Deno.remove(directory, { recursive: true });
});

Deno.test("a backup that lacks a migration of this version is sound", async () => {
  await using file = await openTestDatabase("file");
  const path = `${await Deno.makeTempDir()}/old.db`;
  assert.equal((await runOn(file.url, "backup.ts", path)).code, 0);
  checkBackup(path, [...await testMigrations(), { name: "9999_later", statements: [] }]);
  await Deno.remove(path);
});

interface RestoreScene extends AsyncDisposable {
  readonly directory: string;
  /** An empty database. */
  readonly backup: string;
  /** Puts the logs of a database with a setting beside a path, as a killed process leaves them. */
  leaveLogs(path: string): Promise<void>;
  settingsOf(path: string): Promise<unknown[]>;
}

async function openRestoreScene(): Promise<RestoreScene> {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  const backup = `${directory}/backup.db`;
  await using file = await openTestDatabase("file");
  assert.equal((await runOn(file.url, "backup.ts", backup)).code, 0);
  return {
    directory,
    backup,
    async leaveLogs(path): Promise<void> {
      await using source = await openTestDatabase("file");
      const sql = "INSERT INTO setting (name, value) VALUES ('lost', '')";
      await source.database.write([{ sql, args: {} }]);
      for (const suffix of ["-wal", "-shm"]) {
        await Deno.copyFile(source.url.replace("file:", "") + suffix, path + suffix);
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

for (const place of ["missing", "empty"] as const) {
  Deno.test(`restore does not merge the logs of a lost database into the restored one (${place})`, async () => {
    await using scene = await openRestoreScene();
    const target = `${scene.directory}/target.db`;
    await scene.leaveLogs(target);
    await Deno.writeFile(`${target}-journal`, (await Deno.readFile(`${target}-wal`)).subarray(0, 1024));
    if (place === "empty") await Deno.writeFile(target, new Uint8Array());
    const restored = await runOn(`file:${target}`, "restore.ts", scene.backup);
    assert.deepEqual([restored.code, restored.stderr], [0, ""]);
    assert.match(restored.stdout, /^The previous files are kept as \S+-wal, \S+-shm, \S+-journal\.$/m);
    assert.deepEqual(await scene.settingsOf(target), []);
    const kept = [...Deno.readDirSync(scene.directory)].map(({ name }) => name).filter((name) =>
      /before/.test(name)
    );
    assert.deepEqual(kept.map((name) => name.replace(/.*Z/, "")).sort(), ["-journal", "-shm", "-wal"]);
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
    const target = `${scene.directory}/target.db`;
    const bytes = damage(await Deno.readFile(scene.backup));
    await Deno.writeFile(target, bytes);
    await scene.leaveLogs(target);
    const refused = await runOn(`file:${target}`, "restore.ts", scene.backup);
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /^The existing file is not a database, or is damaged\. Stop the service .*--force/,
    );
    assert.equal((await Deno.stat(target)).size, bytes.length);
    const forced = await runOn(`file:${target}`, "restore.ts", scene.backup, "--force");
    assert.deepEqual([forced.code, forced.stderr], [0, ""]);
    const kept = /kept as (.+)\.$/m.exec(forced.stdout)?.[1]?.split(", ") ?? [];
    assert.equal((await Deno.stat(kept[0] ?? "")).size, bytes.length);
    // The log exists, unless SQLite has already merged it into the file.
    const contents = await Promise.all(
      kept.map(async (path) => new TextDecoder().decode(await Deno.readFile(path))),
    );
    assert.ok(contents.some((content) => content.includes("lost")), forced.stdout);
    assert.deepEqual(await scene.settingsOf(target), []);
  });
}

Deno.test("a forced restore that fails at its last step leaves the database in place", async () => {
  await using scene = await openRestoreScene();
  const target = `${scene.directory}/target.db`;
  await Deno.copyFile(scene.backup, target);
  const before = await Deno.readFile(target);
  const { rename } = Deno;
  const broken = (from: string | URL, to: string | URL): Promise<void> => {
    return to === target ? Promise.reject(new Error("broken off")) : rename(from, to);
  };
  Object.assign(Deno, { rename: broken });
  try {
    const migrations = await testMigrations();
    const variable = "TURSO_DATABASE_URL";
    await using prepared = await prepareRestore({
      backup: scene.backup,
      target,
      migrations,
      force: true,
      variable,
    });
    await assert.rejects(prepared.finish(), { message: "broken off" });
  } finally {
    Object.assign(Deno, { rename });
  }
  assert.deepEqual(await Deno.readFile(target), before);
  const names = [...Deno.readDirSync(scene.directory)].map(({ name }) => name.replace(/before-.*/, "before"));
  assert.deepEqual(names.sort(), ["backup.db", "target.db", "target.db.before"]);
});

Deno.test("restore follows a symbolic link to the database, even if the target does not exist yet", async () => {
  await using scene = await openRestoreScene();
  const { directory, backup } = scene;
  await Deno.mkdir(`${directory}/disk`);
  await Deno.symlink("disk/real.db", `${directory}/link.db`);
  for (const args of [[], ["--force"]]) {
    const restored = await runOn(`file:${directory}/link.db`, "restore.ts", backup, ...args);
    assert.deepEqual([restored.code, restored.stderr], [0, ""]);
    assert.ok((await Deno.lstat(`${directory}/link.db`)).isSymlink);
  }
  assert.deepEqual(await scene.settingsOf(`${directory}/disk/real.db`), []);
  const names = [...Deno.readDirSync(`${directory}/disk`)].map(({ name }) => name);
  assert.equal(names.filter((name) => /^real\.db\.before-[^-]+$/.test(name)).length, 1);
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
        assert.equal(
          await exists(`${directory}/${name}`),
          false,
          name,
        );
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

    const withPoints = await ask(`file:${path}.points`, (points) =>
      rows(
        points,
        "SELECT series_id AS id FROM point UNION SELECT series_id FROM recent_point UNION SELECT series_id FROM block_range UNION SELECT series_id FROM hour_summary",
      ));
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
