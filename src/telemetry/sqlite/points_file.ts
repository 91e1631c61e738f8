import { type Database, UnusableDatabaseError } from "../../db/database.ts";
import type { FileDatabaseOptions } from "../../db/file_database.ts";
import { filePath, isFileUrl } from "../../db/file_url.ts";
import { migrate, readCreation, readMigrations } from "../../db/migrations.ts";
import { readTriggers } from "../../db/triggers.ts";
import { openDatabase } from "../../db/open_database.ts";
import { raiseSequence } from "../../db/sequences.ts";
import { keepSettings, readSettings } from "../../db/setting_queries.ts";
import { bind } from "../../db/statement.ts";
import { LAST_SERIES } from "./store_queries.ts";

/** The migrations of points' files. */
export const POINTS_MIGRATIONS = new URL("../../../migrations/points/", import.meta.url);

/** Its tables that have triggers. */
const COUNTED_TABLES = ["block", "counted_series", "point"];

/** When the database was created whose series the points belong to: tells databases apart. */
const OWNER = "database_created_at";

export interface PointsFileOptions
  extends Pick<FileDatabaseOptions, "onDamage" | "timeoutMs" | "threads" | "metrics"> {
  /** The service's own database, which is migrated. */
  readonly database: Database;
  /** Takes the names of the migrations that were missing. */
  readonly onMigrated?: (names: readonly string[]) => void;
}

/**
 * Opens the file of a `TELEMETRY_URL`, creates it if missing, and brings its schema up to date. Returns undefined if the
 * URL names no file. Throws an `UnusableDatabaseError` if it is damaged, not of this version, or belongs to another
 * database, and `AppError("UNAVAILABLE")`.
 */
export async function openPointsFile(
  url: string | undefined,
  { database, onMigrated, ...options }: PointsFileOptions,
): Promise<Database | undefined> {
  if (url === undefined || !isFileUrl(url)) return undefined;
  const queues = { reads: "points_reads", writes: "points_writes" } as const;
  const points = await openDatabase(url, { ...options, queues });
  try {
    const names = await migratePoints(points, filePath(url));
    onMigrated?.(names);
    await requireOwn(points, database, filePath(url));
    // A database that was set back to a backup would give ids again, whose points are still here.
    const [row] = await points.read(bind(LAST_SERIES, {}));
    await raiseSequence(database, "series", row?.lastId ?? 0);
    return points;
  } catch (error) {
    await points.close();
    throw error;
  }
}

async function migratePoints(points: Database, path: string): Promise<readonly string[]> {
  try {
    const triggers = (await readTriggers()).filter(({ table }) => COUNTED_TABLES.includes(table));
    return await migrate(points, await readMigrations(POINTS_MIGRATIONS), triggers);
  } catch (error) {
    if (!(error instanceof UnusableDatabaseError)) throw error;
    const message = `Cannot keep points in ${path}, the file of TELEMETRY_URL. ${error.message}`;
    throw new UnusableDatabaseError(message, { cause: error });
  }
}

/** Marks a new file as the database's own. A foreign one has other series under the same ids. */
async function requireOwn(points: Database, database: Database, path: string): Promise<void> {
  const created = String(await readCreation(database));
  if ((await readSettings(points)).get(OWNER) === undefined) {
    await keepSettings(points, new Map([[OWNER, created]]));
  }
  if ((await readSettings(points)).get(OWNER) === created) return;
  throw new UnusableDatabaseError(
    `The file of TELEMETRY_URL, ${path}, has the points of another database than that of TURSO_DATABASE_URL. ` +
      "Name its own file, or one that does not exist yet.",
  );
}
