import { fileURLToPath } from "node:url";
import { toRights } from "../src/graph/rights.ts";
import { TaskError } from "../scripts/lib/run_task.ts";
import { productionEnv } from "../tests/helpers/service_process.ts";
import { startSqld } from "../tests/helpers/sqld.ts";
import { startTcpProxy } from "../tests/helpers/tcp_proxy.ts";
import { databasePidOf, processorSecondsOf, putLoad, startServer } from "./bench_process.ts";
import type { BenchmarkResult, Figure } from "./benchmark.ts";
import { checkOf, type LoadOrder } from "./http_load.ts";
import { quantile } from "./statistics.ts";

/**
 * Compares the service with that of an earlier commit: each serves a database of its own, which is made through the
 * interface alone, and both get the same requests in slices in turn, so that the ratios hold on a busy machine, too.
 */

export interface AgainstOptions {
  /** What Git understands, such as `HEAD~1`. */
  readonly commit: string;
  /** What the names of the requests contain. */
  readonly only: string;
  readonly kind: "file" | "server";
  /** How long a round trip to the server takes longer than on this machine, in milliseconds. */
  readonly delayMs: number;
  /** The numbers of connections, each of which gets slices of its own. */
  readonly connections: readonly number[];
  /** Only the check, in few slices. */
  readonly isShort: boolean;
  readonly note: (text: string) => void;
}

/** Requests before the first slice: until then, the runtime compiles. */
const WARM_UP_REQUESTS = 30_000;
const WARM_UP_CONNECTIONS = 16;
const SLICES = 7;
const SLICE_SECONDS = 3;
const SHORT_SLICES = 5;
const SHORT_SLICE_SECONDS = 2;
/** An access token is valid for ten minutes. */
const TOKEN_MS = 8 * 60_000;
const CHILDREN = 10;
const ALL = toRights(63);
const EMAIL = "admin@example.com";
const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** What one side serves, and where. */
interface Side {
  readonly name: string;
  readonly port: number;
  /** The processes whose time counts. */
  readonly pids: readonly number[];
  readonly scene: Scene;
  token(): Promise<string>;
}

/** Ids of roles: a root, ten below it, and so on twice more. */
interface Scene {
  readonly rootId: number;
  readonly leafId: number;
  /** The leaves, one for each connection that changes something. */
  readonly leafIds: readonly number[];
  readonly nodeIds: readonly string[];
}

type Order = Pick<LoadOrder, "method" | "path" | "body" | "headers" | "status">;

interface Scenario {
  readonly name: string;
  readonly orderIn: (scene: Scene) => Order;
}

const CHECK: Scenario = { name: "check", orderIn: ({ leafId }) => checkOf(leafId) };
const SCENARIOS: readonly Scenario[] = [
  CHECK,
  { name: "404", orderIn: () => ({ method: "GET", path: "/v1/nothing", body: "", status: 404 }) },
  { name: "/healthz", orderIn: () => ({ method: "GET", path: "/healthz", body: "" }) },
  {
    name: "query for one role",
    orderIn: ({ leafId }) => ({
      path: "/v1/role/query",
      body: JSON.stringify({ filter: { id: [leafId] } }),
    }),
  },
  {
    name: "list of 1,110 roles",
    orderIn: ({ rootId }) => ({
      path: "/v1/role/query",
      body: JSON.stringify({ filter: { ancestorRoleId: [rootId] } }),
    }),
  },
  {
    name: "change of a relation",
    orderIn: ({ rootId, leafIds }) => ({
      method: "PUT",
      path: leafIds.map((leafId) => `/v1/role/${rootId}/manages?childRoleId=${leafId}`),
      body: [toRights(63), toRights(31)].map((rights) => JSON.stringify(rights)),
    }),
  },
  {
    name: "change of a member",
    orderIn: ({ leafIds }) => ({
      method: "PUT",
      path: leafIds.map((leafId) => `/v1/role/${leafId}/member?userEmail=member@example.com`),
      body: [toRights(63), toRights(31)].map((rights) => JSON.stringify({ rights })),
    }),
  },
  {
    name: "change of one member by all",
    orderIn: ({ leafId }) => ({
      method: "PUT",
      path: `/v1/role/${leafId}/member?userEmail=member@example.com`,
      body: [toRights(63), toRights(31)].map((rights) => JSON.stringify({ rights })),
    }),
  },
  {
    name: "creation of a role",
    orderIn: ({ leafIds }) => ({
      path: leafIds.map((leafId) => `/v1/role?parentRoleId=${leafId}`),
      body: JSON.stringify({ manages: ALL, role: { name: "New", selfRights: ALL } }),
    }),
  },
  {
    name: "refused change",
    orderIn: ({ rootId, leafId }) => ({
      method: "PUT",
      path: `/v1/role/${leafId}/manages?childRoleId=${rootId}`,
      body: JSON.stringify(ALL),
      status: 403,
    }),
  },
  {
    name: "post of five devices",
    orderIn: ({ nodeIds }) => ({
      path: "/v1/telemetry?db=bench&rp=rp_one_m&precision=s",
      headers: { "Content-Type": "text/plain" },
      body: Array.from(
        { length: 60 },
        (_, i) =>
          nodeIds.map((nodeId) => `energy,nodeId=${nodeId} power=1.5 ${1_700_000_000 + i}`).join("\n"),
      ),
      status: 204,
    }),
  },
];

