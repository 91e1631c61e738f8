import { fileURLToPath } from "node:url";
import type { LoadOrder, LoadReport } from "./http_load.ts";

/** The options of `deno task start`, but for that of packages: an earlier commit to compare with installs them itself. */
const START_OPTIONS = [
  "--v8-flags=--max-semi-space-size=4",
  "--allow-env",
  "--allow-read",
  "--allow-write",
  "--allow-net",
  "--allow-ffi",
  "--allow-sys",
];
const START_LIMIT_MS = 20_000;
const POLL_MS = 2;
/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

export interface ServerProcess extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
  /** Processor time used so far, in seconds; undefined if the system does not tell. */
  processorSeconds(): number | undefined;
}

export interface ServerOptions {
  /** Relative to the project. */
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  /** The project by default. */
  readonly cwd?: string;
}

/**
 * Starts a server as a separate process, with the options of `deno task start`, and waits until it accepts
 * connections.
 */
export async function startServer({ script, env, port, cwd }: ServerOptions): Promise<ServerProcess> {
  return await startProcess(["run", ...START_OPTIONS, script], { ...env, PORT: String(port) }, port, cwd);
}

/** The same with `deno task start`. */
export async function startTask(env: Readonly<Record<string, string>>, port: number): Promise<ServerProcess> {
  return await startProcess(["task", "start"], { ...env, PORT: String(port) }, port);
}

async function startProcess(
  args: string[],
  env: Record<string, string>,
  port: number,
  cwd = fileURLToPath(new URL("../", import.meta.url)),
): Promise<ServerProcess> {
  const child = new Deno.Command(Deno.execPath(), {
    args,
    env,
    cwd,
    stdin: "null",
    // The service logs one line per request, which costs the same with or without a reader.
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  const ended = child.status.then(({ code }) => {
    throw new Error(`${args.join(" ")} ended with exit code ${code} before it responded`);
  });
  // Nothing here waits for its end.
  ended.catch(() => undefined);
  await Promise.race([waitForPort(port), ended]);
  return {
    port,
    pid: child.pid,
    processorSeconds: () => processorSecondsOf(child.pid),
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill("SIGTERM");
      await child.status;
    },
  };
}

async function waitForPort(port: number): Promise<void> {
  const deadline = performance.now() + START_LIMIT_MS;
  while (performance.now() < deadline) {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return;
    } catch (error) {
      if (!(error instanceof Deno.errors.ConnectionRefused)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`Nothing listens on port ${port} after ${START_LIMIT_MS} ms`);
}

/** Processor time that a process has used so far, in seconds; undefined if the system does not tell. */
export function processorSecondsOf(pid: number): number | undefined {
  try {
    const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).replace(/^.*\) /, "").split(" ");
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}

/** The id of the database server's process that listens on the port in this URL. Throws if there is none. */
export function databasePidOf(url: string): number {
  const { port } = new URL(url);
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const args = Deno.readTextFileSync(`/proc/${name}/cmdline`).split("\0");
      if (args[0]?.endsWith("/sqld") && args.includes(`127.0.0.1:${port}`)) return Number(name);
    } catch {
      // The process has ended meanwhile.
    }
  }
  throw new Error(`No sqld listens on port ${port}`);
}

/** Puts load on a server from a separate process. */
export async function putLoad(order: LoadOrder): Promise<LoadReport> {
  const script = fileURLToPath(new URL("http_load.ts", import.meta.url));
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-net", script],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  // Not an argument, whose length the system limits.
  const input = child.stdin.getWriter();
  await input.write(new TextEncoder().encode(JSON.stringify(order)));
  await input.close();
  const { code, stdout } = await child.output();
  if (code !== 0) throw new Error(`The load on port ${order.port} ended with exit code ${code}`);
  return JSON.parse(new TextDecoder().decode(stdout));
}
