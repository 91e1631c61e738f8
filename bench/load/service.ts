import { fileURLToPath } from "node:url";
import { waitForAnswer } from "../../tests/helpers/lasting_sqld.ts";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));
const KIBIBYTES_A_MEBIBYTE = 1024;

/** The service as a separate process, started like an administrator would. */
export interface LoadedService {
  readonly url: string;
  /** Resident memory of all its processes together, in MiB. */
  residentMiB(): number;
  /** Open descriptors of all its processes together. */
  descriptors(): number;
  /** Stops it like a supervisor. Returns its exit code. */
  stop(): Promise<number>;
}

/** Starts the service and waits until it is ready. */
export async function startLoadedService(env: Readonly<Record<string, string>>): Promise<LoadedService> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "start"],
    cwd: PROJECT,
    env: {
      ...env,
      // Each client has its own address, as behind a proxy. The clients request more telemetry than one user
      // may.
      TRUSTED_PROXIES: "127.0.0.1",
      TELEMETRY_BUCKET: "900000000000/60",
    },
    stdin: "null",
    // The service logs one line per request, which costs the same with or without a reader.
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
  return {
    url,
    residentMiB: () => sumOver(child.pid, ownResidentMiB),
    descriptors: () => sumOver(child.pid, ownDescriptors),
    stop,
  };
}

/** A figure of a process and its descendants, without "deno task", which only waits. */
function sumOver(taskId: number, figureOf: (processId: number) => number): number {
  return childrenOf(taskId).reduce((sum, id) => sum + figureOf(id) + sumOver(id, figureOf), 0);
}

function ownDescriptors(processId: number): number {
  return [...Deno.readDirSync(`/proc/${processId}/fd`)].length;
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
    // A thread or process that has just ended.
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}