/** Measures both sides. Each ratio is the median of those of the slices, this commit to the earlier one. */
export async function compareWith(options: AgainstOptions): Promise<BenchmarkResult[]> {
  const { commit, only, kind, delayMs, connections, isShort, note } = options;
  await using stack = new AsyncDisposableStack();
  note(`making a copy of ${commit}`);
  const copy = stack.use(await checkOut(commit));
  const sides: Side[] = [];
  for (const [name, directory] of [["before", copy.path], ["after", ROOT]] as const) {
    note(`starting the service of ${name === "after" ? "this commit" : commit}`);
    sides.push(stack.use(await openSide(name, directory, kind, delayMs)));
  }
  for (const side of sides) await warmUp(side, note);
  const figures: Figure[] = [];
  for (const scenario of isShort ? [CHECK] : SCENARIOS.filter(({ name }) => name.includes(only))) {
    for (const count of connections) {
      note(`${scenario.name}, ${count} connections`);
      figures.push(...await measureInTurn(sides, scenario, { connections: count, isShort }));
    }
  }
  const input =
    `${commit} before, the working copy after; ${
      kind === "file" ? "a file" : `sqld${delayMs > 0 ? ` ${delayMs} ms away` : ""}`
    }, 1,111 roles, ` +
    `slices in turn. Processor is that of the service${kind === "file" ? "" : " and sqld"} for a request`;
  return [{ input, figures }];
}

/** The files of the commit in a temporary directory. */
export async function checkOut(commit: string): Promise<AsyncDisposable & { readonly path: string }> {
  await using stack = new AsyncDisposableStack();
  const path = await Deno.makeTempDir({ prefix: "rolegrid_against_" });
  stack.defer(() => Deno.remove(path, { recursive: true }));
  const { stdout } = await run("git", ["rev-parse", "--verify", `${commit}^{commit}`], ROOT);
  await run("git", ["clone", "--quiet", "--shared", "--no-checkout", ROOT, path], ROOT);
  await run("git", ["checkout", "--quiet", "--detach", stdout.trim()], path);
  const kept = stack.move();
  return { path, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Serves a fresh database by the code in a directory. */
async function openSide(
  name: string,
  directory: string,
  kind: "file" | "server",
  delayMs: number,
): Promise<Side & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const data = await Deno.makeTempDir({ prefix: "rolegrid_against_data_" });
  stack.defer(() => Deno.remove(data, { recursive: true }));
  const sqld = kind === "server" ? await startSqld() : undefined;
  if (sqld !== undefined) stack.defer(() => sqld.stop());
  const password = crypto.randomUUID();
  const env: Record<string, string> = {
    ...await productionEnv(sqld?.url ?? `file:${data}/bench.db`),
    TRUSTED_PROXIES: "127.0.0.1",
    // No post is refused for its rate.
    TELEMETRY_BUCKET: "999999999999/1",
    ADMIN_PASSWORD: password,
  };
  for (const task of [["migrate.ts"], ["bootstrap.ts", "--email", EMAIL, "--role", "Root"]]) {
    await run(
      Deno.execPath(),
      ["run", "-A", `${directory}/scripts/${task[0]}`, ...task.slice(1)],
      directory,
      env,
    );
  }
  const { ADMIN_PASSWORD: _, ...serving } = env;
  if (sqld !== undefined && delayMs > 0) {
    const targetPort = Number(new URL(sqld.url).port);
    const proxy = stack.use(startTcpProxy({ targetPort, delayMs: delayMs / 2 }));
    serving["TURSO_DATABASE_URL"] = `http://127.0.0.1:${proxy.port}`;
  }
  const port = Number(env["PORT"]);
  const server = stack.use(await startServer({ script: "main.ts", env: serving, port, cwd: directory }));
  const token = await openSession(port, password);
  const scene = await makeScene(port, await token());
  const kept = stack.move();
  return {
    name,
    port,
    pids: [server.pid, ...(sqld === undefined ? [] : [databasePidOf(sqld.url)])],
    scene,
    token,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Signs in. The result returns an access token that is valid for some minutes more. */
async function openSession(port: number, password: string): Promise<() => Promise<string>> {
  const base = `http://127.0.0.1:${port}`;
  const refreshToken = await textOf(
    await fetch(`${base}/auth/login`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ username: EMAIL, password }),
    }),
  );
  let accessToken = "";
  let until = 0;
  return async () => {
    if (performance.now() > until) {
      const headers = { Authorization: `Bearer ${refreshToken}` };
      accessToken = await textOf(await fetch(`${base}/auth/accesstoken`, { headers }));
      until = performance.now() + TOKEN_MS;
    }
    return accessToken;
  };
}

