import { dirname, resolve } from "node:path";

/** Files and folders that hold the database: only their owner may read them. */

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** The folder of the configuration's defaults. No other existing folder is the service's own. */
const OWN_FOLDER = "data";

/** What SQLite appends to the name of a database for its logs. It gives new ones the mode of the database. */
const LOG_SUFFIXES = ["-wal", "-shm", "-journal"] as const;

/** As many links as Linux follows. */
const MAX_LINKS = 40;

/** Creates a folder, and those above it that are missing, for the owner alone. An existing one keeps its mode. */
export async function makePrivateFolder(path: string): Promise<void> {
  await Deno.mkdir(path, { recursive: true, mode: FOLDER_MODE });
  if (resolve(path) === resolve(OWN_FOLDER)) await makePrivate(path, FOLDER_MODE);
}

/**
 * Creates the file of a database if it is missing, since SQLite would let others read it. Takes an existing one and its
 * logs away from others. Leaves a path that cannot hold a file to SQLite, which reports it.
 */
export async function makePrivateDatabase(path: string): Promise<void> {
  // An existing file is not opened: closing it would drop SQLite's locks.
  const file = await followLinks(path);
  if (await createNew(file)) return;
  for (const suffix of ["", ...LOG_SUFFIXES]) await makePrivate(file + suffix, FILE_MODE);
}

/** Returns the path that links lead to. Deno creates no file through a link, unless it has all permissions. */
async function followLinks(path: string): Promise<string> {
  let target = path;
  for (let i = 0; i < MAX_LINKS; i++) {
    try {
      target = resolve(dirname(target), await Deno.readLink(target));
    } catch {
      return target;
    }
  }
  return path;
}

async function createNew(path: string): Promise<boolean> {
  try {
    (await Deno.open(path, { write: true, createNew: true, mode: FILE_MODE })).close();
    return true;
  } catch {
    return false;
  }
}

/** Takes a file or folder away from others. Leaves it as it is if it is missing, of another kind or another user's. */
async function makePrivate(path: string, mode: typeof FILE_MODE | typeof FOLDER_MODE): Promise<void> {
  try {
    const found = await Deno.stat(path);
    // Windows has no modes.
    if (found.mode === null || found.isDirectory !== (mode === FOLDER_MODE)) return;
    if ((found.mode & 0o077) !== 0) await Deno.chmod(path, mode);
  } catch (error) {
    const isExpected = error instanceof Deno.errors.NotFound || error instanceof Deno.errors.PermissionDenied;
    if (!isExpected && !(error instanceof Deno.errors.NotADirectory)) throw error;
  }
}
