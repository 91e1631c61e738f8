import { type Database, type DatabaseOptions, UnusableDatabaseError } from "../database.ts";
import { openClient, translating } from "../remote/libsql_client.ts";
import { createServerPost } from "../remote/server_post.ts";
import { countRows, readInserts, readSchema, readSequences, type ReadTexts } from "./backup_tables.ts";
import { type AppliedRow, type Migration, parseApplied, SELECT_APPLIED } from "../migrations.ts";
import { NativeConnection } from "../native_connection.ts";
import { typedRows } from "../rows.ts";
import { bind } from "../statement.ts";
import { isBusy, isDamage, translateError } from "../sql_errors.ts";

/**
 * A backup is an SQLite file, of either kind of database. It is a snapshot from after the call began: it contains every
 * write that was acknowledged before, and no partial write.
 */

export interface CopyProgress {
  /** Reports progress as pages of a file, or rows of a server, are copied. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** The file is not a backup, is damaged, or belongs to another program. The message says why. */
export class BadBackupError extends Error {
  override readonly name = "BadBackupError";
}

/** How long a copy waits for the lock of a file, which it needs only for a moment. */
const LOCK_WAIT_MS = 10_000;
/** Time limit for one response of the server: a page of rows, half a megabyte. */
const RESPONSE_LIMIT_MS = 60_000;
/** Safe, because no other program opens the file before it is complete and synced. */
const FAST = ["PRAGMA journal_mode = MEMORY", "PRAGMA synchronous = OFF"];

/** Copies a database file into the empty file at `path`, while others keep writing to it. */
export async function backupFile(
  sourcePath: string,
  path: string,
  { onProgress }: CopyProgress = {},
): Promise<void> {
  const source = new NativeConnection(sourcePath, LOCK_WAIT_MS, []);
  const target = new NativeConnection(path, LOCK_WAIT_MS, []);
  try {
    await source.copyTo(path, onProgress);
    // The copy's header requests a write-ahead log like its source's, but a backup is one file.
    target.exec("PRAGMA journal_mode = DELETE");
  } catch (error) {
    throw translateError(error);
  } finally {
    source.close();
    target.close();
  }
}

/**
 * Copies a server's database into the empty file at `path`, in one read transaction. Throws
 * `AppError("UNAVAILABLE")`. (The server's own dump is not used: it writes reals such as 3.0 as integers.)
 */
export async function backupServer(
  server: { url: string } & Pick<DatabaseOptions, "authToken">,
  path: string,
  { onProgress }: CopyProgress = {},
): Promise<void> {
  const post = createServerPost();
  let address: string | undefined;
  const client = openClient(server, async (request) => {
    if (!(request instanceof Request)) throw new TypeError("Only @libsql/client may use this fetch");
    // The package would follow the server to any address that it names.
    address ??= request.url;
    return new Response(await post(address, request.headers, await request.text(), RESPONSE_LIMIT_MS));
  });
  const target = new NativeConnection(path, LOCK_WAIT_MS, FAST);
  try {
    const snapshot = await client.transaction("read");
    const read: ReadTexts = async (sql) => (await translating(() => snapshot.execute(sql))).rows;
    await copyDatabase(read, (sql) => Promise.resolve(target.exec(sql)), { onProgress });
    await translating(() => snapshot.commit());
  } catch (error) {
    throw translateError(error);
  } finally {
    client.close();
    target.close();
  }
}

/**
 * Copies a backup into a server's empty database. If it is interrupted, the database has no list of migrations, and
 * programs do not accept it.
 */
export async function restoreToServer(
  path: string,
  database: Database,
  { onProgress }: CopyProgress = {},
): Promise<void> {
  const source = openBackup(path);
  try {
    const read: ReadTexts = (sql) => Promise.resolve(source.all({ sql, args: {} }));
    await copyDatabase(read, async (sql) => void (await database.write([{ sql, args: {} }])), { onProgress });
  } finally {
    source.close();
  }
}

/**
 * Copies tables, indexes and sequences. The rows of `applied_migration` go last: without them, programs do not accept
 * the database.
 */
async function copyDatabase(
  read: ReadTexts,
  write: (sql: string) => Promise<void>,
  { onProgress }: { onProgress: CopyProgress["onProgress"] },
): Promise<void> {
  const schema = await readSchema(read);
  const total = onProgress === undefined ? 0 : await countRows(read, schema);
  const isLast = (name: string): number => name === "applied_migration" ? 1 : 0;
  const tables = schema.tables.toSorted((a, b) => isLast(a.name) - isLast(b.name));
  for (const { createSql } of tables) await write(createSql);
  let done = 0;
  for (const table of tables) {
    if (isLast(table.name)) {
      for (const sql of [...schema.textIndexSqls, ...schema.indexSqls]) await write(sql);
      for await (const sql of readSequences(read, schema)) await write(sql);
    }
    for await (const { sql, rows } of readInserts(read, table)) {
      await write(sql);
      onProgress?.(done += rows, total);
    }
  }
}

/**
 * Checks that the file is intact (SQLite's `integrity_check`) and has no migration beyond the list; it may lack some.
 * Throws a `BadBackupError`, and an `UnusableDatabaseError` for a backup of a build before 1.0.0.
 */
export function checkBackup(path: string, migrations: readonly Migration[]): void {
  const backup = openBackup(path);
  const read = (sql: string): string[] => {
    return backup.all({ sql, args: {} }).map((row) => String(Object.values(row)[0]));
  };
  try {
    const faults = read("PRAGMA integrity_check");
    if (faults[0] !== "ok") throw new BadBackupError(`The file is damaged: ${faults[0]}`);
    if (read("SELECT name FROM sqlite_schema WHERE name = 'applied_migration'").length === 0) {
      throw new BadBackupError("The file is a database, but not a backup of this program");
    }
    const [row] = typedRows<AppliedRow>(backup.all(bind(SELECT_APPLIED, {})));
    const applied = row === undefined ? new Set<string>() : parseApplied(row);
    const unknown = applied.difference(new Set(migrations.map(({ name }) => name)));
    if (unknown.size === 0) return;
    throw new BadBackupError(
      `The file is newer than this program: it has ${[...unknown].join(", ")}. ` +
        "Restore it with the version that created it, or a later one",
    );
  } catch (error) {
    if (error instanceof BadBackupError || error instanceof UnusableDatabaseError) throw error;
    throw new BadBackupError(
      `The file is not a database: ${error instanceof Error ? error.message : error}`,
      {
        cause: error,
      },
    );
  } finally {
    backup.close();
  }
}

function openBackup(path: string): NativeConnection {
  return new NativeConnection(path, LOCK_WAIT_MS, ["PRAGMA query_only = ON"]);
}

/** What is at the path of a database file. "empty": no file, or no table in it; "damaged": SQLite cannot read it. */
export type FileState = "empty" | "filled" | "damaged" | "in use";

/** SQLite's smallest page. To SQLite, a shorter file is an empty database, with any content. */
const SMALLEST_DATABASE = 512;

/**
 * Returns the state of a database file, and moves its write-ahead log into the file, so that the file alone is
 * complete. SQLite lets only the last connection do this, which reveals whether another program has the file open; this
 * process must not. If the file is missing or damaged, its log stays.
 */
export async function checkpointDatabaseFile(path: string): Promise<FileState> {
  const size = await fileSize(path);
  if (size === 0) return "empty";
  if (size < SMALLEST_DATABASE) return "damaged";
  const connection = new NativeConnection(path, 0, []);
  try {
    const [mode] = connection.all({ sql: "PRAGMA journal_mode = DELETE", args: {} });
    if (mode?.["journal_mode"] !== "delete") return "in use";
    const [row] = connection.all({ sql: "SELECT count(*) AS tables FROM sqlite_schema", args: {} });
    return row?.["tables"] === 0 ? "empty" : "filled";
  } catch (error) {
    if (isBusy(error)) return "in use";
    if (isDamage(error)) return "damaged";
    throw error;
  } finally {
    connection.close();
  }
}

async function fileSize(path: string): Promise<number> {
  try {
    return (await Deno.stat(path)).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}
