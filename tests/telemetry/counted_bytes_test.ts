/** `TELEMETRY_BYTES`: how many bytes the points of a root's devices take up, and may take up. */
import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import type { Database } from "../../src/db/database.ts";
import { readConfig } from "../../src/service/config.ts";
import { createSqliteStore } from "../../src/telemetry/sqlite/sqlite_store.ts";
import type { TelemetryStore } from "../../src/telemetry/store.ts";
import { addDevice, minute, writeLines } from "../every_operation/telemetry_requests.ts";
import { openTestPoints } from "../helpers/databases.ts";
import { forEachApp, queryNumber } from "../helpers/http.ts";
import { Person } from "../helpers/person.ts";
import { requestsTo, type TestApp } from "../helpers/test_app.ts";
import { bootstrapMeter } from "./telemetry_scene.ts";

const FULL = "The root role's points take up all of its space: only deleting gives room for others";
const MOST = 1000;
const HOUR_S = 3600;
/** A number in a row of its own, as `triggers/point.sql` counts it. */
const ROW = 30;

interface Usage {
  readonly telemetry?: { readonly used: number; readonly allowed?: number };
}

interface LimitedScene {
  readonly target: TestApp;
  readonly store: TelemetryStore;
  /** A member of a root with the device `meter`. */
  readonly admin: Person;
  readonly rootId: number;
  /** Another root, and its member. */
  readonly other: Person;
  readonly otherId: number;
  readonly points: Database;
}

/** Registers a test for points in the database and in a file of their own. */
function limited(name: string, body: (scene: LimitedScene) => Promise<void>): void {
  async function run(target: TestApp, points: Database): Promise<void> {
    const given = { ...target.deps, mostBytes: MOST };
    const isApart = points !== target.database;
    const store = isApart ? createSqliteStore({ ...given, points }) : createSqliteStore(given);
    const app = createApp({ ...target.deps, telemetryStore: store, telemetryBytes: MOST });
    const through = (token: string) => new Person({ request: requestsTo(app) }, token);
    const { admin, rootId } = await bootstrapMeter(target);
    const { roleId: otherId, userId } = await target.bootstrapRoot("other@example.com", "Other");
    const other = through(await target.accessToken(userId));
    await body({ target, store, admin: through(admin.accessToken), rootId, other, otherId, points });
  }
  forEachApp(`${name}, in the database`, (target) => run(target, target.database));
  forEachApp(`${name}, in a file for points`, async (target) => {
    await using file = await openTestPoints(target.database);
    await run(target, file.database);
  });
}

/** Writes a number, or a text, for each of some minutes. */
async function write(person: Person, nodeId: string, minutes: readonly number[], value = "1"): Promise<void> {
  const lines = minutes.map((i) => `energy,nodeId=${nodeId} power=${value} ${minute(i)}`);
  const answer = await writeLines(person, lines);
  assert.equal(answer.status, 204, answer.text);
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);
const usedBy = async (person: Person, rootId: number) =>
  (await person.get<Usage>(`/v1/role/${rootId}/usage`)).telemetry?.used;

limited("a root that is full takes no points, and others do", async ({ admin, rootId, other, otherId }) => {
  await addDevice(other, otherId, "elsewhere");
  await write(admin, "meter", upTo(33));
  assert.equal(await usedBy(admin, rootId), 33 * ROW);
  // Points in place of others take no more space.
  await write(admin, "meter", upTo(33), "2");
  assert.equal(await usedBy(admin, rootId), 33 * ROW);
  await write(admin, "meter", [33]);
  const refused = await writeLines(admin, `energy,nodeId=meter power=1 ${minute(34)}`);
  assert.deepEqual([refused.status, refused.body], [429, {
    statusCode: 429,
    error: "Too Many Requests",
    message: FULL,
  }]);
  assert.equal(refused.headers.get("Retry-After"), null, "time alone makes no room");
  await write(other, "elsewhere", [0]);
  assert.deepEqual(await admin.get<Usage>(`/v1/role/${rootId}/usage`).then(({ telemetry }) => telemetry), {
    used: 34 * ROW,
    allowed: MOST,
  });
  assert.equal(await usedBy(other, otherId), ROW);
});

limited("texts count by their length, also in place of shorter ones", async ({ admin, rootId }) => {
  await write(admin, "meter", [0], '"on"');
  assert.equal(await usedBy(admin, rootId), ROW + 2);
  await write(admin, "meter", [0], `"${"x".repeat(100)}"`);
  assert.equal(await usedBy(admin, rootId), ROW + 100);
});

limited("recent points count once they are in blocks, and deleting gives all back", async (scene) => {
  const { target: { clock }, store, admin, rootId, points } = scene;
  await store.carry?.();
  const now = Math.floor((clock.now() - minute(0)) / 60_000);
  // A process knows from its first write on which hours take recent points: that one is none.
  await write(admin, "meter", [now]);
  await write(admin, "meter", upTo(10).map((i) => now + i));
  assert.equal(await usedBy(admin, rootId), ROW);
  clock.advance(2 * HOUR_S);
  await store.carry?.();
  const bytes = await queryNumber({ database: points }, "SELECT sum(20 + octet_length(points)) FROM block");
  assert.ok(bytes > 0, "the points are in a block");
  assert.equal(await store.countedBytes?.(rootId), ROW + bytes);
  await store.deleteBefore({ others: { time: BigInt(clock.now()) * 1_000_000n }, named: [] });
  assert.equal(await store.countedBytes?.(rootId), 0);
});

