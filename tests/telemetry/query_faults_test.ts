import assert from "node:assert/strict";
import { parseQuery } from "../../src/telemetry/collect/parse_query.ts";

const GOOD = {
  select: ["power"],
  from: { measurement: "m", database: "d" },
  where: { tags: { nodeId: "n" } },
};

const NAME = "1 to 256 characters of well-formed Unicode without NUL";
const TIME = "milliseconds since 1970 or ISO 8601, between 1677 and 2262";
const COLUMNS = "select: Expected a list of 1 to 100 columns";
const SUM = { field: "a", function: "sum" };

function from(namespace: unknown): Record<string, unknown> {
  return { from: { measurement: "m", namespace } };
}

function where(time: unknown): Record<string, unknown> {
  return { where: { ...GOOD.where, time } };
}

const FAULTS: readonly (readonly [change: Record<string, unknown>, message: string])[] = [
  [{ other: 1 }, "the query: Unknown field"],
  [{ select: 5 }, COLUMNS],
  [{ select: [] }, COLUMNS],
  [{ select: Array.from({ length: 101 }, (_, i) => `f${i}`) }, COLUMNS],
  [{ select: ["a", SUM] }, "select: Expected either fields or functions, not both"],
  [{ select: ["a", "b", "a"] }, "select: Expected each column once"],
  [{ select: [5] }, "select.0: Expected an object"],
  [{ select: [{ ...SUM, other: 1 }] }, "select.0: Unknown field"],
  [{ select: [{ ...SUM, field: 5 }] }, "select.0.field: Expected the name of a field"],
  [{ select: ["a", "time"] }, "select.1: Expected a field name other than time"],
  [{ select: [{ ...SUM, field: "" }] }, `select.0.field: Expected a field name of ${NAME}`],
  [
    { select: [{ field: "a", function: "x" }] },
    "select.0.function: Expected one of sum, min, max, mean, count, first, last",
  ],
  [{ from: 5 }, "from: Expected an object"],
  [{ from: { ...GOOD.from, measurement: "" } }, `from.measurement: Expected ${NAME}`],
  [{ from: { ...GOOD.from, namespace: { version: "1", database: "d" } } }, "from: Unknown field"],
  [from(5), "from.namespace: Expected an object"],
  [from({ version: "1", database: "d", other: 1 }), "from.namespace: Unknown field"],
  [from({ version: "3" }), 'from.namespace.version: Expected "1", "2" or "IOx"'],
  [from({ version: "1", database: 5 }), `from.namespace.database: Expected ${NAME}`],
  [
    from({ version: "1", database: "d", retentionPolicy: "" }),
    `from.namespace.retentionPolicy: Expected ${NAME}`,
  ],
  [from({ version: "1", database: "d", organization: "o" }), "from.namespace: Unknown field"],
  [from({ version: "2", organization: "", bucket: "b" }), `from.namespace.organization: Expected ${NAME}`],
  [from({ version: "2", organization: "o", bucket: 5 }), `from.namespace.bucket: Expected ${NAME}`],
  [from({ version: "2", organization: "o", bucket: "/p" }), `from.namespace.bucket: Expected ${NAME}`],
  [
    from({ version: "2", organization: "o", bucket: "b", retentionPolicy: "p" }),
    "from.namespace: Unknown field",
  ],
  [from({ version: "IOx", value: 5 }), `from.namespace.value: Expected ${NAME}`],
  [from({ version: "IOx", value: "d", bucket: "b" }), "from.namespace: Unknown field"],
  [from([]), "from.namespace: Expected an object"],
  [{ where: 5 }, "where: Expected an object"],
  [{ where: { ...GOOD.where, other: 1 } }, "where: Unknown field"],
  [{ where: { tags: 5 } }, "where.tags: Expected an object"],
  [{ where: { tags: { nodeId: 5 } } }, "where.tags: Expected strings"],
  [{ where: { tags: { other: "x" } } }, "where.tags: Expected a nodeId tag"],
  [where(5), "where.time: Expected a list of up to 2 conditions"],
  [where(Array(3).fill({ operator: "<", value: 1 })), "where.time: Expected a list of up to 2 conditions"],
  [where([5]), "where.time.0: Expected an object"],
  [where([{ operator: "<", value: 1, other: 1 }]), "where.time.0: Unknown field"],
  [
    where([{ operator: "<", value: 1 }, { operator: "!=", value: 1 }]),
    "where.time.1.operator: Expected one of <, <=, >, >=, =",
  ],
  [where([{ operator: "<", value: "x" }]), `where.time.0.value: Expected ${TIME}`],
  [where([{ operator: "<", value: null }]), `where.time.0.value: Expected ${TIME}`],
  [{ groupBy: { time: "1m" } }, "groupBy: Expected only where select has functions"],
  [{ select: [SUM], groupBy: 5 }, "groupBy: Expected an object"],
  [{ select: [SUM], groupBy: { time: "1m", other: 1 } }, "groupBy: Unknown field"],
  [
    { select: [SUM], groupBy: { time: "x" } },
    "groupBy.time: Expected up to 6 digits followed by s, m, h or d, such as 15m",
  ],
  [
    { select: [SUM], groupBy: { time: ["15m"] } },
    "groupBy.time: Expected up to 6 digits followed by s, m, h or d, such as 15m",
  ],
  [{ orderBy: "asc" }, "orderBy: Expected ASC or DESC"],
  [{ limit: 0 }, "limit: Expected an integer of at least 1"],
  [{ limit: "1" }, "limit: Expected an integer of at least 1"],
];

Deno.test("the query from which all cases below start is good", () => {
  assert.ok("query" in parseQuery(GOOD));
});

for (const [change, message] of FAULTS) {
  Deno.test(`a query with ${JSON.stringify(change).slice(0, 70)} is refused: ${message.slice(0, 70)}`, () => {
    assert.deepEqual(parseQuery({ ...GOOD, ...change }), { invalid: `Invalid format: ${message}` });
  });
}

Deno.test("a query that is not an object is refused", () => {
  for (const query of [null, 5, "x", [], [GOOD]]) {
    assert.deepEqual(parseQuery(query), { invalid: "Invalid format: the query: Expected an object" });
  }
});

Deno.test("a limit of one row per series is accepted", () => {
  const result = parseQuery({ ...GOOD, limit: 1 });
  assert.equal("query" in result && result.query.limit, 1);
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
