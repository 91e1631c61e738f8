/** Returns where a backup has the points of a file of their own. */
export function pointsBackup(path: string): string {
  return `${path}.points`;
}

/** Whether there is a file, folder or link. */
export async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
