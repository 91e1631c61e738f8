import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { generateSecretKeys } from "../../src/core/keys.ts";
import { generateTokenKeys } from "../../src/identity/token/token_keys.ts";
import { freePort } from "../../tests/helpers/sqld.ts";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));
const START_LIMIT_MS = 30_000;
const POLL_MS = 50;

/** The service as a separate process on a fresh database file, started like an administrator would. */
export interface RunningService extends AsyncDisposable {
  readonly url: string;
  readonly admin: { readonly username: string; readonly password: string };
  /** Runs an administrator's task on the service's database. Returns its output and its exit code. */
  runTask(name: string, ...args: string[]): Promise<{ code: number; output: string }>;
}

/** Arguments of `deno task import`, which runs before the service starts. */
export interface PreparedDatabase extends Pick<RunningService, "runTask"> {
  /** A directory that is removed together with the database. */
  readonly directory: string;
  readonly rootId: number;
}

export interface ServiceOptions {
  /** Runs on the migrated database with its root role, before the service starts. */
  readonly prepare?: (database: PreparedDatabase) => Promise<void>;
  /** Additional configuration of the service. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Migrates a new database, creates a root role with an administrator, starts the service, and waits until it is
 * ready.
 */
export async function startService(
  rootName: string,
  { prepare, env: more = {} }: ServiceOptions = {},
): Promise<RunningService> {
  const directory = await Deno.makeTempDir({ prefix: "rolegrid_wordnet_" });
  const port = freePort();
  const admin = { username: "admin@example.com", password: randomBytes(16).toString("base64url") };
  const env = {
    TURSO_DATABASE_URL: `file:${directory}/wordnet.db`,
    HOST: "127.0.0.1",
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    TOKEN_KEYS: await generateTokenKeys(),
    SECRET_KEYS: generateSecretKeys(),
    // Nothing listens there: mails stay in the outbox.
    MAIL_URL: "smtp://127.0.0.1:9",
    MAIL_FROM: "grid@rolegrid.test",
    ...more,
  };

  async function runTask(
    name: string,
    args: readonly string[],
    taskEnv: Record<string, string> = {},
  ): Promise<{ code: number; output: string }> {
    const command = new Deno.Command(Deno.execPath(), {
      args: ["task", "--quiet", name, ...args],
      cwd: PROJECT,
      env: { ...env, ...taskEnv },
      stdin: "null",
      stderr: "inherit",
    });
    const { code, stdout } = await command.output();
    return { code, output: new TextDecoder().decode(stdout) };
  }

  async function mustRun(
    name: string,
    args: readonly string[],
    taskEnv?: Record<string, string>,
  ): Promise<string> {
    const { code, output } = await runTask(name, args, taskEnv);
    if (code !== 0) throw new Error(`deno task ${name} ended with exit code ${code}: ${output}`);
    return output;
  }

  async function prepareDatabase(): Promise<void> {
    await mustRun("migrate", []);
    const bootstrap = ["--email", admin.username, "--role", rootName];
    const made = await mustRun("bootstrap", bootstrap, { ADMIN_PASSWORD: admin.password });
    const rootId = Number(/\(id (\d+)\)/.exec(made)?.[1]);
    await prepare?.({ directory, rootId, runTask: (name, ...args) => runTask(name, args) });
  }

  try {
    await prepareDatabase();
  } catch (error) {
    await Deno.remove(directory, { recursive: true });
    throw error;
  }
  const server = new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "start"],
    cwd: PROJECT,
    env,
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  async function stop(): Promise<void> {
    server.kill("SIGTERM");
    await server.status;
    await Deno.remove(directory, { recursive: true });
  }
  try {
    await waitUntilReady(env.PUBLIC_URL);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: env.PUBLIC_URL,
    admin,
    runTask: (name, ...args) => runTask(name, args),
    [Symbol.asyncDispose]: stop,
  };
}

async function waitUntilReady(url: string): Promise<void> {
  const deadline = performance.now() + START_LIMIT_MS;
  while (performance.now() < deadline) {
    try {
      const response = await fetch(`${url}/readyz`);
      await response.body?.cancel();
      if (response.ok) return;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`The service at ${url} is not ready after ${START_LIMIT_MS / 1000} s`);
}
