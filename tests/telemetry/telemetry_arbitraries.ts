import fc from "fast-check";
import type { FieldKind, Namespace, SeriesWrite } from "../../src/telemetry/points/point.ts";
import { type Aggregate, AGGREGATES, type Column, type TimeRange } from "../../src/telemetry/points/query.ts";
import type { StoreQuery } from "../../src/telemetry/store.ts";
import { type Meter, series, type Value } from "./telemetry_scene.ts";

/** Random writes and queries that mostly overlap: few names, few tag sets, times close together. */

/** Names that would break SQL, InfluxQL, JSON or line protocol if they were not escaped. */
const HOSTILE = [
  "power",
  "a b",
  'a"b',
  "a'b",
  "a\\",
  "a\\n",
  "a,b=c",
  "naïve 🚀",
  "line\nbreak",
  "tab\tand\rreturn",
  "x'; DROP SERIES FROM /.*/; --",
  '") FROM "other"',
  "%41",
  "100%",
  "/.*/",
  "*",
  "__proto__",
  "constructor",
  "$1",
  ":now",
  "_field",
  "mean",
  "1",
] as const;

const name = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }).filter((text) => !text.includes("\0")),
);

/** A tag and a field must not share a name. */
const tagName = name.map((text) => `#${text}`);
const tagSet = fc.dictionary(tagName, name, { maxKeys: 3 });

const SECOND = 1_000_000_000n;

/** Times within an hour around 1970, on and off window boundaries, some precise to the nanosecond. */
const time = fc.record({
  seconds: fc.oneof(fc.integer({ min: -1800, max: 1800 }), fc.constantFrom(-900, -60, -1, 0, 1, 60, 900)),
  offset: fc.constantFrom(0n, 0n, 0n, 500_000_000n, 7_000_000n, 1n, 123_456_789n),
}).map(({ seconds, offset }) => BigInt(seconds) * SECOND + offset);

const number = fc.oneof(
  fc.integer({ min: -1_000_000, max: 1_000_000 }),
  fc.double({ min: -1000, max: 1000, noNaN: true, noDefaultInfinity: true }).filter((value) =>
    Math.abs(value) > 1e-9
  ),
  fc.constantFrom(0, 0.1, -0.5, 20.3, 1e6),
);
const VALUES: Readonly<Record<FieldKind, fc.Arbitrary<Value>>> = {
  number,
  boolean: fc.boolean(),
  string: fc.oneof(name, fc.constant("")),
};

/** Names that the writes and queries of one run share. */
interface Vocabulary {
  readonly measurements: readonly string[];
  readonly fields: readonly string[];
  readonly kinds: readonly FieldKind[];
  readonly tagSets: readonly Readonly<Record<string, string>>[];
  readonly namespaces: readonly Namespace[];
}

const vocabulary: fc.Arbitrary<Vocabulary> = fc.record({
  measurements: fc.uniqueArray(name, { minLength: 2, maxLength: 2 }),
  fields: fc.uniqueArray(name.filter((text) => text !== "time"), { minLength: 3, maxLength: 3 }),
  kinds: fc.array(
    fc.oneof({ weight: 3, arbitrary: fc.constant<FieldKind>("number") }, {
      weight: 1,
      arbitrary: fc.constantFrom<FieldKind>("boolean", "string"),
    }),
    { minLength: 3, maxLength: 3 },
  ),
  tagSets: fc.tuple(tagSet, tagSet, tagSet),
  namespaces: fc.uniqueArray(fc.record({ database: name, retentionPolicy: name }), {
    minLength: 2,
    maxLength: 2,
    selector: ({ database, retentionPolicy }) => JSON.stringify([database, retentionPolicy]),
  }),
});

/** One write request, to one of the run's namespaces. */
export interface WriteInput {
  readonly namespace: Namespace;
  readonly series: readonly SeriesWrite[];
}

/** What was drawn for one run, which takes the devices of the run. */
export interface TelemetryRun {
  readonly writes: readonly ((meters: readonly Meter[]) => WriteInput)[];
  readonly queries: readonly ((meters: readonly Meter[]) => StoreQuery)[];
}

/** Mostly the first device, so that points overlap. */
const index = fc.constantFrom(0, 0, 0, 1);
const indexOfThree = fc.constantFrom(0, 0, 1, 2);

