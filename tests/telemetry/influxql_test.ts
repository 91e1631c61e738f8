/** Statements, lines and URLs for InfluxDB are written so that no input can end a quoted text. */
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  createDatabaseStatement,
  decodeText,
  deleteBeforeStatements,
  encodeName,
  encodeTagValue,
  forgetStatement,
  formatLines,
  rowsStatements,
  textsStatements,
} from "../../src/telemetry/influx/influxql.ts";
import { parseInfluxUrl } from "../../src/telemetry/influx/influx_url.ts";
import { parseTelemetryUrl } from "../../src/telemetry/telemetry_url.ts";
import { anyCharacter } from "./influx_scene.ts";
import { KEEP_ALL } from "../../src/telemetry/retention.ts";
import type { StoreQuery } from "../../src/telemetry/store.ts";
import { everywhere, query, series } from "./telemetry_scene.ts";

const METER = { nodeId: "meter", deviceId: 7 };
const ALL_TIME = "time >= -9223372036854775806 AND time <= 9223372036854775806";

const rowsOf = (asked: StoreQuery): string => [...rowsStatements(asked)].join(";");
const textsOf = (asked: StoreQuery): string => [...textsStatements(asked)].join(";");

/** Quoted texts in a statement. They must contain no quote, backslash or line break. */
const QUOTED = /"[^"\\\n]*"|'[^'\\\n]*'/g;

Deno.test("any text is encoded without quotes, backslashes and control characters, and decoded again", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 20 }), (text) => {
      for (const encoded of [encodeName(text), encodeTagValue(text)]) {
        assert.doesNotMatch(encoded, /[\p{Cc}"'\\]/u);
        assert.equal(decodeText(encoded), text);
      }
    }),
    { examples: [[""], ["%"], ["%41"], ["time"], ["_x"], ["\u0000\u009f"], ["é💡"]] },
  );
});

Deno.test("names with a special meaning in InfluxDB are encoded", () => {
  assert.deepEqual(["time", "Time", "_name", "timer", "a_b"].map(encodeName), [
    "%74ime",
    "%54ime",
    "%5Fname",
    "timer",
    "a_b",
  ]);
});

Deno.test("half a surrogate pair becomes the replacement character", () => {
  assert.equal(encodeTagValue("a\ud800"), "a\ufffd");
});

Deno.test("a query of plain fields becomes a statement with time bounds and a limit", () => {
  assert.equal(
    rowsOf(query({ ...METER, tags: { room: "a b" } })),
    `SELECT "watts"::field FROM "7/plant/autogen/power" WHERE ${ALL_TIME} AND "room"::tag = 'a b'` +
      ` AND "nodeId"::tag = 'meter' GROUP BY * LIMIT 100001`,
  );
});

Deno.test("a query of functions becomes a statement with windows, an order and its own lower limit", () => {
  const asked = query({
    ...METER,
    select: ["mean(watts)", "last(state)"],
    from: 5n,
    to: -6n,
    window: 900_000_000_000n,
    descending: true,
    limit: 3,
  });
  assert.equal(
    rowsOf(asked),
    'SELECT mean("watts"::float),last("state"::field) FROM "7/plant/autogen/power"' +
      ` WHERE time >= 5 AND time <= -6 AND "nodeId"::tag = 'meter'` +
      " GROUP BY time(900000000000ns),* fill(none) ORDER BY time DESC LIMIT 3",
  );
  const withoutLimit = rowsOf({ ...asked, limit: undefined });
  assert.ok(withoutLimit.endsWith(" LIMIT 50001"), "one row more than a call may return");
  assert.equal(
    textsOf(asked),
    'SELECT "watts"::string,"watts"::boolean FROM "7/plant/autogen/power"' +
      ` WHERE time >= 5 AND time <= -6 AND "nodeId"::tag = 'meter' LIMIT 1`,
  );
  const unbounded = textsOf({ ...asked, from: undefined, to: undefined });
  assert.ok(unbounded?.includes(` WHERE ${ALL_TIME} AND `));
});

Deno.test("functions of several parts of a range read subqueries, and plain fields have a statement for each", () => {
  const parts = [{ from: 1n, to: 4n }, { from: 6n, to: 9n }];
  const one = query({ ...METER, parts, descending: true });
  const [first, last] = [4, 9].map((to) => `time >= ${to - 3} AND time <= ${to} AND "nodeId"::tag = 'meter'`);
  assert.deepEqual(
    [...rowsStatements(one)],
    [last, first].map((where) =>
      `SELECT "watts"::field FROM "7/plant/autogen/power" WHERE ${where} GROUP BY * ORDER BY time DESC LIMIT 100001`
    ),
  );
  const inner = [first, last].map((where) =>
    `(SELECT *::field FROM "7/plant/autogen/power" WHERE ${where} GROUP BY *)`
  );
  const mean = query({ ...METER, parts, select: ["mean(watts)"] });
  assert.equal(
    rowsOf(mean),
    `SELECT mean("watts"::float) FROM ${inner} WHERE time >= 1 AND time <= 9 GROUP BY * LIMIT 100001`,
  );
  assert.equal([...textsStatements(mean)].length, 2);
});

Deno.test("only numeric functions look for texts", () => {
  assert.equal(textsOf(query({ ...METER, select: ["count(a)", "first(a)", "last(a)"] })), "");
  assert.equal(textsOf(query(METER)), "");
});

