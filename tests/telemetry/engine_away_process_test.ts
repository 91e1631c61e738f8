import assert from "node:assert/strict";
import { bind } from "../../src/db/statement.ts";
import type { Database } from "../../src/db/database.ts";
import { type CreatedDevice, createDevice } from "../device/device_people.ts";
import { assertError, logInFully, queryNumber } from "../helpers/http.ts";
import { hasInfluxd, startInfluxd } from "../helpers/influxd.ts";
import { UNAVAILABLE } from "../every_operation/random_faults.ts";
import { Person } from "../helpers/person.ts";
import { productionEnv, startService } from "../helpers/service_process.ts";
import { freePort } from "../helpers/sqld.ts";
import {
  COLLECT,
  minute,
  powerOf,
  type QueryResult,
  telemetryRequests,
  valuesOf,
  WRITE,
} from "../every_operation/telemetry_requests.ts";
import { runScript, type ScriptOutcome } from "../scripts/run_script.ts";
import { type DatabaseKind, forEachKind, openTestDatabase } from "../helpers/databases.ts";
import { defineStatement } from "../helpers/text_statement.ts";

/** The service in a process of its own, while the engine that keeps its points is unreachable. */

const EMAIL = "root@b.example";
const PASSWORD = "a sentence of my own";
const NODE_ID_TAKEN = "The nodeId belongs to another device";
/** The engine has ten seconds for a call. A request that takes longer than this fails its test. */
const LIMIT_MS = 15_000;
/** Far longer than the service waits before it deletes the points of a deleted device. */
const LONG_MS = 600_000;

const MAKE_OLDER = defineStatement("UPDATE gone_device SET purge_at = purge_at - :ms");
const COUNT_GONE = "SELECT count(*) FROM gone_device";

/** A service with an engine, and its first user, a member of its root role. */
interface Grid extends AsyncDisposable {
  readonly database: Database;
  readonly rootId: number;
  readonly request: (path: string, init?: RequestInit) => Promise<Response>;
  readonly admin: Person;
  purge(): Promise<ScriptOutcome>;
}

async function openGrid(kind: DatabaseKind, engine: string): Promise<Grid> {
  const opened = await openTestDatabase(kind);
  const env = { ...await productionEnv(opened.url), TELEMETRY_URL: `influxdb://${engine}/grid` };
  const args = ["--email", EMAIL, "--role", "Root"];
  assert.equal((await runScript("bootstrap.ts", { env, args, input: `${PASSWORD}\n` })).code, 0);
  const service = await startService(env);
  const request = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(service.url + path, { ...init, signal: AbortSignal.timeout(LIMIT_MS) });
  const { accessToken } = await logInFully({ request }, EMAIL, PASSWORD);
  return {
    database: opened.database,
    rootId: await queryNumber(opened, "SELECT id FROM role"),
    request,
    admin: new Person({ request }, accessToken),
    purge: () => runScript("purge.ts", { env }),
    async [Symbol.asyncDispose](): Promise<void> {
      service.signal("SIGTERM");
      assert.equal((await service.ended()).code, 0);
      await service[Symbol.asyncDispose]();
      await opened[Symbol.asyncDispose]();
    },
  };
}

function addDevice({ admin, rootId }: Grid, nodeId: string): Promise<CreatedDevice> {
  return createDevice(admin, rootId, nodeId);
}

/** Writes a value for the device's power at the first minute of 2026. */
async function writePower(grid: Grid, nodeId: string, power: number): Promise<void> {
  const point = { measurement: "energy", time: minute(0), tags: { nodeId }, fields: { power } };
  const answer = await grid.admin.ask("POST", WRITE, [point]);
  assert.equal(answer.status, 204, answer.text);
}

function collectPower({ admin }: Grid, nodeId: string): Promise<QueryResult> {
  return admin.post(COLLECT, powerOf(nodeId));
}

async function assertTelemetryState({ request }: Grid, telemetry: string): Promise<void> {
  const ready = await request("/readyz");
  const parts = { database: "ok", schema: "ok", telemetry };
  assert.deepEqual([ready.status, await ready.json()], [200, { ready: true, parts }]);
}