function writesWith(words: Vocabulary): fc.Arbitrary<TelemetryRun["writes"][number]> {
  const drawn = fc.record({
    device: index,
    measurement: index,
    tagSet: indexOfThree,
    field: indexOfThree,
    times: fc.uniqueArray(time, { minLength: 1, maxLength: 12 }),
  }).chain((one) => {
    const values = fc.array(VALUES[words.kinds[one.field] as FieldKind], {
      minLength: one.times.length,
      maxLength: one.times.length,
    });
    return values.map((drawnValues) => ({ ...one, values: drawnValues }));
  });
  const distinct = fc.uniqueArray(drawn, {
    minLength: 1,
    maxLength: 8,
    // The same tag set may be drawn twice.
    selector: ({ device, measurement, tagSet, field }) =>
      JSON.stringify([device, measurement, Object.entries(words.tagSets[tagSet] ?? {}).sort(), field]),
  });
  return fc.record({ namespace: index, drafts: distinct }).map(({ namespace, drafts }) => (meters) => ({
    namespace: words.namespaces[namespace] as Namespace,
    series: drafts.map(({ device, measurement, tagSet, field, times, values }, i) =>
      series({
        ...meters[device] as Meter,
        measurement: words.measurements[measurement] as string,
        tags: words.tagSets[tagSet] ?? {},
        field: words.fields[field] as string,
        line: i + 1,
      }, new Map(times.map((at, k) => [at, values[k] as Value])))
    ),
  }));
}

const WINDOWS = [1n, 7n, 60n, 900n, 3600n, 86_400n].map((seconds) => seconds * SECOND);

/** Parts that begin and end at times of points, or close to them; some windows have points of several. */
const rangeInParts = fc.uniqueArray(time, { minLength: 2, maxLength: 24 }).map((drawn) => {
  const times = drawn.sort((a, b) => a < b ? -1 : 1);
  const parts: TimeRange[] = [];
  for (let i = 0; i + 1 < times.length; i += 2) {
    parts.push({ from: times[i] as bigint, to: times[i + 1] as bigint });
  }
  return { from: parts[0]?.from, to: parts.at(-1)?.to, parts };
});

function queriesWith(words: Vocabulary): fc.Arbitrary<TelemetryRun["queries"][number]> {
  const field = indexOfThree.map((i) => words.fields[i] as string);
  const plain = fc.uniqueArray(field, { minLength: 1, maxLength: 3 }).map((fields) =>
    fields.map((one): Column => ({ field: one, aggregate: undefined, name: one }))
  );
  const functions = fc.uniqueArray(fc.tuple(field, fc.constantFrom<Aggregate>(...AGGREGATES)), {
    minLength: 1,
    maxLength: 4,
    selector: ([one, aggregate]) => `${aggregate}_${one}`,
  }).map((drawn) =>
    drawn.map(([one, aggregate]): Column => ({ field: one, aggregate, name: `${aggregate}_${one}` }))
  );
  const askedTags = fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    { weight: 2, arbitrary: fc.constantFrom(...words.tagSets) },
    { weight: 1, arbitrary: tagSet },
  );
  return fc.record({
    device: index,
    namespace: index,
    measurement: index,
    columns: fc.oneof(plain, functions),
    range: fc.oneof(
      fc.record({ from: fc.option(time, { nil: undefined }), to: fc.option(time, { nil: undefined }) }),
      rangeInParts,
    ),
    tags: askedTags,
    window: fc.option(fc.constantFrom(...WINDOWS), { nil: undefined }),
    descending: fc.boolean(),
    limit: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
  }).map(({ device, namespace, measurement, columns, tags, window, range, ...rest }) => (meters) => {
    const meter = meters[device] as Meter;
    const [first, ...others] = columns as [Column, ...Column[]];
    return {
      ...rest,
      ...range,
      ...words.namespaces[namespace] as Namespace,
      measurement: words.measurements[measurement] as string,
      ...meter,
      columns: [first, ...others],
      tags: new Map(Object.entries({ ...tags, nodeId: meter.nodeId })),
      window: first.aggregate === undefined ? undefined : window,
    };
  });
}

/** Some write requests, and some queries for what they may have written. */
export const telemetryRun: fc.Arbitrary<TelemetryRun> = vocabulary.chain((words) =>
  fc.record({
    writes: fc.array(writesWith(words), { minLength: 1, maxLength: 4 }),
    queries: fc.array(queriesWith(words), { minLength: 1, maxLength: 12 }),
  })
);