limited("concurrent posts overfill a root by no more than those of one moment", async ({ admin, rootId }) => {
  const posts = upTo(20).map((i) =>
    writeLines(admin, upTo(10).map((j) => `energy,nodeId=meter power=1 ${minute(10 * i + j)}`))
  );
  const statuses = (await Promise.all(posts)).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 204).length, 4, statuses.join());
  assert.equal(await usedBy(admin, rootId), 40 * ROW);
});

limited("what a write is divided into is taken or refused as a whole", async (scene) => {
  const { target: { clock }, store, admin, rootId, points } = scene;
  await addDevice(admin, rootId, "old");
  await store.carry?.();
  // The beginning of the next slot of recent points.
  const now = Math.ceil(clock.now() / 120_000) * 120_000;
  const recent = (from: number, count: number) =>
    upTo(count).map((i) => `energy,nodeId=meter power=1 ${now + from + i}`);
  // A process knows from its first write on which hours take recent points.
  await write(admin, "old", upTo(25));
  assert.equal((await writeLines(admin, recent(0, 16))).status, 204);
  const recents = await queryNumber({ database: points }, "SELECT count(*) FROM recent_point");
  assert.equal(recents, 16, "the slot is full");
  assert.equal(await usedBy(admin, rootId), 25 * ROW);
  const old = (from: number) => upTo(20).map((i) => `energy,nodeId=old power=1 ${minute(from + i)}`);
  // The recent ones, which have no room in their slot, make the root full.
  const both = await writeLines(admin, [...recent(16, 10), ...old(25)]);
  assert.equal(both.status, 204, both.text);
  assert.equal(await usedBy(admin, rootId), (25 + 10 + 20) * ROW);
  const refused = await writeLines(admin, [...recent(26, 10), ...old(45)]);
  assert.equal(refused.status, 429);
  assert.equal(await usedBy(admin, rootId), (25 + 10 + 20) * ROW);
});

/** A root with a device, and a file for points whose writes fail on demand. */
interface FileScene extends AsyncDisposable {
  readonly admin: Person;
  readonly rootId: number;
  readonly points: Database;
  /** The number of further writes of points that fail. */
  failures: number;
  /** Returns the administrator of an app that remembers nothing yet. */
  readonly restart: () => Person;
}

async function openFileScene(target: TestApp): Promise<FileScene> {
  const file = await openTestPoints(target.database);
  const { admin, rootId } = await bootstrapMeter(target);
  const points: Database = {
    ...file.database,
    async write(statements) {
      if (scene.failures-- > 0) throw new Error("The file is busy");
      return await file.database.write(statements);
    },
  };
  function restart(): Person {
    const store = createSqliteStore({ ...target.deps, points, mostBytes: MOST });
    const app = createApp({ ...target.deps, telemetryStore: store, telemetryBytes: MOST });
    return new Person({ request: requestsTo(app) }, admin.accessToken);
  }
  const scene: FileScene = {
    admin: restart(),
    rootId,
    points,
    failures: 0,
    restart,
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
  return scene;
}

forEachApp("a series counts also if its first points could not be stored", async (target) => {
  await using scene = await openFileScene(target);
  const { admin, rootId } = scene;
  // The second write knows the series from the first one.
  scene.failures = 2;
  for (let i = 0; i < 2; i++) {
    assert.equal((await writeLines(admin, `energy,nodeId=meter power=1 ${minute(99)}`)).status, 500);
  }
  await write(admin, "meter", upTo(34));
  assert.equal(await usedBy(admin, rootId), 34 * ROW);
  assert.equal((await writeLines(admin, `energy,nodeId=meter power=1 ${minute(34)}`)).status, 429);
});

forEachApp("a series that was not counted counts later with all of its points", async (target) => {
  await using scene = await openFileScene(target);
  const { admin, rootId, points } = scene;
  await write(admin, "meter", upTo(10));
  const block = "x".repeat(50);
  await points.write([
    "DELETE FROM counted_series",
    "DELETE FROM root_points",
    "INSERT INTO block_range SELECT DISTINCT series_id, 5, 8 FROM point",
    `INSERT INTO block SELECT 8 * 68719476736 + series_id, '${block}' FROM block_range`,
  ].map((sql) => ({ sql, args: {} })));
  await write(scene.restart(), "meter", [20]);
  assert.equal(await usedBy(admin, rootId), 11 * ROW + 20 + block.length);
  // Once.
  await write(scene.restart(), "meter", [21]);
  assert.equal(await usedBy(admin, rootId), 12 * ROW + 20 + block.length);
});

forEachApp("without a limit, usage shows the bytes alone", async (target) => {
  const { admin, rootId } = await bootstrapMeter(target);
  await write(admin, "meter", upTo(3));
  assert.deepEqual((await admin.get<Usage>(`/v1/role/${rootId}/usage`)).telemetry, { used: 3 * ROW });
});

Deno.test("TELEMETRY_BYTES is off by default, and refused with InfluxDB", () => {
  assert.equal(readConfig({}, "development").telemetryBytes, undefined);
  assert.equal(readConfig({ TELEMETRY_BYTES: "5000000" }, "development").telemetryBytes, 5_000_000);
  const withEngine = { TELEMETRY_BYTES: "5000000", TELEMETRY_URL: "influxdb://localhost:8086/plant" };
  assert.throws(() => readConfig(withEngine, "development"), /TELEMETRY_BYTES has no effect with InfluxDB/);
});
