/** Queries are read into their parts, any JSON is read or refused, and OpenAPI describes the same grammar. */
import assert from "node:assert/strict";
import { toJsonSchema } from "@valibot/to-json-schema";
import { makePortable } from "../../src/http/openapi/portable_schemas.ts";
import fc from "fast-check";
import * as v from "valibot";
import { parseQueries, parseQuery } from "../../src/telemetry/collect/parse_query.ts";
import { TelemetryQuerySchema } from "../../src/telemetry/collect/query_schema.ts";
import type { TelemetryQuery } from "../../src/telemetry/points/query.ts";
import { CollectBodySchema } from "../../src/telemetry/schemas.ts";
import { MAX_TIME, MIN_TIME } from "../../src/telemetry/points/time.ts";

const FROM = { measurement: "m", database: "d" };
const WHERE = { tags: { nodeId: "n" } };
const GOOD = { select: ["a"], from: FROM, where: WHERE };

function parsed(query: unknown): TelemetryQuery {
  const result = parseQuery(query);
  assert.ok("query" in result, "invalid" in result ? result.invalid : "");
  return result.query;
}

function boundsOf(...time: [operator: string, value: number | string][]): (bigint | undefined)[] {
  const conditions = time.map(([operator, value]) => ({ operator, value }));
  const { from, to } = parsed({ ...GOOD, where: { ...WHERE, time: conditions } });
  return [from, to];
}

Deno.test("a complete query is parsed", () => {
  const query = parsed({
    select: [{ field: "a", function: "mean" }, { field: "a", function: "sum" }],
    from: { measurement: "m", database: "d", retentionPolicy: "week" },
    where: {
      time: [{ operator: ">=", value: "2026-01-01" }, { operator: "<", value: 1_767_312_000_000 }],
      tags: { nodeId: "n", site: "x" },
    },
    groupBy: { time: "15m" },
    orderBy: "DESC",
    limit: 7,
  });
  assert.deepEqual(query, {
    database: "d",
    retentionPolicy: "week",
    measurement: "m",
    nodeId: "n",
    columns: [
      { field: "a", aggregate: "mean", name: "mean_a" },
      { field: "a", aggregate: "sum", name: "sum_a" },
    ],
    from: 1_767_225_600_000_000_000n,
    to: 1_767_311_999_999_999_999n,
    tags: new Map([["nodeId", "n"], ["site", "x"]]),
    window: 900_000_000_000n,
    descending: true,
    limit: 7,
  });
});

Deno.test("omitted parts of a query have defaults", () => {
  assert.deepEqual(parsed(GOOD), {
    database: "d",
    retentionPolicy: "autogen",
    measurement: "m",
    nodeId: "n",
    columns: [{ field: "a", aggregate: undefined, name: "a" }],
    from: undefined,
    to: undefined,
    tags: new Map([["nodeId", "n"]]),
    window: undefined,
    descending: false,
    limit: undefined,
  });
});

Deno.test("rows can be requested in either order", () => {
  const orders = ["ASC", "DESC"].map((orderBy) => parsed({ ...GOOD, orderBy }).descending);
  assert.deepEqual(orders, [false, true]);
});

Deno.test("a namespace of any version gives a database and a retention policy", () => {
  const cases: [namespace: unknown, database: string, retentionPolicy: string][] = [
    [{ version: "1", database: "d" }, "d", "autogen"],
    [{ version: "1", database: "d/e", retentionPolicy: "r" }, "d/e", "r"],
    [{ version: "2", organization: "o", bucket: "d" }, "d", "autogen"],
    [{ version: "2", organization: "o", bucket: "d/r" }, "d", "r"],
    [{ version: "2", organization: "o", bucket: "d/e/r" }, "d/e", "r"],
    [{ version: "IOx", value: "d/e" }, "d/e", "autogen"],
  ];
  for (const [namespace, database, retentionPolicy] of cases) {
    const query = parsed({ ...GOOD, from: { measurement: "m", namespace } });
    assert.deepEqual([query.database, query.retentionPolicy], [database, retentionPolicy]);
  }
});

