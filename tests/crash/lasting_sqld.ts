import { makeServerDir } from "../helpers/server_dir.ts";
import { freePort, sqldCommand } from "../helpers/sqld.ts";

const START_LIMIT_MS = 15_000;
const POLL_MS = 5;
/** Kills the server when its own standard input ends, which happens however the test ends. */
const SUPERVISOR = `"$@" >/dev/null 2>&1 </dev/null & server=$!
while read -r _; do :; done
kill -9 "$server"; wait "$server"`;

/** A libSQL server that can be killed and started again on its data. Disposing of it deletes the data. */
export interface LastingSqld extends AsyncDisposable {
  readonly url: string;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again on its data, at the same address, and waits until it responds. */
  start(): Promise<void>;
}

/** Starts a libSQL server with an empty database, and with more options of its program. */
export async function startLastingSqld(
  { options = [] }: { options?: readonly string[] } = {},
): Promise<LastingSqld> {
  const directory = await makeServerDir("rolegrid_crash_");
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  let running: Deno.ChildProcess | undefined;

  async function kill(): Promise<void> {
    const child = running;
    running = undefined;
    await child?.stdin.close();
    await child?.status;
  }

  async function start(): Promise<void> {
    running = new Deno.Command("/bin/sh", {
      args: ["-c", SUPERVISOR, "sh", ...sqldCommand(port, directory), ...options],
      stdin: "piped",
      stdout: "null",
      stderr: "null",
    }).spawn();
    await waitForAnswer(`${url}/health`);
  }

  await start();
  return {
    url,
    kill,
    start,
    async [Symbol.asyncDispose](): Promise<void> {
      await kill();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

/** Sends requests until the status is 200. Throws after 15 seconds. */
export async function waitForAnswer(url: string): Promise<void> {
  const deadline = performance.now() + START_LIMIT_MS;
  while (performance.now() < deadline) {
    try {
      const response = await fetch(url);
      await response.body?.cancel();
      if (response.ok) return;
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`No successful response from ${url} within ${START_LIMIT_MS} ms`);
}
