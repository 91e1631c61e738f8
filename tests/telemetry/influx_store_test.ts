import assert from "node:assert/strict";
import fc from "fast-check";
import { createSqliteStore } from "../../src/telemetry/sqlite/sqlite_store.ts";
import type { SeriesWrite } from "../../src/telemetry/points/point.ts";
import { NEEDS_NUMBERS } from "../../src/telemetry/points/query.ts";
import { anyCharacter, found, INFLUX_AND_FILE, INFLUX_AND_SQLD } from "./influx_scene.ts";
import { everywhere, NAMESPACE, query, series, testScene, type Value } from "./telemetry_scene.ts";
import { testStore } from "./store_conformance.ts";
import { testPeriods } from "./telemetry_periods.ts";
import { SEQUENCES } from "../helpers/read_count.ts";

const SECOND = 1_000_000_000n;
const DAY = 86_400n * SECOND;

testStore(INFLUX_AND_FILE);
testStore(INFLUX_AND_SQLD);
testPeriods(INFLUX_AND_FILE);
testPeriods(INFLUX_AND_SQLD);

/** Texts that end, quote, escape or comment out something in InfluxQL or line protocol, and parts of them. */
const hostileText = fc.oneof(
  fc.constantFrom(
    "time",
    "TIME",
    "_name",
    "_field",
    "%",
    "%25",
    "\\",
    "a\\",
    "' OR 1=1 --",
    `"; DROP DATABASE "test"; --`,
    "x,nodeId=other f=1 1\n",
    "'; DROP SERIES FROM /.*/; --",
    "/.*/",
    "#",
    "*",
    "a b,c=d",
    "\u0000",
    "\ufeff",
    "\ufffd",
    "\u2028",
    "💡",
    "__proto__",
    "10",
    " ",
    "\r\n",
    "\t",
  ),
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 12 }),
  fc.string({ unit: fc.constantFrom(..."\"'\\%,= \n\t/;*:#()ab0"), minLength: 1, maxLength: 12 }),
);

const hostileWrite = fc.record({
  measurement: hostileText,
  field: hostileText,
  tags: fc.dictionary(hostileText, hostileText, { maxKeys: 3 }),
  value: fc.oneof(
    fc.oneof(hostileText, fc.constant("")),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
  ),
  database: hostileText,
  retentionPolicy: hostileText,
});

testScene(
  INFLUX_AND_FILE,
  "hostile names and values are read back as written and change no other device",
  async (scene) => {
    const neighbour = { nodeId: "neighbour", deviceId: await scene.addDevice("neighbour") };
    await scene.write([series(neighbour, new Map([[0n, 1]]))]);
    await fc.assert(
      fc.asyncProperty(hostileWrite, hostileText, async (written, suffix) => {
        // SQLite's strings end at the first NUL, so no device has it in its name.
        const nodeId = `${suffix.replaceAll("\0", "")} ${crypto.randomUUID()}`;
        const deviceId = await scene.addDevice(nodeId);
        const { measurement, field, value, database, retentionPolicy } = written;
        const tags: Record<string, string> = { ...written.tags, nodeId };
        const namespace = { database, retentionPolicy };
        const write = series({ ...written, tags, nodeId }, new Map([[1n, value as Value]]));
        await scene.store.write(scene.owner, namespace, [write]);
        const asked = { ...namespace, nodeId, deviceId, measurement, tags };
        const [plain, counted, others] = await scene.store.read([
          query({ ...asked, select: [field] }),
          query({ ...asked, select: [`count(${field})`] }),
          query(neighbour),
        ]);
        const row = `["1970-01-01T00:00:00.000000001Z",${JSON.stringify(value)}]`;
        assert.deepEqual(plain, found(tags, row));
        assert.deepEqual(counted, found(tags, `["1970-01-01T00:00:00Z",1]`));
        assert.deepEqual(others, found({ nodeId: "neighbour" }, `["1970-01-01T00:00:00Z",1]`));
      }),
      { numRuns: SEQUENCES },
    );
  },
);

testScene(
  INFLUX_AND_FILE,
  "devices may use different kinds for the same measurement and field",
  async (scene) => {
    const values: Record<string, Value> = { number: 1.5, text: "on", flag: true };
    for (const [nodeId, value] of Object.entries(values)) {
      const deviceId = await scene.addDevice(nodeId);
      await scene.write([series({ nodeId }, new Map([[0n, value]]))]);
      const [result] = await scene.store.read([query({ nodeId, deviceId })]);
      assert.deepEqual(result, found({ nodeId }, `["1970-01-01T00:00:00Z",${JSON.stringify(value)}]`));
    }
  },
);

testScene(
  INFLUX_AND_FILE,
  "a refusal of the engine is passed on without its internal names of devices",
  async (scene) => {
    const deviceId = await scene.addDevice("meter");
    await scene.write([series({ nodeId: "meter" }, new Map([[0n, 1]]))]);
    // Its tags make it another series, but in InfluxDB a field has one kind per measurement.
    const writing = scene.write([
      series({ nodeId: "meter", tags: { room: "1" } }, new Map([[SECOND, "on"]])),
    ]);
    await assert.rejects(writing, (error: Error & { code: string }) => {
      assert.equal(error.code, "TELEMETRY_REFUSED");
      assert.match(error.message, /^The telemetry engine refused points: .*type conflict.*"watts".*"power"/);
      assert.ok(!error.message.includes(String(deviceId)) && !error.message.includes(NAMESPACE.database));
      return true;
    });
  },
);

