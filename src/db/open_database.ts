import type { Database } from "./database.ts";
import type { FileDatabaseOptions } from "./file_database.ts";

/**
 * Opens the database of a URL: `file:` for a local file, `libsql:`, `https:`, `http:`, `wss:` or `ws:` for a server.
 * Throws a `TypeError` on any other URL. A file is opened at once, a server contacted at the first call.
 */
export async function openDatabase(url: string, options: FileDatabaseOptions = {}): Promise<Database> {
  if (url.startsWith("file:")) {
    // Loaded only when needed: it requires permissions that a remote database does not. A file is opened by the
    // runtime's own SQLite. That of `@libsql/client` is 3.45.1, which can lose acknowledged writes (`safe_sqlite.ts`).
    const { openFileDatabase } = await import("./file_database.ts");
    return await openFileDatabase(url, options);
  }
  if (/^(libsql|https?|wss?):\/\//.test(url) && URL.canParse(url)) {
    const { openRemoteDatabase } = await import("./remote/remote_database.ts");
    return openRemoteDatabase(url, options);
  }
  // The URL itself is not repeated: it may contain a token.
  throw new TypeError(
    'Cannot open the database: it needs a valid URL, which must start with "file:", "libsql://", "https://", "http://", "wss://" or "ws://"',
  );
}
