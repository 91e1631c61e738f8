import { fileURLToPath } from "node:url";
import { generateSecretKeys } from "../../src/core/keys.ts";
import { generateTokenKeys } from "../../src/identity/token/token_keys.ts";
import { killChild } from "./kill_child.ts";
import { freePort } from "./sqld.ts";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));
/** Options and permissions of `deno task start`. */
const OPTIONS: readonly string[] = ["--node-modules-dir=manual", "--v8-flags=--max-semi-space-size=4"];
const PERMISSIONS: readonly string[] = ["env", "read", "write", "net", "ffi", "sys"];
/** Variables that every process needs, whatever its configuration. */
const INHERITED = ["PATH", "HOME", "DENO_DIR"] as const;

export interface ServiceOptions {
  /** Permissions of `deno task start` to leave out. */
  readonly without?: readonly string[];
  /** A module of `tests/helpers` that runs in the process before the service. */
  readonly preload?: string;
}

export interface ServiceOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The production service in a process of its own. Disposing of it kills it. */
export interface ServiceProcess extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Lines of its log so far. */
  readonly logLines: readonly string[];
  /** Waits for the log line of an event and returns it. Throws if the process ends first. */
  logged(event: string): Promise<Record<string, unknown>>;
  signal(name: "SIGINT" | "SIGTERM" | "SIGKILL"): void;
  /** Waits for the end of the process. */
  ended(): Promise<ServiceOutcome>;
}

/** A complete configuration for production: keys of its own, a free port, and a mail server that does not exist. */
export async function productionEnv(databaseUrl: string): Promise<Record<string, string>> {
  const port = freePort();
  return {
    TURSO_DATABASE_URL: databaseUrl,
    HOST: "127.0.0.1",
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    TOKEN_KEYS: await generateTokenKeys(),
    SECRET_KEYS: generateSecretKeys(),
    MAIL_URL: `smtp://127.0.0.1:${freePort()}`,
    MAIL_FROM: "Grid <grid@grid.example>",
  };
}

/** Starts the service and waits until it listens. Throws an error with its standard error if it ends first. */
export async function startService(
  env: Readonly<Record<string, string>>,
  options: ServiceOptions = {},
): Promise<ServiceProcess> {
  const service = spawnService(env, options);
  try {
    await service.logged("listening");
  } catch (error) {
    await service[Symbol.asyncDispose]();
    throw error;
  }
  return service;
}

/** Starts the service without waiting. */
export function spawnService(
  env: Readonly<Record<string, string>>,
  options: ServiceOptions = {},
): ServiceProcess {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", ...OPTIONS, "--quiet", "--no-prompt", "--no-check", ...programArguments(options)],
    cwd: PROJECT,
    clearEnv: true,
    env: { NO_COLOR: "1", ...inherited(), ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const logLines: string[] = [];
  let onLine: (() => void) | undefined;
  let isOver = false;
  const reading = readLines(child.stdout, (line) => {
    logLines.push(line);
    onLine?.();
  }).finally(() => {
    isOver = true;
    onLine?.();
  });
  const stderr = new Response(child.stderr).text();
  const status = child.status;

  async function ended(): Promise<ServiceOutcome> {
    const [{ code }, errors] = await Promise.all([status, stderr, reading]);
    return { code, stdout: logLines.join("\n"), stderr: errors };
  }

  return {
    url: env["PUBLIC_URL"] ?? "",
    port: Number(env["PORT"]),
    pid: child.pid,
    logLines,
    async logged(event): Promise<Record<string, unknown>> {
      for (let at = 0;;) {
        for (; at < logLines.length; at++) {
          const line: Record<string, unknown> = JSON.parse(logLines[at] ?? "{}");
          if (line["event"] === event) return line;
        }
        if (isOver) throw new Error(`The service ended before it logged "${event}":\n${await stderr}`);
        await new Promise<void>((resolve) => onLine = resolve);
      }
    },
    signal: (name) => child.kill(name),
    ended,
    async [Symbol.asyncDispose](): Promise<void> {
      killChild(child);
      await ended();
    },
  };
}

function programArguments({ without = [], preload }: ServiceOptions): string[] {
  const permissions = PERMISSIONS.filter((name) => !without.includes(name)).map((name) => `--allow-${name}`);
  const preloaded = preload === undefined ? [] : ["--preload", `${PROJECT}tests/helpers/${preload}`];
  return [...preloaded, ...permissions, `${PROJECT}main.ts`];
}

async function readLines(
  bytes: ReadableStream<Uint8Array<ArrayBuffer>>,
  take: (line: string) => void,
): Promise<void> {
  let rest = "";
  for await (const text of bytes.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  }
}

function inherited(): Record<string, string> {
  return Object.fromEntries(
    INHERITED.map((name) => [name, Deno.env.get(name)]).filter(([, value]) => value !== undefined),
  );
}