testScene(
  INFLUX_AND_FILE,
  "the limit counts rows, even if functions have their values at different times",
  async (scene) => {
    const deviceId = await scene.addDevice("meter");
    await scene.write([
      series({ nodeId: "meter" }, new Map([[0n, 1], [SECOND, 2]])),
      series({ nodeId: "meter", field: "state" }, new Map([[0n, "on"]])),
    ]);
    const asked = query({ nodeId: "meter", deviceId, select: ["sum(watts)", "last(state)"], window: SECOND });
    const last = { ...asked, descending: true, limit: 1 };
    const results = await scene.store.read([last, { ...asked, limit: 1 }]);
    assert.deepEqual(results, [
      found({ nodeId: "meter" }, `["1970-01-01T00:00:01Z",2,null]`),
      found({ nodeId: "meter" }, `["1970-01-01T00:00:00Z",1,"on"]`),
    ]);
  },
);

testScene(
  INFLUX_AND_FILE,
  "a numeric function over texts is told that it needs numbers",
  async (scene) => {
    const deviceId = await scene.addDevice("meter");
    await scene.write([series({ nodeId: "meter" }, new Map([[0n, "on"]]))]);
    const asked = query({ nodeId: "meter", deviceId, select: ["mean(watts)"] });
    assert.deepEqual(await scene.store.read([asked]), [{ invalid: NEEDS_NUMBERS }]);
  },
);

testScene(
  INFLUX_AND_FILE,
  "statements beyond the size of one request are sent in further requests",
  async (scene) => {
    const deviceId = await scene.addDevice("meter");
    const field = "f".repeat(3000);
    await scene.write([series({ nodeId: "meter", field }, new Map([[0n, 1]]))]);
    const asked = (i: number) => query({ nodeId: "meter", deviceId, select: [field, `none${i}`] });
    const results = await scene.store.read(Array.from({ length: 1000 }, (_, i) => asked(i)));
    const row = found({ nodeId: "meter" }, `["1970-01-01T00:00:00Z",1,null]`);
    assert.deepEqual(results, Array.from({ length: 1000 }, () => row));
  },
);

testScene(
  INFLUX_AND_FILE,
  "forgetting a device keeps devices whose ids begin with the same digits",
  async (scene) => {
    const first = await scene.addDevice("first");
    const ids = new Map([["first", first]]);
    // Ids are sequential. The prefix of the eleventh device must not match that of the first.
    await scene.target.database.write([{
      sql: "INSERT INTO device (id, node_id, properties, updated_at) VALUES (:id, 'long', '{}', 0)",
      args: { id: BigInt(first) * 10n },
    }, {
      sql: `INSERT INTO monitors (id, role_id, device_id)
      SELECT :id, role_id, :id FROM monitors WHERE device_id = :first`,
      args: { id: BigInt(first) * 10n, first: BigInt(first) },
    }]);
    ids.set("long", first * 10);
    await scene.write(Array.from(ids.keys(), (nodeId) => series({ nodeId }, new Map([[0n, 1]]))));
    assert.equal(await scene.store.forget([first, 7]), true);
    const results = await scene.store.read(
      Array.from(ids, ([nodeId, deviceId]) => query({ nodeId, deviceId })),
    );
    assert.deepEqual(results, [
      { series: [] },
      found({ nodeId: "long" }, `["1970-01-01T00:00:00Z",1]`),
    ]);
  },
);

testScene(INFLUX_AND_FILE, "points before a time are deleted, on all devices", async (scene) => {
  const meter = { nodeId: "meter", deviceId: await scene.addDevice("meter") };
  const foreign = { nodeId: "foreign", deviceId: await scene.addDevice("foreign", scene.stranger) };
  const values = new Map([[-SECOND, 1], [0n, 2], [1n, 3]]);
  await scene.write([series(meter, values)]);
  await scene.store.write(scene.stranger, { ...NAMESPACE, database: "other" }, [series(foreign, values)]);
  await scene.store.deleteBefore(everywhere(1n));
  const row = `["1970-01-01T00:00:00.000000001Z",3]`;
  assert.deepEqual(await scene.store.read([query(meter), query({ ...foreign, database: "other" })]), [
    found({ nodeId: "meter" }, row),
    found({ nodeId: "foreign" }, row),
  ]);
});

testScene(
  INFLUX_AND_FILE,
  "a series is kept while the database has older points of it",
  async (scene) => {
    await scene.addDevice("meter");
    const { database, clock } = scene.target;
    const former = createSqliteStore({ database, clock: clock.now });
    const at = (time: bigint): SeriesWrite[] => [series({ nodeId: "meter" }, new Map([[time, 1]]))];
    const count = (table: string): Promise<unknown[]> =>
      database.read({ sql: `SELECT count(*) AS n FROM ${table}`, args: {} });
    await former.write(scene.owner, NAMESPACE, at(10n * DAY));
    await scene.write(at(DAY));
    await scene.store.deleteBefore(everywhere(5n * DAY));
    assert.deepEqual(await count("series"), [{ n: 1 }]);
    await former.deleteBefore(everywhere(11n * DAY));
    await scene.store.deleteBefore(everywhere(11n * DAY));
    assert.deepEqual([await count("series"), await count("tag_set")], [[{ n: 0 }], [{ n: 0 }]]);
  },
);

testScene(INFLUX_AND_FILE, "an ended session writes nothing", async (scene) => {
  const meter = { nodeId: "meter", deviceId: await scene.addDevice("meter") };
  const over = { ...scene.owner, sessionId: scene.stranger.sessionId };
  const writing = scene.store.write(over, NAMESPACE, [series(meter, new Map([[0n, 1]]))]);
  await assert.rejects(writing, { code: "TOKEN_INVALID" });
  assert.deepEqual(await scene.store.read([query(meter)]), [{ series: [] }]);
});

testScene(INFLUX_AND_FILE, "an aborted forgetting ends unfinished", async (scene) => {
  assert.equal(await scene.store.forget([1], AbortSignal.abort()), false);
});
