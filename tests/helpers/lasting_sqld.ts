import { makeServerDir } from "./server_dir.ts";
import { freePort, sqldCommand } from "./sqld.ts";

const START_LIMIT_MS = 15_000;
const POLL_MS = 5;
/** Prints the server's process id, and kills it when standard input ends, which happens however the test ends. */
const SUPERVISOR = `"$@" >/dev/null 2>&1 </dev/null & server=$!
exec 3<&0
{ while read -r _; do :; done; kill -9 "$server"; } <&3 >/dev/null & watch=$!
echo "$server"
exec <&- >&- 3<&-
wait "$server"; kill "$watch"`;

/** In seconds: by default it waits half a minute for its clients to disconnect. */
const QUICK_SHUTDOWN = ["--shutdown-timeout", "1"];

/** A libSQL server that can be killed and started again on its data. Disposing of it deletes the data. */
export interface LastingSqld extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Where its data is. */
  readonly directory: string;
  /** Ends it with SIGKILL, or with another signal that ends it, and waits for its end. */
  kill(signal?: "SIGKILL" | "SIGTERM"): Promise<void>;
  /** Starts it again on its data, at the same address, and waits until it responds. */
  start(): Promise<void>;
  /** Stops it, so that it accepts connections and does not respond, until `resume`. */
  pause(): void;
  resume(): void;
}

/** Starts a libSQL server with an empty database, and with more options of its program. */
export async function startLastingSqld(
  { options = [] }: { options?: readonly string[] } = {},
): Promise<LastingSqld> {
  const directory = await makeServerDir("rolegrid_lasting_");
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  let running: { readonly supervisor: Deno.ChildProcess; readonly serverId: number } | undefined;

  async function kill(signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): Promise<void> {
    if (running === undefined) return;
    const { supervisor, serverId } = running;
    running = undefined;
    Deno.kill(serverId, signal);
    await supervisor.status;
    await supervisor.stdin.close().catch(() => undefined);
  }

  async function start(): Promise<void> {
    const supervisor = new Deno.Command("/bin/sh", {
      args: ["-c", SUPERVISOR, "sh", ...sqldCommand(port, directory), ...QUICK_SHUTDOWN, ...options],
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    running = { supervisor, serverId: Number(await new Response(supervisor.stdout).text()) };
    await waitForAnswer(`${url}/health`);
  }

  function send(signal: "SIGSTOP" | "SIGCONT"): void {
    if (running !== undefined) Deno.kill(running.serverId, signal);
  }

  await start();
  return {
    url,
    port,
    directory,
    kill,
    start,
    pause: () => send("SIGSTOP"),
    resume: () => send("SIGCONT"),
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
