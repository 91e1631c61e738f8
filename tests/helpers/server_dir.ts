const MEMORY = "/dev/shm";

let inMemory = isDirectory(MEMORY);

/**
 * Makes a directory for the data of a test, in memory if the system allows it. Every commit waits for the disk, and a
 * disk that stalls, as on shared machines, would fail tests of something else. Not for files that a task with limited
 * permissions opens: it must not open anything below /dev.
 */
export function makeServerDir(prefix: string): Promise<string> {
  return Deno.makeTempDir(inMemory ? { prefix, dir: MEMORY } : { prefix });
}

/** From now on, servers keep their data on disk, to measure the cost of a commit. */
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
