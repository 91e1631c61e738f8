import { toBase64Url } from "../../core/encoding.ts";
import { claimFolder } from "../private_files.ts";
import { createPlace, isPlaceName, lockPlace, type Place } from "./place.ts";

const MARKER = "rolegrid-replica.txt";
const MARKER_TEXT =
  `Rolegrid keeps copies of its database here (REPLICA_PATH), and deletes them when it does not need them
any more. Anything else in this folder is left alone.
`;

/** The folder that holds this machine's copies. Several processes may use it: each has copies of its own. */
export interface Folder {
  /** Makes room for a new copy. */
  create(): Place;
  /** Takes over a copy of the same primary that an earlier process left, and deletes all others that nobody uses. */
  takeKept(): Promise<Place | undefined>;
}

/**
 * Opens the folder for copies of the primary at `url`, and creates it if it is missing. Throws a `RangeError` if the
 * path is somebody else's, and the system's error if nothing can be written there.
 */
export async function openFolder(path: string, url: string): Promise<Folder> {
  await claim(path);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(url));
  const urlHash = toBase64Url(new Uint8Array(digest));
  return {
    create: () => createPlace(path, urlHash),
    async takeKept(): Promise<Place | undefined> {
      let kept: Place | undefined;
      for await (const { name, isDirectory } of Deno.readDir(path)) {
        if (!isDirectory || !isPlaceName(name)) continue;
        try {
          const place = lockPlace(`${path}/${name}`, urlHash);
          if (place?.left !== undefined && kept === undefined) kept = place;
          else await place?.remove();
        } catch {
          // A process that starts at the same time deletes it, too. What is left nonetheless, a later start deletes.
        }
      }
      return kept;
    },
  };
}

async function claim(path: string): Promise<void> {
  const marker = `${path}/${MARKER}`;
  try {
    await Deno.mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    throw new RangeError(
      "REPLICA_PATH names a file. Name a folder for copies of the database, which may be missing",
    );
  }
  const names = await Array.fromAsync(Deno.readDir(path), ({ name }) => name);
  if (names.includes(MARKER)) return await claimFolder(path);
  if (names.length > 0) {
    throw new RangeError(
      "REPLICA_PATH names a folder that holds other files. Name one that is empty or missing: copies of the database are written and deleted there",
    );
  }
  await claimFolder(path);
  await Deno.writeTextFile(marker, MARKER_TEXT, { mode: 0o600 });
}
