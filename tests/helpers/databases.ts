import type { Database } from "../../src/db/database.ts";
import { migrate, type Migration, readMigrations } from "../../src/db/migrations.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import type { BoundStatement } from "../../src/db/statement.ts";
import { DECIDING_THREAD } from "../../src/role/deciding.ts";
import { ConnectionThread } from "../../src/db/thread/connection_thread.ts";
import type { ConnectionThreads } from "../../src/db/thread/thread_pool.ts";
import { readTriggers, type Trigger } from "../../src/db/triggers.ts";
import { openPointsFile } from "../../src/telemetry/sqlite/points_file.ts";
import { makeServerDir } from "./server_dir.ts";
import { type SqldServer, startSqld } from "./sqld.ts";

export type DatabaseKind = "file" | "remote";

export interface TestTarget {
  readonly kind: DatabaseKind;
  /** To open the same database once more, here or in another process. */
  readonly url: string;
}

/** A fresh, migrated database. Disposal closes and removes it. */
export interface TestDatabase extends AsyncDisposable {
  readonly database: Database;
  readonly url: string;
}

/** Longer than the defaults, since a test machine may be busy. */
const TIMEOUT_MS = 30_000;
/** How the names of tests label the kind of database. */
export const DATABASE_LABELS = { file: "file", remote: "sqld" } as const;

/** All kinds of database. */
export const KINDS: readonly DatabaseKind[] = ["file", "remote"];

/** Those in ROLEGRID_DATABASES, separated by commas; by default all. */
const OF_RUN = readDatabases(Deno.env.get("ROLEGRID_DATABASES") ?? KINDS.join());

/**
 * The kinds of database of the file that registers its tests now: those of this run, or of them those that `run.ts` chose
 * for the file. Tests of other kinds are not registered.
 */
export let DATABASES = OF_RUN;

/** Sets `DATABASES` for the next file, unless ROLEGRID_DATABASES names them. */
export function chooseDatabases(kinds: string | undefined): void {
  DATABASES = kinds === undefined || Deno.env.has("ROLEGRID_DATABASES") ? OF_RUN : readDatabases(kinds);
}

/** The kind for tests that need a database, whichever: a file, unless this run has servers alone. */
export const ANY_KIND: DatabaseKind = OF_RUN[0] ?? "file";

function readDatabases(text: string): DatabaseKind[] {
  return text.split(",").map((kind) => {
    if (kind === "file" || kind === "remote") return kind;
    throw new Error(`ROLEGRID_DATABASES names "${kind}": write file or remote, or both with a comma`);
  });
}

type TestBody = (database: Database, target: TestTarget) => Promise<void>;

/** Registers a test for each kind of database, "… (file)" and "… (sqld)", with a fresh, migrated database each. */
export function forEachDatabase(name: string, body: TestBody): void {
  for (const kind of DATABASES) testOn(kind, name, body);
}

/** Registers a test for one kind of database, with a fresh, migrated one. */
export function testOn(kind: DatabaseKind, name: string, body: TestBody): void {
  testKind(kind, name, async () => {
    await using opened = await openTestDatabase(kind, { inMemory: true });
    await body(opened.database, { kind, url: opened.url });
  });
}

/** Registers a test for each kind of database, "… (file)" and "… (sqld)", that opens what it needs by itself. */
export function forEachKind(
  name: string,
  body: (kind: DatabaseKind, t: Deno.TestContext) => Promise<void>,
  { kinds = DATABASES, ...options }: { ignore?: boolean; kinds?: readonly DatabaseKind[] } = {},
): void {
  for (const kind of kinds) testKind(kind, name, (t) => body(kind, t), options);
}

/** Registers a test for one kind of database, that opens what it needs by itself. */
export function testKind(
  kind: DatabaseKind,
  name: string,
  fn: (t: Deno.TestContext) => Promise<void>,
  { ignore = false }: { ignore?: boolean } = {},
): void {
  if (!DATABASES.includes(kind)) return;
  Deno.test({
    name: `${name} (${DATABASE_LABELS[kind]})`,
    ignore,
    // The server and the connections to it outlive the test that happens to need them first.
    sanitizeResources: kind === "file",
    sanitizeOps: kind === "file",
    fn,
  });
}

/**
 * A fresh, migrated database: a temporary file, or a server that this test alone uses. A file is on disk, where
 * processes with limited permissions may open it, or in memory, where a commit does not wait for the disk. A server
 * whose database `isLarge` is not used again: on a busy machine, it would take too long to empty it.
 */
export async function openTestDatabase(
  kind: DatabaseKind,
  { inMemory = false, isLarge = false }: { inMemory?: boolean; isLarge?: boolean } = {},
): Promise<TestDatabase> {
  return kind === "file" ? await openTestFile(inMemory) : await openTestServer(isLarge);
}

let migrations: Promise<Migration[]> | undefined;
let triggers: Promise<Trigger[]> | undefined;
let template: Promise<string> | undefined;
const idleServers: SqldServer[] = [];
const idleFiles: OpenFile[] = [];
/** One for all, since starting a thread takes longer than most tests. It lasts as long as the process. */
const thread = new ConnectionThread(DECIDING_THREAD);
const threads: ConnectionThreads = { decides: true, writer: thread, readers: [thread], end: () => {} };

/** The project's migrations, read once. */
export function testMigrations(): Promise<Migration[]> {
  migrations ??= readMigrations(new URL("../../migrations/", import.meta.url));
  return migrations;
}

