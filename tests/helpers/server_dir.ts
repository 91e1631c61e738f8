const MEMORY = "/dev/shm";

let inMemory = isDirectory(MEMORY);

/**
 * A new directory for a test server's data: in memory where the system has a place for that. Every commit waits for the
 * disk, and one that stalls, as those of shared machines do, would fail tests that are not about it. Not for database
 * files: a task with permissions of its own may not open anything below /dev.
 */
export function makeServerDir(prefix: string): Promise<string> {
  return Deno.makeTempDir(inMemory ? { prefix, dir: MEMORY } : { prefix });
}

/** From now on servers keep their data on the disk: for measuring what a commit costs. */
export function keepOnDisk(): void {
  inMemory = false;
}

function isDirectory(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}
