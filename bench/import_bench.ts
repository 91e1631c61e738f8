import { stringify } from "csv-stringify/sync";
import { fileURLToPath } from "node:url";
import { bind } from "../src/db/statement.ts";
import { bootstrapRoot } from "../src/role/bootstrap_service.ts";
import { serveApp } from "../tests/examples/serve_app.ts";
import { openTestDatabase } from "../tests/helpers/databases.ts";
import { logInFully, send } from "../tests/helpers/http.ts";
import { defineStatement } from "../tests/helpers/text_statement.ts";
import { type Benchmark, type BenchmarkResult, type Figure, figure } from "./benchmark.ts";
import { quantile, summarize } from "./statistics.ts";

const SITES = 20_000;
const PEOPLE = 60_000;
const DEVICES = 100_000;
/** A role at the top, with ten below each, five times. */
const LEVELS_ON_SERVER = 5;
const LOAD_GOAL_MS = 60_000;
const AGAIN_GOAL_MS = 30_000;
const WAIT_GOAL_MS = 100;
/** Between two requests of those who work during the import. */
const PAUSE_MS = 10;
/** Of so many requests, one writes. */
const WRITES = 10;

const EMAIL = "ada@example.com";
const PASSWORD = "a heron at dusk";
const SET_PASSWORD = defineStatement("UPDATE user_account SET password_hash = :hash WHERE id = :userId");
const IMPORT = fileURLToPath(new URL("../scripts/import.ts", import.meta.url));

/**
 * A platform with 31,000 roles, 60,000 people with memberships, and 100,000 devices moves in: by the task, into an
 * empty database file, once more, and while the service runs on that file. Then 111,111 roles move into a server.
 */