Deno.test("no input can end a quoted text in a statement", () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 12 });
  fc.assert(
    fc.property(text, text, text, text, (field, measurement, tag, value) => {
      const asked = query({
        ...METER,
        select: ["a"],
        measurement,
        database: value,
        retentionPolicy: tag,
        tags: { [tag]: value, [value]: tag },
      });
      const [first] = asked.columns;
      const statement = rowsOf({ ...asked, columns: [{ ...first, field }] });
      assert.match(
        statement.replace(QUOTED, "Q"),
        /^SELECT Q::field FROM Q WHERE time >= \S+ AND time <= \S+( AND Q::tag = Q){1,3} GROUP BY \* LIMIT \d+$/,
      );
    }),
    { examples: [[`"`, `'`, `\\`, "\n"], ["'; DROP", `"; DROP`, "a\\", "/.*/"]] },
  );
});

Deno.test("statements that delete name devices by number and times in nanoseconds", () => {
  assert.equal(forgetStatement([1, 22]), "DROP SERIES FROM /^(1|22)\\//");
  assert.deepEqual(deleteBeforeStatements(everywhere(-5n)), ["DELETE WHERE time < -5"]);
  const named = [
    { database: "a.b/c", retentionPolicy: undefined, time: 2n },
    { database: "a.b/c", retentionPolicy: "r(p)", time: 3n },
    { database: "kept", retentionPolicy: undefined, time: KEEP_ALL },
  ];
  const own = String.raw`/^[0-9]+\/(a\.b%2Fc\/r\(p\)\/)/`;
  assert.deepEqual(deleteBeforeStatements({ others: { time: 1n }, named }), [
    String.raw`DELETE WHERE "_name" !~ /^[0-9]+\/(a\.b%2Fc\/|a\.b%2Fc\/r\(p\)\/|kept\/)/ AND time < 1`,
    String.raw`DELETE FROM /^[0-9]+\/(a\.b%2Fc\/)/ WHERE "_name" !~ ${own} AND time < 2`,
    `DELETE FROM ${own} WHERE time < 3`,
  ]);
  assert.deepEqual(deleteBeforeStatements({ others: { time: KEEP_ALL }, named: [] }), []);
  assert.equal(createDatabaseStatement("points"), 'CREATE DATABASE "points"');
});

Deno.test("fields of one tag set and time share a line", async () => {
  const tags = { room: "a, b=c" };
  const written = [
    series({ nodeId: "meter", tags }, new Map([[1n, 1], [2n, 2.5]])),
    series({ nodeId: "meter", tags, field: "on off" }, new Map([[1n, true]])),
    series({ nodeId: "meter", tags, field: "text" }, new Map([[2n, 'say "\\"\n']])),
    series({ nodeId: "other", measurement: "a/b" }, new Map([[-3n, 1e21]])),
  ];
  const lines = await formatLines(
    written,
    { database: "d b", retentionPolicy: "r'p" },
    new Map([["meter", 7], ["other", 8]]),
  );
  assert.equal(
    lines,
    "7/d%20b/r%27p/power,nodeId=meter,room=a\\,\\ b\\=c watts=1,on\\ off=true 1\n" +
      '7/d%20b/r%27p/power,nodeId=meter,room=a\\,\\ b\\=c watts=2.5,text="say \\"\\\\\\"\n" 2\n' +
      "8/d%20b/r%27p/a%2Fb,nodeId=other watts=1e+21 -3\n",
  );
});

Deno.test("lines too long for one request are refused before they fill the memory", async () => {
  const values = new Map(Array.from({ length: 100_000 }, (_, i) => [BigInt(i), i]));
  const namespace = { database: "\u{1f4a1}".repeat(128), retentionPolicy: "r" };
  await assert.rejects(
    () => formatLines([series({ nodeId: "meter" }, values)], namespace, new Map([["meter", 7]])),
    { code: "TELEMETRY_REFUSED" },
  );
});

Deno.test("a point of an unknown device is not written", async () => {
  const written = [series({ nodeId: "meter" }, new Map([[1n, 1]]))];
  await assert.rejects(
    () => formatLines(written, { database: "d", retentionPolicy: "r" }, new Map()),
    TypeError,
  );
});

Deno.test("an engine's URL gives scheme, host, port (8086 by default), database and credentials", () => {
  assert.deepEqual(parseInfluxUrl("influxdb://influx.example/points"), {
    origin: "http://influx.example:8086",
    database: "points",
    authorization: undefined,
  });
  assert.deepEqual(parseInfluxUrl("influxdb+https://me:p%40ss%C3%A9@[::1]:443/a.b-c_1"), {
    origin: "https://[::1]:443",
    database: "a.b-c_1",
    authorization: "Basic bWU6cEBzc8Op",
  });
  assert.equal(parseInfluxUrl("influxdb://h:80/d").origin, "http://h:80");
  assert.equal(parseTelemetryUrl("influxdb://h/d"), "influxdb://h/d");
});

Deno.test("a malformed engine URL is refused without being repeated", () => {
  const hosts = [
    "",
    "http://secret/d",
    "influxdb://secret",
    "influxdb:///secret",
    "influxdb://secret host/d",
  ];
  const rest = ["/", ":port/d", ":99999/d", "/d/e", "/d?q=1", "/d#f", "/d%22", "%zz:p@host/d", "@/d"];
  const databases = [".secret", "secret".repeat(20)].map((name) => `influxdb://host/${name}`);
  const addresses = [...hosts, ...rest.map((end) => `influxdb://secret${end}`), ...databases];
  for (const address of addresses) {
    assert.throws(() => parseTelemetryUrl(address), (error: Error) => {
      assert.ok(error instanceof RangeError, address);
      assert.match(error.message, /^must /);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    }, address);
  }
});