/** Migrates a database, also by further migrations, and returns the names of those that were missing. */
export async function migrateFully(
  database: Database,
  further: readonly Migration[] = [],
): Promise<string[]> {
  triggers ??= readTriggers();
  return await migrate(database, [...await testMigrations(), ...further], await triggers);
}

interface OpenFile {
  readonly database: Database;
  readonly url: string;
  readonly directory: string;
  /** SQLite's counter of changes of the schema. */
  readonly schemaVersion: number | undefined;
}

/**
 * Opens a file. One in memory serves one test after the other, emptied in between: its connections keep their prepared
 * statements, whose preparation takes a third of a test's time.
 */
async function openTestFile(inMemory: boolean): Promise<TestDatabase> {
  const prefix = "rolegrid_test_";
  if (!inMemory) {
    const file = await openCopy(await Deno.makeTempDir({ prefix }));
    return { ...file, [Symbol.asyncDispose]: () => closeFile(file) };
  }
  const idle = idleFiles.pop();
  if (idle !== undefined) await deleteAllRows(idle.database);
  const file = idle ?? await openCopy(await makeServerDir(prefix));
  return {
    ...file,
    async [Symbol.asyncDispose](): Promise<void> {
      if (await readSchemaVersion(file.database) === file.schemaVersion) idleFiles.push(file);
      else await closeFile(file);
    },
  };
}

async function openCopy(directory: string): Promise<OpenFile> {
  template ??= makeTemplate();
  await Deno.copyFile(await template, `${directory}/test.db`);
  const url = `file:${directory}/test.db`;
  const database = await openDatabase(url, { timeoutMs: TIMEOUT_MS, threads });
  return { database, url, directory, schemaVersion: await readSchemaVersion(database) };
}

async function closeFile({ database, directory }: OpenFile): Promise<void> {
  await database.close();
  await Deno.remove(directory, { recursive: true });
}

async function readSchemaVersion(database: Database): Promise<number | undefined> {
  const [row] = await database.read<{ version: number }>(
    sql("SELECT schema_version AS version FROM pragma_schema_version"),
  );
  return row?.version;
}

/** Migrated once and copied for each test, which takes a fraction of the time. */
async function makeTemplate(): Promise<string> {
  const directory = await Deno.makeTempDir({ prefix: "rolegrid_template_" });
  globalThis.addEventListener("unload", () => {
    for (const path of [directory, ...idleFiles.map((file) => file.directory)]) {
      Deno.removeSync(path, { recursive: true });
    }
  });
  const path = `${directory}/template.db`;
  const database = await openDatabase(`file:${path}`, { timeoutMs: TIMEOUT_MS, threads });
  await migrateFully(database);
  await database.close();
  return path;
}

/** A fresh points' file in memory for a database, as `TELEMETRY_URL` names one. Disposal closes and removes it. */
export async function openTestPoints(database: Database): Promise<TestDatabase> {
  const directory = await makeServerDir("rolegrid_test_");
  const url = `file:${directory}/points.db`;
  const points = await openPointsFile(url, { database, timeoutMs: TIMEOUT_MS, threads });
  if (points === undefined) throw new Error(`${url} is no file`);
  return {
    database: points,
    url,
    async [Symbol.asyncDispose](): Promise<void> {
      await points.close();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

/** Takes a server that is idle, or starts one: a start takes ten times as long as emptying its database. */
async function openTestServer(isLarge: boolean): Promise<TestDatabase> {
  const server = idleServers.pop() ?? await startSqld();
  const database = await openDatabase(server.url, { timeoutMs: TIMEOUT_MS });
  // Tests of migrations leave another schema behind.
  if (await readSchema(database) === migratedSchema) {
    await deleteAllRows(database);
  } else {
    await dropEverything(database);
    await migrateFully(database);
    migratedSchema = await readSchema(database);
  }
  return {
    database,
    url: server.url,
    async [Symbol.asyncDispose](): Promise<void> {
      await database.close();
      if (isLarge) await server.stop();
      else idleServers.push(server);
    },
  };
}

let migratedSchema: string | undefined;

async function readSchema(database: Database): Promise<string> {
  return JSON.stringify(
    await database.read(sql("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name")),
  );
}

/** Empties a migrated database, as if it had just been migrated. */
export async function deleteAllRows(database: Database): Promise<void> {
  const tables = (await readNames(database)).filter(({ type, name }) =>
    type === "table" && !KEPT_TABLES.has(name)
  );
  const deletions = tables.map(({ name }) => sql(`DELETE FROM "${name}"`));
  await database.write([
    // Twice, since triggers fill other tables meanwhile.
    ...deletions,
    ...deletions,
    sql("DELETE FROM sqlite_sequence"),
    sql("UPDATE id_sequence SET last_id = 0"),
  ]);
}

/** Tables with rows that the migrations wrote. */
const KEPT_TABLES: ReadonlySet<string> = new Set(["applied_migration", "id_sequence"]);

async function dropEverything(database: Database): Promise<void> {
  const names = await readNames(database);
  await database.write(
    names.map(({ type, name }) => sql(`DROP ${type === "view" ? "VIEW" : "TABLE"} "${name}"`)),
  );
}

/** Without the tables of text indexes, which triggers feed and which go with their index. */
async function readNames(database: Database): Promise<{ type: string; name: string }[]> {
  return await database.read<{ type: string; name: string }>(sql(
    `SELECT listed.type, listed.name FROM pragma_table_list listed
     JOIN sqlite_schema made ON made.name = listed.name AND made.type IN ('table', 'view')
     WHERE listed.schema = 'main' AND listed.type <> 'shadow' AND listed.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
  ));
}

function sql(text: string): BoundStatement {
  return { sql: text, args: {} };
}
