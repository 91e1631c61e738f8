/** Kills a process, unless it has ended by itself. */
export function killChild(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    // The runtime notices an end before it reports it.
    if (!(error instanceof TypeError)) throw error;
  }
}
