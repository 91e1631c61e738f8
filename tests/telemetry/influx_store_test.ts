/** The store in InfluxDB: as every store, and what is particular to the engine. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { createSqliteStore } from "../../src/telemetry/sqlite/sqlite_store.ts";
import type { SeriesWrite } from "../../src/telemetry/points/point.ts";
import { NEEDS_NUMBERS } from "../../src/telemetry/points/query.ts";
import { anyCharacter, found, INFLUX_AND_FILE, INFLUX_AND_SQLD } from "./influx_scene.ts";
import { countRows, everywhere, NAMESPACE, query, series, testScene, type Value } from "./telemetry_scene.ts";
import { testStore } from "./store_conformance.ts";
import { testPeriods } from "./telemetry_periods.ts";
import { execute } from "../helpers/http.ts";
import { SEQUENCES } from "../helpers/read_count.ts";

const SECOND = 1_000_000_000n;
const DAY = 86_400n * SECOND;

testStore(INFLUX_AND_FILE);
testStore(INFLUX_AND_SQLD);
testPeriods(INFLUX_AND_FILE);
testPeriods(INFLUX_AND_SQLD);

const WORDS = ["time", "TIME", "_name", "_field", "__proto__", "10", "a b,c=d", "x,nodeId=other f=1 1\n"];
const SIGNS = ["%", "%25", "\\", "a\\", "/.*/", "#", "*", " ", "\r\n", "\t"];
const STATEMENTS = ["' OR 1=1 --", `"; DROP DATABASE "test"; --`, "'; DROP SERIES FROM /.*/; --"];
const CHARACTERS = ["\u0000", "\ufeff", "\ufffd", "\u2028", "💡"];
/** Texts that end, quote, escape or comment out something in InfluxQL or line protocol, and parts of them. */
const hostileText = fc.oneof(
  fc.constantFrom(...WORDS, ...SIGNS, ...STATEMENTS, ...CHARACTERS),
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

testScene(INFLUX_AND_FILE, "hostile names and values are read back and change no other", async (scene) => {
  const neighbour = await scene.addMeter("neighbour");
  await scene.write([series(neighbour, new Map([[0n, 1]]))]);
  await fc.assert(
    fc.asyncProperty(hostileWrite, hostileText, async (written, suffix) => {
      // SQLite's strings end at the first NUL, so no device has it in its name.
      const meter = await scene.addMeter(`${suffix.replaceAll("\0", "")} ${crypto.randomUUID()}`);
      const { measurement, field, value, database, retentionPolicy } = written;
      const tags: Record<string, string> = { ...written.tags, nodeId: meter.nodeId };
      const namespace = { database, retentionPolicy };
      await scene.write([series({ ...written, tags, ...meter }, new Map([[1n, value as Value]]))], namespace);
      const asked = { ...namespace, ...meter, measurement, tags };
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
});

testScene(INFLUX_AND_FILE, "devices may use different kinds for one measurement and field", async (scene) => {
  for (const value of [1.5, "on", true]) {
    const meter = await scene.addMeter(`of ${typeof value}`);
    await scene.write([series(meter, new Map([[0n, value]]))]);
    const expected = found({ nodeId: meter.nodeId }, `["1970-01-01T00:00:00Z",${JSON.stringify(value)}]`);
    assert.deepEqual(await scene.store.read([query(meter)]), [expected]);
  }
});

testScene(INFLUX_AND_FILE, "a refusal of the engine is passed on without internal names", async (scene) => {
  const meter = await scene.addMeter();
  await scene.write([series(meter, new Map([[0n, 1]]))]);
  // Its tags make it another series, but in InfluxDB a field has one kind per measurement.
  const writing = scene.write([series({ ...meter, tags: { room: "1" } }, new Map([[SECOND, "on"]]))]);
  await assert.rejects(writing, (error: Error & { code: string }) => {
    assert.equal(error.code, "TELEMETRY_REFUSED");
    assert.match(error.message, /^The telemetry engine refused points: .*type conflict.*"watts".*"power"/);
    assert.ok(!error.message.includes(String(meter.deviceId)) && !error.message.includes(NAMESPACE.database));
    return true;
  });
});

testScene(INFLUX_AND_FILE, "the limit counts rows, even if values have different times", async (scene) => {
  const meter = await scene.addMeter();
  await scene.write([
    series(meter, new Map([[0n, 1], [SECOND, 2]])),
    series({ ...meter, field: "state" }, new Map([[0n, "on"]])),
  ]);
  const asked = query({ ...meter, select: ["sum(watts)", "last(state)"], window: SECOND });
  const last = { ...asked, descending: true, limit: 1 };
  const results = await scene.store.read([last, { ...asked, limit: 1 }]);
  assert.deepEqual(results, [
    found({ nodeId: "meter" }, `["1970-01-01T00:00:01Z",2,null]`),
    found({ nodeId: "meter" }, `["1970-01-01T00:00:00Z",1,"on"]`),
  ]);
});

testScene(INFLUX_AND_FILE, "a numeric function over texts is told that it needs numbers", async (scene) => {
  const meter = await scene.addMeter();
  await scene.write([series(meter, new Map([[0n, "on"]]))]);
  const asked = query({ ...meter, select: ["mean(watts)"] });
  assert.deepEqual(await scene.store.read([asked]), [{ invalid: NEEDS_NUMBERS }]);
});

testScene(INFLUX_AND_FILE, "statements beyond one request are sent in further requests", async (scene) => {
  const meter = await scene.addMeter();
  const field = "f".repeat(3000);
  await scene.write([series({ ...meter, field }, new Map([[0n, 1]]))]);
  const asked = (i: number) => query({ ...meter, select: [field, `none${i}`] });
  const results = await scene.store.read(Array.from({ length: 1000 }, (_, i) => asked(i)));
  const row = found({ nodeId: "meter" }, `["1970-01-01T00:00:00Z",1,null]`);
  assert.deepEqual(results, Array.from({ length: 1000 }, () => row));
});

testScene(INFLUX_AND_FILE, "forgetting keeps devices whose ids begin with the same digits", async (scene) => {
  const first = await scene.addMeter("first");
  // Ids are sequential. The prefix of the eleventh device must not match that of the first.
  const long = { nodeId: "long", deviceId: first.deviceId * 10 };
  const ids = { id: long.deviceId, first: first.deviceId };
  await execute(scene.target, [
    "INSERT INTO device (id, node_id, properties, updated_at) VALUES (:id, 'long', '{}', 0)",
    "INSERT INTO monitors (id, role_id, device_id) SELECT :id, role_id, :id FROM monitors WHERE device_id = :first",
  ], ids);
  await scene.write([first, long].map((meter) => series(meter, new Map([[0n, 1]]))));
  assert.equal(await scene.store.forget([first.deviceId, 7]), true);
  assert.deepEqual(await scene.store.read([query(first), query(long)]), [
    { series: [] },
    found({ nodeId: "long" }, `["1970-01-01T00:00:00Z",1]`),
  ]);
});

testScene(INFLUX_AND_FILE, "a series is kept while the database has older points of it", async (scene) => {
  await scene.addDevice("meter");
  const former = createSqliteStore(scene.target.deps);
  const at = (time: bigint): SeriesWrite[] => [series({ nodeId: "meter" }, new Map([[time, 1]]))];
  await former.write(scene.owner, NAMESPACE, at(10n * DAY));
  await scene.write(at(DAY));
  await scene.store.deleteBefore(everywhere(5n * DAY));
  assert.equal(await countRows(scene.target, "series"), 1);
  await former.deleteBefore(everywhere(11n * DAY));
  await scene.store.deleteBefore(everywhere(11n * DAY));
  for (const table of ["series", "tag_set"]) assert.equal(await countRows(scene.target, table), 0);
});