Deno.test("time conditions become inclusive bounds, and the stricter of two counts", () => {
  const ms = 1_000_000n;
  assert.deepEqual(boundsOf(), [undefined, undefined]);
  assert.deepEqual(boundsOf([">", 1]), [ms + 1n, undefined]);
  assert.deepEqual(boundsOf([">=", 1]), [ms, undefined]);
  assert.deepEqual(boundsOf(["<", 1]), [undefined, ms - 1n]);
  assert.deepEqual(boundsOf(["<=", 1]), [undefined, ms]);
  assert.deepEqual(boundsOf(["=", 1]), [ms, ms]);
  assert.deepEqual(boundsOf([">", 1], [">=", 2]), [2n * ms, undefined]);
  assert.deepEqual(boundsOf([">=", 2], [">", 1]), [2n * ms, undefined]);
  assert.deepEqual(boundsOf([">=", 1], [">", 1]), [ms + 1n, undefined]);
  assert.deepEqual(boundsOf(["<", 2], ["<=", 1]), [undefined, ms]);
  assert.deepEqual(boundsOf(["<=", 1], ["<", 2]), [undefined, ms]);
  assert.deepEqual(boundsOf(["=", 1], ["<", 1]), [ms, ms - 1n]);
  assert.deepEqual(boundsOf(["=", 1], ["=", 2]), [2n * ms, ms]);
  const ends = ["2262-04-11T23:47:16.854775806Z", "1677-09-21T00:12:43.145224194Z"] as const;
  assert.deepEqual(boundsOf([">", ends[0]], ["<", ends[1]]), [MAX_TIME + 1n, MIN_TIME - 1n]);
});

Deno.test("names may contain the special characters of any store's language", () => {
  const name = "'\"; DROP TABLE point; --\n\\`/*";
  const query = parsed({
    select: [name],
    from: { measurement: name, database: name, retentionPolicy: name },
    where: { tags: { nodeId: name, [name]: name } },
  });
  assert.deepEqual(query.tags, new Map([["nodeId", name], [name, name]]));
  assert.equal(query.columns[0].name, name);
});

Deno.test("a tag named __proto__ is an ordinary tag", () => {
  const query = parsed({ ...GOOD, where: JSON.parse('{"tags":{"nodeId":"n","__proto__":"p"}}') });
  assert.equal(query.tags.get("__proto__"), "p");
});

Deno.test("a query has up to a hundred columns and a limit of any safe size", () => {
  const select = Array.from({ length: 100 }, (_, i) => `f${i}`);
  assert.equal(parsed({ ...GOOD, select }).columns.length, 100);
  for (const limit of [1, Number.MAX_SAFE_INTEGER]) assert.equal(parsed({ ...GOOD, limit }).limit, limit);
});

Deno.test("no JSON value makes the parser throw", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    for (const key of ["select", "from", "where", "groupBy", "orderBy", "limit"]) {
      const result = parseQuery({ ...GOOD, [key]: value });
      assert.ok("query" in result || result.invalid.startsWith("Invalid format: "));
    }
    parseQuery(value);
  }));
});

Deno.test("a body is one query or a list of 1 to 1000, and a bad one does not affect the others", () => {
  assert.deepEqual(parseQueries(GOOD), { single: true, items: [parseQuery(GOOD)] });
  assert.equal(parseQueries({})?.items.length, 1);
  const mixed = parseQueries([GOOD, null, GOOD]);
  assert.equal(mixed?.single, false);
  assert.deepEqual(mixed?.items.map((item) => "query" in item), [true, false, true]);
  assert.equal(parseQueries(Array(1000).fill(GOOD))?.items.length, 1000);
  for (const body of [null, 1, "x", true, [], Array(1001).fill(GOOD)]) {
    assert.equal(parseQueries(body), undefined);
  }
});

Deno.test("the OpenAPI document describes the same grammar as the parser", async () => {
  const document = JSON.parse(await Deno.readTextFile(new URL("../../openapi.json", import.meta.url)));
  const { $schema: _, ...grammar } = toJsonSchema(TelemetryQuerySchema, { errorMode: "ignore" });
  const { TelemetryQuery } = document.components.schemas;
  assert.deepEqual(makePortable(grammar), { ref: "TelemetryQuery", ...TelemetryQuery });
});

Deno.test("the described schema accepts good queries and refuses malformed ones", () => {
  const from = { measurement: "m", namespace: { version: "1", database: "d" } };
  for (const body of [GOOD, [GOOD], { ...GOOD, from }]) {
    assert.ok(v.safeParse(CollectBodySchema, body).success);
  }
  for (const body of [[], { ...GOOD, limit: 0 }, { ...GOOD, orderBy: "asc" }, { ...GOOD, extra: 1 }]) {
    assert.ok(!v.safeParse(CollectBodySchema, body).success);
  }
});
