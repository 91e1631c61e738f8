/** Each fault of a query is told by its path and what is expected there, never by what was given. */
import assert from "node:assert/strict";
import { parseQuery } from "../../src/telemetry/collect/parse_query.ts";
import { MARKER } from "../every_operation/bad_bodies.ts";

const GOOD = {
  select: ["power"],
  from: { measurement: "m", database: "d" },
  where: { tags: { nodeId: "n" } },
};

const NAME = "1 to 256 characters of well-formed Unicode without NUL";
const FIELD_NAME = `Expected a field name of ${NAME}`;
const FUNCTION = "Expected one of sum, min, max, mean, count, first, last";
const SUM = { field: "a", function: "sum" };
const LESS = { operator: "<", value: 1 };
/** Of a value whose type is wrong. */
const NO_OBJECT = [undefined, null, 5, MARKER, []];

type Change = Record<string, unknown>;

function select(...columns: unknown[]): Change {
  return { select: columns };
}

function from(more: object): Change {
  return { from: { ...GOOD.from, ...more } };
}

function namespace(namespace: unknown): Change {
  return { from: { measurement: "m", namespace } };
}

function tags(tags: unknown): Change {
  return { where: { tags } };
}

function time(time: unknown): Change {
  return { where: { ...GOOD.where, time } };
}

function groupBy(groupBy: unknown): Change {
  return { select: [SUM], groupBy };
}