/** Creates three levels of roles below the root, and five devices, through the interface. */
async function makeScene(port: number, token: string): Promise<Scene> {
  async function post(path: string, body: unknown): Promise<Record<string, unknown>> {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return JSON.parse(await textOf(response));
  }
  const rootId = 1;
  let level = [rootId];
  for (let depth = 1; depth <= 3; depth++) {
    const next: number[] = [];
    for (const parentId of level) {
      for (let i = 0; i < CHILDREN; i++) {
        const role = { name: `Role ${parentId} ${i}`, selfRights: ALL };
        const made = await post(`/v1/role?parentRoleId=${parentId}`, { role, manages: ALL });
        next.push((made["role"] as { readonly id: number }).id);
      }
    }
    level = next;
  }
  const [leafId = rootId] = level;
  const nodeIds = Array.from({ length: 5 }, (_, i) => `meter-${i}`);
  for (const nodeId of nodeIds) await post(`/v1/device?roleId=${leafId}`, { properties: { nodeId } });
  return { rootId, leafId, leafIds: level, nodeIds };
}

async function warmUp(side: Side, note: (text: string) => void): Promise<void> {
  note(`${WARM_UP_REQUESTS} requests to warm up, ${side.name}`);
  for (let left = WARM_UP_REQUESTS; left > 0;) {
    const { requests } = await putLoad(await orderOf(side, CHECK, WARM_UP_CONNECTIONS, SLICE_SECONDS));
    left -= requests;
  }
}

async function orderOf(
  side: Side,
  { orderIn }: Scenario,
  connections: number,
  seconds: number,
): Promise<LoadOrder> {
  return { ...orderIn(side.scene), port: side.port, token: await side.token(), connections, seconds };
}

/** Processor time in milliseconds for a request, and requests a second. */
interface Slice {
  readonly processorMs: number;
  readonly perSecond: number;
}

async function measureInTurn(
  sides: readonly Side[],
  scenario: Scenario,
  { connections, isShort }: { readonly connections: number; readonly isShort: boolean },
): Promise<Figure[]> {
  const slices = isShort ? SHORT_SLICES : SLICES;
  const seconds = isShort ? SHORT_SLICE_SECONDS : SLICE_SECONDS;
  const found: Slice[][] = sides.map(() => []);
  // The first of each is not counted.
  for (let n = 0; n <= slices; n++) {
    for (const i of n % 2 === 0 ? [0, 1] : [1, 0]) {
      const slice = await measureSlice(
        await orderOf(sides[i] as Side, scenario, connections, seconds),
        sides[i] as Side,
      );
      if (n > 0) found[i]?.push(slice);
    }
  }
  const [before = [], after = []] = found;
  const name = `${scenario.name}, ${connections} connections`;
  return [
    ratioOf(`${name}: processor`, "ms", before.map((s) => s.processorMs), after.map((s) => s.processorMs)),
    ratioOf(`${name}: rate`, "requests/s", before.map((s) => s.perSecond), after.map((s) => s.perSecond)),
  ];
}

async function measureSlice(order: LoadOrder, { pids }: Side): Promise<Slice> {
  const used = (): number => pids.reduce((sum, pid) => sum + (processorSecondsOf(pid) ?? 0), 0);
  const before = used();
  const { requests, requestsPerSecond } = await putLoad(order);
  return { processorMs: (used() - before) * 1000 / requests, perSecond: requestsPerSecond };
}

/** The median of the slices' ratios: what disturbs one slice disturbs the one beside it. */
function ratioOf(name: string, unit: "ms" | "requests/s", before: number[], after: number[]): Figure {
  const median = (values: readonly number[]): number => quantile(values.toSorted((a, b) => a - b), 0.5);
  const ratios = after.map((value, i) => value / (before[i] ?? NaN));
  const sides = [median(after), median(before)].map((value) => `${value.toPrecision(3)} ${unit}`);
  return { name, value: median(ratios), unit: "x", sides: [sides[0] ?? "", sides[1] ?? ""] };
}

async function textOf(response: Response): Promise<string> {
  const text = await response.text();
  if (!response.ok) throw new TaskError(`The service responded with ${response.status}: ${text}`);
  return text;
}

async function run(
  program: string,
  args: string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly stdout: string }> {
  const output = await new Deno.Command(program, { args, cwd, env, stdout: "piped", stderr: "piped" })
    .output();
  const [stdout, stderr] = [output.stdout, output.stderr].map((bytes) => new TextDecoder().decode(bytes));
  if (!output.success) throw new TaskError(`${program} ${args.join(" ")} failed:\n${stderr}`);
  return { stdout: stdout ?? "" };
}
