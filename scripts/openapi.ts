import { createApp } from "../src/app.ts";
import { readConfig } from "../src/service/config.ts";
import { createLog } from "../src/core/log.ts";
import { generateSecretKeys, parseSecretKeys } from "../src/core/keys.ts";
import type { Database } from "../src/db/database.ts";
import { describeApi } from "../src/http/openapi/describe_api.ts";
import { generateTokenKeys } from "../src/identity/token/token_keys.ts";
import { createAppDeps } from "../src/service/serve.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { print, printError } from "./lib/output.ts";
import { runTask } from "./lib/run_task.ts";
import { limitsOf, renderLimits, type StatedLimits, stateLimits } from "./lib/stated_limits.ts";

const COMMAND = {
  name: "openapi",
  summary: "Writes openapi.json, which the service serves, from the schemas that validate requests.",
  options: {
    check: { type: "boolean", description: "Write nothing; exit with status 1 if the file is out of date" },
    limits: {
      type: "boolean",
      description: "Write nothing; print what a request of each operation may cost",
    },
  },
} as const;

export const OPENAPI_FILE = new URL("../openapi.json", import.meta.url);

async function writeOpenApi(): Promise<number> {
  const { values } = parseCommandLine(COMMAND);
  const present = await Deno.readTextFile(OPENAPI_FILE);
  const limits = limitsOf(present);
  if (values.limits) {
    renderLimits(limits).forEach((line) => print(line));
    return 0;
  }
  const text = await describeService(limits);
  if (values.check) return checkFile(present, text);
  await Deno.writeTextFile(OPENAPI_FILE, text);
  print(`Wrote ${Object.keys(JSON.parse(text).paths).length} paths to openapi.json`);
  return 0;
}

function checkFile(present: string, text: string): number {
  if (present === text) {
    print("openapi.json is up to date.");
    return 0;
  }
  printError('openapi.json is out of date. Run "deno task openapi" and commit the file.');
  return 1;
}

/** Returns the document as checked in: indented, with paths and schemas in alphabetical order. */
export async function describeService(limits: StatedLimits): Promise<string> {
  const deps = await createAppDeps({
    config: readConfig({}, "development"),
    keys: { tokenKeys: await generateTokenKeys(), secretKeys: parseSecretKeys(generateSecretKeys()) },
    database: NO_DATABASE,
    migrations: [],
    log: createLog("silent", () => {}),
  });
  const document = await describeApi(createApp(deps), deps.publicUrl);
  return `${JSON.stringify(stateLimits(document, limits), sortContents, 2)}\n`;
}

/** A stand-in: the description needs no database. */
const NO_DATABASE: Database = {
  kind: "file",
  read: refuse,
  readAll: refuse,
  write: refuse,
  close: refuse,
};

function refuse(): Promise<never> {
  return Promise.reject(new TypeError("There is no database"));
}

/** Sorts named sets, whose order depends on that of the routes. */
function sortContents(key: string, value: unknown): unknown {
  if (!["paths", "schemas", "securitySchemes"].includes(key)) return value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));
}

if (import.meta.main) await runTask(writeOpenApi);
