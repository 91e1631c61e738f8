/** What a writer remembers of series, and when it is forgotten. */
import assert from "node:assert/strict";
import type { Actor } from "../../src/core/actor.ts";
import type { Destination, KnownSeries, SeriesWrite } from "../../src/telemetry/points/point.ts";
import { SeriesMemory } from "../../src/telemetry/series/series_memory.ts";

const PLANT: Destination = { database: "plant", retentionPolicy: "autogen" };
const FOUND = { grants: [], deletedSeries: 0, revision: 7 };

/** Of a series with short names. */
const BYTES = 262;

function actor(userId: number): Actor {
  return { userId, sessionId: "session" };
}

function named(text: string, field = "watts"): SeriesWrite {
  return {
    nodeId: "n",
    measurement: "m",
    tags: "{}",
    field,
    kind: "number",
    line: 1,
    values: new Map(),
    text,
  };
}

/** The fields and ids known of a text. */
function known(first: KnownSeries | undefined): [string, number][] {
  return first === undefined ? [] : [[first.field, first.id], ...known(first.next)];
}

Deno.test("a writer recalls the series of their own writes to a destination, by text and field", () => {
  const memory = new SeriesMemory();
  const writer = memory.of(actor(1), PLANT);
  writer.keep(named("a"), { ...FOUND, id: 1 });
  writer.keep(named("a", "volts"), { ...FOUND, id: 2 });
  writer.keep(named("b"), { ...FOUND, id: 3 });
  assert.deepEqual(known(writer.recall("a")), [["volts", 2], ["watts", 1]]);
  assert.deepEqual(known(memory.of(actor(1), PLANT).recall("b")), [["watts", 3]]);
  for (
    const [user, destination] of [
      [2, PLANT],
      [1, { ...PLANT, roleId: 5 }],
      [1, { ...PLANT, database: "other" }],
      [1, { ...PLANT, retentionPolicy: "year" }],
    ] as const
  ) assert.equal(memory.of(actor(user), destination).recall("a"), undefined);
});

Deno.test("what is found anew replaces what was known, and leaves what a write is reading", () => {
  const writer = new SeriesMemory().of(actor(1), PLANT);
  for (const [i, field] of ["watts", "volts", "amperes"].entries()) {
    writer.keep(named("a", field), { ...FOUND, id: i });
  }
  const earlier = writer.recall("a");
  writer.keep(named("a", "volts"), { ...FOUND, id: 9 });
  assert.deepEqual(known(earlier), [["amperes", 2], ["volts", 1], ["watts", 0]]);
  assert.deepEqual(known(writer.recall("a")).sort(), [["amperes", 2], ["volts", 9], ["watts", 0]]);
});

Deno.test("a text has at most 64 known series", () => {
  const writer = new SeriesMemory().of(actor(1), PLANT);
  for (let i = 0; i < 70; i++) writer.keep(named("a", `f${i}`), { ...FOUND, id: i });
  assert.equal(known(writer.recall("a")).length, 64);
  writer.keep(named("a", "f3"), { ...FOUND, id: 99 });
  assert.equal(known(writer.recall("a")).find(([field]) => field === "f3")?.[1], 99);
});

Deno.test("beyond the limit, the writer that wrote longest ago is forgotten", () => {
  const memory = new SeriesMemory(4 * BYTES);
  for (const user of [1, 2, 3]) memory.of(actor(user), PLANT).keep(named("a"), { ...FOUND, id: user });
  memory.of(actor(1), PLANT).keep(named("b"), { ...FOUND, id: 4 });
  memory.of(actor(3), PLANT).keep(named("b"), { ...FOUND, id: 5 });
  const kept = [1, 2, 3].map((user) => known(memory.of(actor(user), PLANT).recall("a")).length);
  assert.deepEqual(kept, [1, 0, 1]);
});

Deno.test("long names take more of the limit", () => {
  const memory = new SeriesMemory(20 * BYTES);
  const long = "x".repeat(500);
  const [first, second] = [1, 2].map((user) => memory.of(actor(user), PLANT));
  first?.keep(named(`0${long}`), { ...FOUND, id: 0 });
  for (let i = 0; i < 3; i++) second?.keep(named(`${i}${long}`), { ...FOUND, id: i });
  assert.deepEqual(known(first?.recall(`0${long}`)), [["watts", 0]]);
  second?.keep(named(`3${long}`), { ...FOUND, id: 3 });
  assert.deepEqual(known(first?.recall(`0${long}`)), []);
  assert.deepEqual(known(second?.recall(`0${long}`)), [["watts", 0]]);
});

Deno.test("a text of more than 512 characters is not kept", () => {
  const writer = new SeriesMemory().of(actor(1), PLANT);
  for (const length of [512, 513]) writer.keep(named("x".repeat(length)), { ...FOUND, id: length });
  assert.deepEqual(known(writer.recall("x".repeat(512))), [["watts", 512]]);
  assert.equal(writer.recall("x".repeat(513)), undefined);
});

Deno.test("all is forgotten once series were deleted", () => {
  const memory = new SeriesMemory();
  memory.isAsOf(0);
  memory.of(actor(1), PLANT).keep(named("a"), { ...FOUND, id: 1 });
  memory.isAsOf(0);
  assert.deepEqual(known(memory.of(actor(1), PLANT).recall("a")), [["watts", 1]]);
  memory.isAsOf(1);
  assert.equal(memory.of(actor(1), PLANT).recall("a"), undefined);
  assert.equal(memory.deletedSeries, 1);
});