export const IMPORT_BENCH: Benchmark = {
  name: "import",
  summary:
    "A platform of 31,000 roles, 60,000 people and 100,000 devices from four CSV files into a database file; 111,111 roles into a server",
  async run(note): Promise<BenchmarkResult[]> {
    const folder = await Deno.makeTempDir({ prefix: "rolegrid_bench_" });
    try {
      const paths = await writePlatform(folder);
      note("into an empty file");
      const figures = await measureAlone(paths, note);
      note("while the service runs");
      figures.push(...await measureBeside(paths));
      const input = `${1 + 10 + 1000 + 10_000 + SITES} roles, ${PEOPLE} people, ${DEVICES} devices`;
      note("into a server");
      return [{ input, figures }, {
        input: "111,111 roles on a server",
        figures: [await measureOnServer(folder)],
      }];
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
};

async function measureAlone(paths: readonly string[], note: (text: string) => void): Promise<Figure[]> {
  await using opened = await openTestDatabase("file");
  const first = await importInto(opened.url, paths);
  note("the same files again");
  const again = await importInto(opened.url, paths);
  return [
    figure("into an empty file", "ms", summarize([first]), { atMost: LOAD_GOAL_MS }),
    figure("again", "ms", summarize([again]), { atMost: AGAIN_GOAL_MS }),
  ];
}

async function measureOnServer(folder: string): Promise<Figure> {
  const roles = [["key", "name", "parents", "manages", "selfRights"], ["r", "Role", "", "", "all"]];
  let keys = ["r"];
  for (let level = 0; level < LEVELS_ON_SERVER; level++) {
    const below = keys.flatMap((parent) =>
      Array.from({ length: 10 }, (_, i) => [`${parent}${i}`, parent] as const)
    );
    for (const [key, parent] of below) roles.push([key, "Role", parent, "all", "viewManagement"]);
    keys = below.map(([key]) => key);
  }
  const path = `${folder}/roles_on_server.csv`;
  await Deno.writeTextFile(path, stringify(roles));
  await using opened = await openTestDatabase("remote", { isLarge: true });
  return figure("into an empty server", "ms", summarize([await importInto(opened.url, [path])]), {
    atMost: LOAD_GOAL_MS,
  });
}

async function measureBeside(paths: readonly string[]): Promise<Figure[]> {
  await using served = await serveApp("file", { inMemory: false });
  const { deps } = served;
  const { userId, roleId } = await bootstrapRoot(deps, { email: EMAIL, roleName: "Own" });
  const hash = await deps.hasher.hash(PASSWORD);
  await deps.database.write([bind(SET_PASSWORD, { userId, hash })]);
  const target = { request: (path: string, init?: RequestInit) => fetch(served.baseUrl + path, init) };
  const { accessToken: token } = await logInFully(target, EMAIL, PASSWORD);
  const waits = { checks: [] as number[], writes: [] as number[] };
  let isOver = false;
  const load = importInto(served.databaseUrl, paths).finally(() => isOver = true);
  for (let n = 0; !isOver; n++) {
    const begun = performance.now();
    const writes = n % WRITES === 0;
    const answer = writes
      ? await send(target, "POST", `/v1/role?parentRoleId=${roleId}`, {
        token,
        body: { role: { name: `Own ${n}`, selfRights: ALL_RIGHTS }, manages: ALL_RIGHTS },
      })
      : await send(target, "POST", "/v1/rights/check", {
        token,
        body: { checks: [{ roleId, right: "viewManagement" }] },
      });
    if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
    (writes ? waits.writes : waits.checks).push(performance.now() - begun);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  await load;
  const p99 = (values: readonly number[]): number => quantile(values.toSorted((a, b) => a - b), 0.99);
  const all = [...waits.checks, ...waits.writes];
  return [
    {
      ...figure("p99 of others' requests", "ms", summarize([p99(all)]), { atMost: WAIT_GOAL_MS }),
      samples: all.length,
    },
    figure("p99 of their checks", "ms", summarize([p99(waits.checks)])),
    figure("p99 of their writes", "ms", summarize([p99(waits.writes)])),
  ];
}

const ALL_RIGHTS = {
  roleManagement: true,
  userManagement: true,
  viewManagement: true,
  deviceManagement: true,
  reportManagement: true,
  alarmManagement: true,
};

/** Returns the milliseconds that the task takes. */
async function importInto(databaseUrl: string, paths: readonly string[]): Promise<number> {
  const begun = performance.now();
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", IMPORT, ...paths],
    env: { TURSO_DATABASE_URL: databaseUrl, NO_COLOR: "1" },
  }).output();
  if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
  return performance.now() - begun;
}

async function writePlatform(folder: string): Promise<string[]> {
  const roles = [["key", "name", "parents", "manages", "selfRights", "externalId"]];
  const add = (key: string, parent: string): void => {
    roles.push([key, `Role ${key}`, parent, "all", parent === "" ? "all" : "viewManagement", `crm-${key}`]);
  };
  add("root", "");
  for (let i = 0; i < 10; i++) add(`distributor-${i}`, "root");
  for (let i = 0; i < 1000; i++) add(`installer-${i}`, `distributor-${i % 10}`);
  for (let i = 0; i < 10_000; i++) add(`customer-${i}`, `installer-${i % 1000}`);
  for (let i = 0; i < SITES; i++) add(`site-${i}`, `customer-${i % 10_000}`);
  const people = [["email", "language", "externalId", "passwordHash"]];
  const members = [["role", "person"]];
  const hash = "$2y$10$CtUolmdvJtdzbLLwScBJbuky9tbPyf7gb/5gqLO2V8aMplAhtdK2W";
  for (let i = 0; i < PEOPLE; i++) {
    people.push([`person-${i}@moving.example`, "en", `p-${i}`, hash]);
    members.push([`customer-${i % 10_000}`, `p-${i}`]);
  }
  const devices = [["nodeId", "role", "externalId", "properties"]];
  for (let i = 0; i < DEVICES; i++) {
    devices.push([`node-${i}`, `site-${i % SITES}`, `d-${i}`, JSON.stringify({ serial: i, kind: "meter" })]);
  }
  const paths: string[] = [];
  for (const [name, rows] of Object.entries({ roles, people, members, devices })) {
    const path = `${folder}/${name}.csv`;
    await Deno.writeTextFile(path, stringify(rows));
    paths.push(path);
  }
  return paths;
}