/**
 * Checks that roles, sign-ins and devices work, that requests for points get a 503, and that `/readyz` gives the
 * reason.
 */
async function assertOnlyPointsAreAway(grid: Grid): Promise<void> {
  const { request, admin, rootId } = grid;
  await assertTelemetryState(grid, "unavailable");
  await logInFully({ request }, EMAIL, PASSWORD);
  await admin.create(rootId, "Plant");
  assert.equal((await admin.roleIds()).length, 2);

  const { device: { id } } = await addDevice(grid, "meter");
  await admin.put(`/v1/device/${id}`, { properties: { name: "Meter" } });
  const body = { filter: { nodeId: ["meter"] } };
  const found = await admin.post<{ device: unknown[] }>("/v1/device/query", body);
  assert.equal(found.device.length, 1);

  const requests = telemetryRequests("meter").map(({ path, body }) => ({ path, body }));
  const many = Array.from({ length: 1000 }, () => powerOf("meter"));
  for (const { path, body } of [...requests, { path: COLLECT, body: many }]) {
    assertError(await grid.admin.ask("POST", path, body), 503, UNAVAILABLE, path);
  }
  // The engine is not involved, since the caller may not read the device.
  assert.deepEqual(await collectPower(grid, "unknown"), { statement_id: 0, error: "Unauthorized" });
}

forEachKind("without an engine, only requests for points get a 503", async (kind) => {
  await using grid = await openGrid(kind, `127.0.0.1:${freePort()}`);
  await assertOnlyPointsAreAway(grid);
});

forEachKind(
  "while an engine is stopped only points are unavailable, and all works again after its restart",
  async (kind) => {
    const engine = await startInfluxd();
    try {
      await using grid = await openGrid(kind, engine.host);
      await addDevice(grid, "staying");
      await writePower(grid, "staying", 1);
      await assertTelemetryState(grid, "ok");
      await engine.stop();
      await assertOnlyPointsAreAway(grid);
      await engine.start();
      assert.deepEqual(valuesOf(await collectPower(grid, "staying")), [["2026-01-01T00:00:00Z", 1]]);
      await writePower(grid, "meter", 2);
      assert.deepEqual(valuesOf(await collectPower(grid, "meter")), [["2026-01-01T00:00:00Z", 2]]);
      await assertTelemetryState(grid, "ok");
    } finally {
      await engine.remove();
    }
  },
  { ignore: !hasInfluxd() },
);

forEachKind(
  "a device deleted while the engine is away keeps its nodeId until the engine has forgotten its points",
  async (kind) => {
    const engine = await startInfluxd();
    try {
      await using grid = await openGrid(kind, engine.host);
      const { admin, rootId, database } = grid;
      const { monitors } = await addDevice(grid, "leaving");
      await addDevice(grid, "staying");
      for (const nodeId of ["leaving", "staying"]) await writePower(grid, nodeId, 1);
      await engine.stop();
      await admin.delete(`/v1/role/${rootId}/monitors/${monitors.id}?permanent=true`);
      assert.deepEqual(await collectPower(grid, "leaving"), { statement_id: 0, error: "Unauthorized" });
      await database.write([bind(MAKE_OLDER, { ms: LONG_MS })]);
      assert.equal((await grid.purge()).code, 1);

      const path = `/v1/device?roleId=${rootId}`;
      const again = { properties: { nodeId: "leaving" } };
      assertError(await grid.admin.ask("POST", path, again), 409, NODE_ID_TAKEN);
      await engine.start();
      assertError(await grid.admin.ask("POST", path, again), 409, NODE_ID_TAKEN);
      const { code, stderr } = await grid.purge();
      assert.deepEqual([code, stderr], [0, ""]);
      assert.equal(await queryNumber({ database }, COUNT_GONE), 0);
      await addDevice(grid, "leaving");
      assert.deepEqual(await collectPower(grid, "leaving"), { statement_id: 0 });
      assert.equal(valuesOf(await collectPower(grid, "staying")).length, 1);
    } finally {
      await engine.remove();
    }
  },
  { ignore: !hasInfluxd() },
);
