import { fileURLToPath } from "node:url";
import { waitForAnswer } from "../crash/lasting_sqld.ts";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));
const KIBIBYTES_A_MEBIBYTE = 1024;

/** The service in a process of its own, started as an administrator would. */
export interface LoadedService {
  readonly url: string;
  /** MiB that are in memory, of all its processes together. */
  residentMiB(): number;
  /** Ends it as a supervisor does. Answers its exit code. */
  stop(): Promise<number>;
}

export interface ServiceOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Undefined: one process with one thread. */
  readonly threads: number | undefined;
}

/** Starts the service and waits until it is ready. */
export async function startLoadedService({ env, threads }: ServiceOptions): Promise<LoadedService> {
  const task = threads === undefined ? ["start"] : ["start:parallel", "--threads", String(threads)];
  const child = new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", ...task],
    cwd: PROJECT,
    env: {
      ...env,
      // Each client has an address of its own, as behind a proxy; the clients ask for more telemetry than one user may.
      TRUSTED_PROXIES: "127.0.0.1",
      TELEMETRY_BUCKET: "900000000000/60",
    },
    stdin: "null",
    // The service writes a line a request, which costs the same whoever reads it.
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  const url = env["PUBLIC_URL"] ?? "";

  async function stop(): Promise<number> {
    child.kill("SIGTERM");
    return (await child.status).code;
  }

  try {
    await waitForAnswer(`${url}/readyz`);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, residentMiB: () => residentMiB(child.pid), stop };
}

/** What a process and those that it started have in memory, but for "deno task", which only waits. */
function residentMiB(taskId: number): number {
  return childrenOf(taskId).reduce((sum, id) => sum + ownResidentMiB(id) + residentMiB(id), 0);
}

function ownResidentMiB(processId: number): number {
  const [, kibibytes = "0"] = /^VmRSS:\s+(\d+) kB$/m.exec(readProcess(processId, "status")) ?? [];
  return Number(kibibytes) / KIBIBYTES_A_MEBIBYTE;
}

function childrenOf(processId: number): number[] {
  const ids: number[] = [];
  for (const { name } of Deno.readDirSync(`/proc/${processId}/task`)) {
    const text = readProcess(processId, `task/${name}/children`);
    ids.push(...text.split(" ").filter((id) => id !== "").map(Number));
  }
  return ids;
}

function readProcess(processId: number, file: string): string {
  try {
    return Deno.readTextFileSync(`/proc/${processId}/${file}`);
  } catch (error) {
    // A thread or a process that ended a moment ago.
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}
