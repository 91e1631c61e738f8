/** Points are grouped into series, whatever is known of these already. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { FieldValue, KnownSeries, Point, SeriesWrite } from "../../src/telemetry/points/point.ts";
import { PointError } from "../../src/telemetry/points/point_rules.ts";
import { PointGroups } from "../../src/telemetry/series/series_writes.ts";

const one: FieldValue = { kind: "number", json: "1" };
const two: FieldValue = { kind: "number", json: "2" };
const words: FieldValue = { kind: "string", json: '"a"' };

function groupPoints(points: readonly Point[]): readonly SeriesWrite[] {
  const groups = new PointGroups();
  for (const point of points) groups.add(point);
  return groups.series.map(({ nodeId, measurement, tags, field, kind, line, values }) => {
    return { nodeId, measurement, tags, field, kind, line, values };
  });
}

interface Options {
  measurement?: string;
  tags?: Record<string, string>;
  time?: bigint;
}

function point(line: number, fields: Record<string, FieldValue>, options: Options = {}): Point {
  const { measurement = "m", tags = {}, time = 0n } = options;
  const all = new Map(Object.entries({ ...tags, nodeId: "n" }));
  return {
    line,
    key: { text: JSON.stringify([measurement, [...all]]), measurement, tags: all },
    time,
    fields: new Map(Object.entries(fields)),
  };
}

Deno.test("points are grouped into one series per measurement, tag set and field", () => {
  const series = groupPoints([
    point(1, { a: one, b: two }, { time: 1n }),
    point(2, { a: two }, { time: 2n }),
    point(3, { a: one }, { tags: { site: "x" } }),
    point(4, { a: one }, { measurement: "other" }),
  ]);
  const values = new Map([[0n, "1"]]);
  const plain = { nodeId: "n", kind: "number", tags: '{"nodeId":"n"}' };
  assert.deepEqual(series, [
    { ...plain, measurement: "m", field: "a", line: 1, values: new Map([[1n, "1"], [2n, "2"]]) },
    { ...plain, measurement: "m", field: "b", line: 1, values: new Map([[1n, "2"]]) },
    { ...plain, tags: '{"nodeId":"n","site":"x"}', measurement: "m", field: "a", line: 3, values },
    { ...plain, measurement: "other", field: "a", line: 4, values },
  ]);
});

Deno.test("the last value of one series and time counts", () => {
  const [series] = groupPoints([point(1, { a: one }), point(2, { a: two })]);
  assert.deepEqual(series?.values, new Map([[0n, "2"]]));
});

Deno.test("the order of tags does not change the tag set, including digits and __proto__", () => {
  const digits: [string, string][] = [["10", "x"], ["9", '"']];
  const entries: [string, string][] = [["nodeId", "n"], ["__proto__", "p"], ...digits, ["é", "\n"]];
  const points = [entries, entries.toReversed()].map((tags, i): Point => ({
    ...point(i + 1, { a: one }, { time: BigInt(i) }),
    key: { text: `${i}`, measurement: "m", tags: new Map(tags) },
  }));
  const [series, ...others] = groupPoints(points);
  assert.deepEqual(others, []);
  assert.equal(series?.tags, '{"10":"x","9":"\\"","__proto__":"p","nodeId":"n","é":"\\n"}');
  assert.equal(series?.values.size, 2);
});

Deno.test("different tag sets never share a series", () => {
  const tagSets = fc.uniqueArray(fc.dictionary(fc.string({ maxLength: 3 }), fc.string({ maxLength: 3 })), {
    selector: (tags) => JSON.stringify(Object.entries({ ...tags, nodeId: "n" }).sort()),
  });
  fc.assert(fc.property(tagSets, (sets) => {
    assert.equal(groupPoints(sets.map((tags, i) => point(i + 1, { a: one }, { tags }))).length, sets.length);
  }));
});

Deno.test("a field that changes its kind is refused with its line", () => {
  const text: FieldValue = { kind: "string", json: '"1"' };
  const mixed = [point(1, { a: one }), point(2, { b: text }), point(7, { a: text }), point(8, { a: text })];
  assert.throws(() => groupPoints(mixed), (error) => error instanceof PointError && error.line === 7);
  assert.equal(groupPoints([point(1, { a: one }), point(2, { a: text }, { tags: { site: "x" } })]).length, 2);
});

Deno.test("a request with too many series is refused with the line of the first surplus one", () => {
  const both = (i: number) => point(i + 1, { a: one, b: one }, { measurement: `m${i}` });
  const many = Array.from({ length: 5000 }, (_, i) => both(i));
  const fits = [...many, point(5001, { b: two }, { measurement: "m0" })];
  assert.equal(groupPoints(fits).length, 10_000);
  const beyond = [...fits, point(5002, { c: one }), point(5003, { d: one })];
  const message = "Expected at most 10000 series (combinations of tag set and field)";
  assert.throws(() => groupPoints(beyond), { name: "PointError", line: 5002, message });
});

Deno.test("points are grouped alike whatever is known of their series", () => {
  const places = fc.record({
    tags: fc.constantFrom("x", "y"),
    field: fc.constantFrom("a", "b"),
    text: fc.nat(1),
  });
  const values = fc.record({
    ...{ place: places },
    kind: fc.constantFrom(one, two, words),
    time: fc.bigInt(0n, 3n),
  });
  const known = fc.uniqueArray(places, { selector: (place) => JSON.stringify(place) });
  fc.assert(fc.property(fc.array(values, { maxLength: 8 }), known, (given, knownPlaces) => {
    const pointsOf = (places: typeof knownPlaces): Point[] =>
      given.map(({ place, kind, time }, i) => {
        const made = point(i + 1, { [place.field]: kind }, { time, tags: { site: place.tags } });
        const ofText = places.filter(({ tags, text }) => tags === place.tags && text === place.text);
        const first = ofText.reduce<KnownSeries | undefined>((next, { tags, field }) => ({
          field,
          id: (tags === "x" ? 0 : 2) + (field === "a" ? 0 : 1),
          kind: "number",
          grants: [],
          deletedSeries: 0,
          revision: 0,
          next,
        }), undefined);
        return { ...made, key: { ...made.key, text: `${place.tags}${place.text}`, known: first } };
      });
    const outcome = (points: Point[]): unknown => {
      try {
        return groupPoints(points);
      } catch (error) {
        return String(error);
      }
    };
    assert.deepEqual(outcome(pointsOf(knownPlaces)), outcome(pointsOf([])));
  }));
});
