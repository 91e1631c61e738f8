import { fileURLToPath } from "node:url";
import type { ProductionConfig } from "../src/service/config.ts";
import { explainStartFailure, openProduction } from "../src/service/production.ts";
import { listenForStop } from "../src/service/shutdown.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { runTask, TaskError } from "./lib/run_task.ts";

const COMMAND = {
  name: "start:parallel",
  summary:
    `Serves in production with several threads on one port, using "deno serve --parallel". Configuration and shutdown are
the same as for "deno task start", provided that signals are sent to this process alone (systemd: KillMode=mixed). Each
thread has its own database connection, queues and limits; scheduled jobs run in one of them. Needs Deno 2.9 or later.`,
  options: {
    threads: {
      type: "string",
      placeholder: "N",
      description: "Number of threads",
      default: String(navigator.hardwareConcurrency),
    },
  },
} as const;

const MAX_THREADS = 64;

async function startParallel(): Promise<number> {
  const threads = Number(parseCommandLine(COMMAND).values.threads);
  if (!Number.isInteger(threads) || threads < 1 || threads > MAX_THREADS) {
    throw new TaskError(`--threads must be a whole number from 1 to ${MAX_THREADS}.`);
  }
  requireRuntime();
  const config = await checkStart();
  const lockPath = await Deno.makeTempFile({ prefix: "rolegrid_threads_" });
  try {
    return await serveUntilTold(spawnServer(config, threads, lockPath), lockPath);
  } finally {
    await Deno.remove(lockPath);
  }
}

/**
 * Whether the runtime closes its listeners at SIGTERM. Older ones leave them open, and have no other way to close
 * them.
 */
export function canServeParallel(): boolean {
  const [major = 0, minor = 0] = Deno.version.deno.split(".").map(Number);
  return major > 2 || (major === 2 && minor >= 9);
}

function requireRuntime(): void {
  if (canServeParallel()) return;
  throw new TaskError(
    `Several threads need Deno 2.9 or later; this is ${Deno.version.deno}. Run "deno upgrade", or use "deno task start".`,
  );
}

/** Checks here what would stop each of the threads, so that it is reported once. Migrates a database file. */
async function checkStart(): Promise<ProductionConfig> {
  try {
    const { config, database } = await openProduction(Deno.env.toObject());
    await database.close();
    // The threads share the port, and would share it with another service as well.
    Deno.listen({ hostname: config.host, port: config.port }).close();
    return config;
  } catch (error) {
    const message = explainStartFailure(error);
    if (message === undefined) throw error;
    throw new TaskError(message);
  }
}

function spawnServer(
  { host, port }: ProductionConfig,
  threads: number,
  lockPath: string,
): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: [
      ...["serve", "--parallel", "--quiet", "--no-prompt", "--port", String(port)],
      ...["--host", host.includes(":") ? `[${host}]` : host],
      ...["--allow-env", "--allow-read", "--allow-write", "--allow-net", "--allow-ffi", "--allow-sys"],
      ...[fileURLToPath(new URL("parallel_server.ts", import.meta.url)), String(threads), lockPath],
    ],
    env: { DENO_JOBS: String(threads) },
    stdin: "piped",
    // A terminal's Ctrl-C must reach this process alone.
    detached: true,
  }).spawn();
}

/**
 * Forwards a signal to stop in two steps: first the threads refuse new requests and read the running ones to their
 * end; when all have, the runtime may close their listeners.
 */
async function serveUntilTold(server: Deno.ChildProcess, lockPath: string): Promise<number> {
  const stop = listenForStop();
  let isTold = false;
  const passOn = stop.received.then(async () => {
    isTold = true;
    await server.stdin.close();
    using file = await Deno.open(lockPath, { write: true });
    await file.lock(true);
    server.kill("SIGTERM");
  });
  const { code, signal } = await Promise.race([server.status, passOn.then(() => server.status)]);
  stop.release();
  // A server that ends by itself has failed. Before it is ready, the signal simply ends it, as it should.
  if (signal === null) return isTold ? code : code || 1;
  return isTold && signal === "SIGTERM" ? 0 : 1;
}

if (import.meta.main) await runTask(startParallel);