const FAULTS: readonly (readonly [message: string, ...changes: Change[]])[] = [
  ["the query: Unknown field", { other: 1 }, { constructor: 1 }, JSON.parse('{"__proto__":1}')],
  [
    "select: Expected a list of 1 to 100 columns",
    ...[...NO_OBJECT, {}, Array.from({ length: 101 }, (_, i) => `f${i}`)].map((select) => ({ select })),
  ],
  ["select: Expected either fields or functions, not both", select("a", SUM), select(SUM, "a")],
  ["select: Expected each column once", select("a", "b", "a"), select(SUM, SUM)],
  ["select.0: Expected an object", select(5)],
  ["select.0: Unknown field", select({ ...SUM, other: 1 })],
  [`select.0: ${FIELD_NAME}`, ...["", "x".repeat(257), "a\0", "\ud800"].map((name) => select(name))],
  [`select.0.field: ${FIELD_NAME}`, select({ ...SUM, field: "" })],
  ["select.0.field: Expected the name of a field", select({ ...SUM, field: 5 }), select({ function: "sum" })],
  ["select.1: Expected a field name other than time", select("a", "time")],
  [
    `select.0.function: ${FUNCTION}`,
    ...[undefined, "x", ["sum"]].map((name) => select({ field: "a", function: name })),
  ],
  ["from: Expected an object", ...NO_OBJECT.map((from) => ({ from }))],
  ["from: Unknown field", from({ namespace: { version: "1", database: "d" } }), from({ [MARKER]: "x" })],
  [`from.measurement: Expected ${NAME}`, from({ measurement: "" }), { from: { database: "d" } }],
  [`from.database: Expected ${NAME}`, { from: { measurement: "m" } }],
  [`from.retentionPolicy: Expected ${NAME}`, from({ retentionPolicy: null })],
  ["from.namespace: Expected an object", ...[null, 5, []].map(namespace)],
  [
    "from.namespace: Unknown field",
    namespace({ version: "1", database: "d", other: 1 }),
    namespace({ version: "1", database: "d", organization: "o" }),
    namespace({ version: "2", organization: "o", bucket: "b", retentionPolicy: "p" }),
    namespace({ version: "IOx", value: "d", bucket: "b" }),
  ],
  [
    'from.namespace.version: Expected "1", "2" or "IOx"',
    ...[undefined, 1, "3"].map((version) => namespace({ version, database: "d" })),
  ],
  [
    `from.namespace.database: Expected ${NAME}`,
    ...[undefined, 5].map((database) => namespace({ version: "1", database })),
  ],
  [
    `from.namespace.retentionPolicy: Expected ${NAME}`,
    namespace({ version: "1", database: "d", retentionPolicy: "" }),
  ],
  [
    `from.namespace.organization: Expected ${NAME}`,
    ...[undefined, ""].map((organization) => namespace({ version: "2", organization, bucket: "b" })),
  ],
  [
    `from.namespace.bucket: Expected ${NAME}`,
    ...[undefined, 5, "d/", "/p"].map((bucket) => namespace({ version: "2", organization: "o", bucket })),
  ],
  [
    `from.namespace.value: Expected ${NAME}`,
    ...[undefined, 5, ""].map((value) => namespace({ version: "IOx", value })),
  ],
  ["where: Expected an object", ...NO_OBJECT.map((where) => ({ where }))],
  ["where: Unknown field", { where: { ...GOOD.where, [MARKER]: 1 } }],
  ["where.tags: Expected an object", ...NO_OBJECT.map(tags)],
  ["where.tags: Expected strings", tags({ nodeId: 5 })],
  ["where.tags: Expected a nodeId tag", tags({}), tags({ [MARKER]: MARKER })],
  ["where.tags: Expected a nodeId tag of 1 to 128 characters", tags({ nodeId: "x".repeat(129) })],
  [
    "where.tags: Expected a tag value of 1 to 1024 characters of well-formed Unicode without NUL",
    tags({ nodeId: "" }),
  ],
  [
    "where.time: Expected a list of up to 2 conditions",
    ...[null, 5, {}, MARKER, [LESS, LESS, LESS]].map(time),
  ],
  ["where.time.0: Expected an object", time([5])],
  ["where.time.0: Unknown field", time([{ ...LESS, other: 1 }])],
  ["where.time.0.operator: Expected one of <, <=, >, >=, =", time([{ ...LESS, operator: MARKER }])],
  ["where.time.1.operator: Expected one of <, <=, >, >=, =", time([LESS, { ...LESS, operator: "!=" }])],
  [
    "where.time.0.value: Expected milliseconds since 1970 or ISO 8601, between 1677 and 2262",
    ...[undefined, null, MARKER, 1e300, true, [1]].map((value) => time([{ ...LESS, value }])),
  ],
  ["groupBy: Expected only where select has functions", { groupBy: { time: "1m" } }],
  ["groupBy: Expected an object", groupBy(5), { groupBy: null }],
  ["groupBy: Unknown field", groupBy({ time: "1m", other: 1 })],
  [
    "groupBy.time: Expected up to 6 digits followed by s, m, h or d, such as 15m",
    ...[null, MARKER, 60, "0m", "15 m", ["15m"]].map((time) => groupBy({ time })),
  ],
  ["orderBy: Expected ASC or DESC", ...[null, MARKER, "asc", 1].map((orderBy) => ({ orderBy }))],
  [
    "limit: Expected an integer of at least 1",
    ...[null, MARKER, 0, -1, 1.5, "1", Number.MAX_SAFE_INTEGER + 1].map((limit) => ({ limit })),
  ],
];

Deno.test("the query from which all cases below start is good", () => {
  assert.ok("query" in parseQuery(GOOD));
});

for (const [message, ...changes] of FAULTS) {
  Deno.test(`a query is refused with: ${message}`, () => {
    for (const change of changes) {
      const refusal = { invalid: `Invalid format: ${message}` };
      assert.deepEqual(parseQuery({ ...GOOD, ...change }), refusal, JSON.stringify(change).slice(0, 200));
    }
  });
}

Deno.test("a query that is not an object is refused", () => {
  for (const query of [null, 5, "x", [], [GOOD]]) {
    assert.deepEqual(parseQuery(query), { invalid: "Invalid format: the query: Expected an object" });
  }
});

Deno.test("an internal error is not reported as a fault of the query", () => {
  const broken = {
    ...GOOD,
    get select(): unknown {
      throw new TypeError("out of order");
    },
  };
  assert.throws(() => parseQuery(broken), { name: "TypeError", message: "out of order" });
});
