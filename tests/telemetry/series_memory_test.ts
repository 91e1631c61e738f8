import assert from "node:assert/strict";
import { type Actor, userActor } from "../../src/core/actor.ts";
import type { Destination, KnownSeries, SeriesWrite } from "../../src/telemetry/points/point.ts";
import { SeriesMemory } from "../../src/telemetry/series/series_memory.ts";

const PLANT: Destination = { database: "plant", retentionPolicy: "autogen" };
const FOUND = { grants: [], deletedSeries: 0, revision: 7 };

/** Of a series with short names. */
const BYTES = 262;

function actor(userId: number): Actor {
  return userActor(userId, "session");
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

/** Keeps series of a user, and returns how many of them are remembered then. */
function keepMany(memory: SeriesMemory, user: number, count: number, destination = PLANT): void {
  for (let i = 0; i < count; i++) {
    memory.of(actor(user), destination).keep(named(String(i)), { ...FOUND, id: i });
  }
}

function isKnown(memory: SeriesMemory, user: number, destination = PLANT): boolean {
  // A look of the same writer, which is therefore the last one asked for.
  return memory.of(actor(user), destination).recall("0") !== undefined;
}

Deno.test("beyond the limit, the payer who wrote longest ago is forgotten, if none has a great share", () => {
  const memory = new SeriesMemory(50 * BYTES);
  for (const user of [1, 2, 3, 4, 5]) keepMany(memory, user, 9);
  keepMany(memory, 1, 9);
  keepMany(memory, 6, 9);
  assert.deepEqual([1, 2, 3, 4, 5, 6].map((user) => isKnown(memory, user)), [
    true,
    false,
    true,
    true,
    true,
    true,
  ]);
});

Deno.test("beyond the limit, the payer with the most is forgotten if that is over a quarter", () => {
  const memory = new SeriesMemory(50 * BYTES);
  for (const [user, count] of [[1, 9], [2, 13], [3, 14], [4, 9], [5, 9]] as const) {
    keepMany(memory, user, count);
  }
  assert.deepEqual([1, 2, 3, 4, 5].map((user) => isKnown(memory, user)), [true, true, false, true, true]);
  // What was forgotten no longer counts.
  keepMany(memory, 6, 8);
  keepMany(memory, 7, 1);
  assert.deepEqual([1, 2, 4, 5, 6, 7].map((user) => isKnown(memory, user)), Array<boolean>(6).fill(true));
});

Deno.test("of a payer's writers, the one that wrote longest ago is forgotten, for a key as for its maker", () => {
  const memory = new SeriesMemory(50 * BYTES);
  keepMany(memory, 1, 9);
  const [first, second] = ["one", "two"].map((database) => ({ ...PLANT, database }));
  keepMany(memory, 2, 9, first);
  keepMany(memory, 2, 9, second);
  assert.ok(isKnown(memory, 2, first));
  const key: Actor = { userId: -7, sessionId: "mac", payer: "2" };
  for (let i = 0; i < 24; i++) memory.of(key, PLANT).keep(named(String(i)), { ...FOUND, id: i });
  assert.deepEqual([isKnown(memory, 1), isKnown(memory, 2, first), isKnown(memory, 2, second)], [
    true,
    true,
    false,
  ]);
  assert.notEqual(memory.of(key, PLANT).recall("0"), undefined);
});

Deno.test("a writer who alone exceeds the limit begins anew", () => {
  const memory = new SeriesMemory(10 * BYTES);
  keepMany(memory, 1, 12);
  assert.equal(isKnown(memory, 1), false);
  assert.deepEqual(known(memory.of(actor(1), PLANT).recall("11")), [["watts", 11]]);
});

Deno.test("long names take more of the limit", () => {
  const memory = new SeriesMemory(20 * BYTES);
  const long = "x".repeat(500);
  const [first, second] = [1, 2].map((user) => memory.of(actor(user), PLANT));
  first?.keep(named(`0${long}`), { ...FOUND, id: 0 });
  for (let i = 0; i < 3; i++) second?.keep(named(`${i}${long}`), { ...FOUND, id: i });
  assert.deepEqual(known(first?.recall(`0${long}`)), [["watts", 0]]);
  second?.keep(named(`3${long}`), { ...FOUND, id: 3 });
  assert.deepEqual(known(second?.recall(`0${long}`)), []);
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
