import { DatabaseSync } from "node:sqlite";
import { UnusableDatabaseError } from "./database.ts";

/**
 * The first safe version. Before it, SQLite can lose acknowledged writes of a file if one connection checkpoints while
 * another one writes: the WAL-reset fault, https://sqlite.org/wal.html#walresetbug.
 */
const SAFE = [3, 51, 3] as const;
const SAFE_DENO = "2.9.2";

/** Throws an `UnusableDatabaseError` if the runtime's SQLite is older than that. */
export function requireSafeSqlite(version: string = readVersion()): void {
  const parts = version.split(".").map(Number);
  const differing = SAFE.findIndex((part, i) => part !== parts[i]);
  if (differing === -1 || (parts[differing] ?? 0) > (SAFE[differing] ?? 0)) return;
  throw new UnusableDatabaseError(
    `This Deno brings SQLite ${version}, which can lose writes to a file: install Deno ${SAFE_DENO} or later, ` +
      "which brings SQLite 3.53, or use a server (TURSO_DATABASE_URL).",
  );
}

function readVersion(): string {
  const memory = new DatabaseSync(":memory:");
  const row = memory.prepare("SELECT sqlite_version() AS version").get();
  memory.close();
  return String(row?.["version"]);
}
