/** While the engine that keeps its points is away, a service works except for points. */
import assert from "node:assert/strict";
import { bind } from "../../src/db/statement.ts";
import { assertError, logInFully, queryNumber } from "../helpers/http.ts";
import { hasInfluxd, type InfluxServer, startInfluxd } from "../helpers/influxd.ts";
import { UNAVAILABLE } from "../every_operation/random_faults.ts";
import { freePort } from "../helpers/sqld.ts";
import { COLLECT, powerOf, telemetryRequests, valuesOf } from "../every_operation/telemetry_requests.ts";
import { forEachKind } from "../helpers/databases.ts";
import {
  addDevice,
  assertTelemetryState,
  collectPower,
  COUNT_GONE,
  EMAIL,
  type Grid,
  MAKE_OLDER,
  openGrid,
  PASSWORD,
  writePower,
} from "./grid.ts";

const NODE_ID_TAKEN = "The nodeId belongs to another device";

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
  await using grid = await openGrid(kind, `influxdb://127.0.0.1:${freePort()}/grid`);
  await assertOnlyPointsAreAway(grid);
});

/** Registers a test with an engine of its own, and a service that keeps its points there. */
function testWithEngine(name: string, body: (grid: Grid, engine: InfluxServer) => Promise<void>): void {
  forEachKind(name, async (kind) => {
    const engine = await startInfluxd();
    try {
      await using grid = await openGrid(kind, `influxdb://${engine.host}/grid`);
      await body(grid, engine);
    } finally {
      await engine.remove();
    }
  }, { ignore: !hasInfluxd() });
}

testWithEngine(
  "while an engine is stopped only points are away, and are back after it",
  async (grid, engine) => {
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
  },
);

testWithEngine(
  "a deleted device keeps its nodeId until the engine has forgotten it",
  async (grid, engine) => {
    const { admin, rootId, database } = grid;
    const { monitors } = await addDevice(grid, "leaving");
    await addDevice(grid, "staying");
    for (const nodeId of ["leaving", "staying"]) await writePower(grid, nodeId, 1);
    await engine.stop();
    await admin.delete(`/v1/role/${rootId}/monitors/${monitors.id}?permanent=true`);
    assert.deepEqual(await collectPower(grid, "leaving"), { statement_id: 0, error: "Unauthorized" });
    await database.write([bind(MAKE_OLDER, {})]);
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
  },
);
