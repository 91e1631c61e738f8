import { stop } from "esbuild";
import { CONSOLE_FOLDER } from "../src/console/console_build.ts";
import { type DevelopmentConfig, readConfig } from "../src/service/config.ts";
import { watchConsole } from "./build.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { curlLines } from "./lib/curl_lines.ts";
import { readEnvironment } from "./lib/database_context.ts";
import { DEFAULT_ADMIN_EMAIL, lacksDemo, makeDemo, refuseDemo } from "./lib/demo.ts";
import { describeDemo } from "./lib/demo_report.ts";
import { type DevelopmentContext, openDevelopment } from "./lib/development.ts";
import { print } from "./lib/output.ts";
import { followProgress } from "./lib/progress_follower.ts";
import { makeReadablePassword } from "./lib/readable_password.ts";
import { runTask, TaskError } from "./lib/run_task.ts";

const SUMMARY =
  `Starts the service for development, and restarts it whenever a source file changes. When one of the console's page
changes, it builds that again: reload the page. The first start creates the database, keys that are kept in it, an
administrator and a demo organization, and prints how to log in.

  PORT                port to listen on (default: 8000)
  TURSO_DATABASE_URL  URL of the database (default: file:data/rolegrid.db)
  ADMIN_EMAIL         address of the administrator (default: admin@example.com)
  ADMIN_PASSWORD      password of the administrator (default: a random one)`;

const OPTIONS = {
  "no-demo": {
    type: "boolean",
    description: "Add no demo to this database, now or later: for an import of your own",
  },
} as const;

/** Deno itself watches the server's imports. */
const SERVER_ARGUMENTS = [
  ...["run", "--watch=migrations/,src/db/schema/triggers/", "--no-clear-screen", "--no-prompt"],
  ...["--allow-env", "--allow-read", "--allow-write", "--allow-net", "--allow-ffi", "--allow-sys"],
  "scripts/dev_server.ts",
];

async function develop(): Promise<number> {
  const { values } = parseCommandLine({ name: "dev", summary: SUMMARY, options: OPTIONS });
  // Checked first: the first start shows passwords only once.
  requireFreePort(readConfig(await readEnvironment(), "development"));
  {
    await using context = await openDevelopment();
    const { config, deps } = context;
    if (values["no-demo"]) await refuseDemo(deps);
    if (await lacksDemo(deps)) await makeFirstContents(context);
    else print(`Rolegrid at ${localUrl(config)}/console. ${howToStartAnew(config)}`);
  }
  return await runServer();
}

/** Throws a `TaskError` if another program listens at the service's port. */
function requireFreePort({ host, port }: DevelopmentConfig): void {
  try {
    Deno.listen({ hostname: host, port }).close();
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    const advice = `Stop the program that uses it, or choose another port: PORT=${port + 1} deno task dev`;
    throw new TaskError(`Port ${port} is already in use. ${advice}`);
  }
}

async function makeFirstContents({ config, deps }: DevelopmentContext): Promise<void> {
  print("First start: creating a demo organization …");
  const password = makeReadablePassword();
  const adminEmail = config.adminEmail ?? DEFAULT_ADMIN_EMAIL;
  const given = { adminEmail, adminPassword: config.adminPassword ?? password, password };
  using bar = followProgress();
  const result = await makeDemo(deps, { ...given, onProgress: bar.report });
  bar.finish();
  const example = { url: localUrl(config), username: adminEmail, password: given.adminPassword };
  print();
  for (const line of describeDemo(result, given)) print(line);
  print(`\nOpen ${localUrl(config)}/console in a browser: one click signs in as any of them.`);
  print("\nLog in from another terminal, get an access token, and query a role:\n");
  for (const line of curlLines({ ...example, roleName: "Netherlands" })) print(line);
  print(`\nThe passwords are not shown again. ${howToStartAnew(config)}\n`);
}

/** Returns the URL of the service on this machine; PUBLIC_URL may lead through a proxy. */
function localUrl({ host, port }: DevelopmentConfig): string {
  return `http://${["127.0.0.1", "0.0.0.0", "::"].includes(host) ? "localhost" : host}:${port}`;
}

function howToStartAnew({ databaseUrl }: DevelopmentConfig): string {
  const what = databaseUrl.startsWith("file:data/") ? "data/" : "the database";
  return `To start over, stop the service (Ctrl-C) and delete ${what}.`;
}

/** Runs the server until it ends. Ctrl-C in a terminal reaches both processes; the server decides when to end. */
async function runServer(): Promise<number> {
  await watchConsole(CONSOLE_FOLDER);
  const server = new Deno.Command(Deno.execPath(), { args: SERVER_ARGUMENTS }).spawn();
  Deno.addSignalListener("SIGINT", () => {});
  // SIGINT, because after SIGTERM the watcher would wait for the next change of a file.
  Deno.addSignalListener("SIGTERM", () => server.kill("SIGINT"));
  const { code, signal } = await server.status;
  await stop();
  return signal === null ? code : 0;
}

if (import.meta.main) await runTask(develop);
