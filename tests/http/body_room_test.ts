import assert from "node:assert/strict";
import { AppError } from "../../src/core/errors.ts";
import { runForNetwork } from "../../src/core/asker.ts";
import { networksOf } from "../../src/throttle/networks.ts";
import { type BodyRoom, createBodyRoom, type Sender } from "../../src/http/body_room.ts";

const MEBIBYTE = 1024 * 1024;

/** Holds bodies of this size until one is refused. Returns how many were not. */
function fill(room: BodyRoom, sizeOf: number, senderOf: (i: number) => Sender): number {
  for (let i = 0;; i++) {
    try {
      room.admit(senderOf(i)).hold(sizeOf);
    } catch (error) {
      assert.ok(error instanceof AppError && error.code === "UNAVAILABLE");
      return i;
    }
  }
}

Deno.test("bodies: together they take 63 MiB, those of one user or network 8 MiB, those of strangers 32 MiB", () => {
  const own = (i: number): Sender => ({ address: `192.0.${i}.1`, asker: `user ${i}` });
  assert.equal(fill(createBodyRoom(networksOf), MEBIBYTE, own), 63);
  assert.equal(fill(createBodyRoom(networksOf), MEBIBYTE, (i) => ({ ...own(i), asker: "user 1" })), 8);
  assert.equal(fill(createBodyRoom(networksOf), MEBIBYTE, (i) => ({ ...own(i), address: "192.0.2.1" })), 8);
  assert.equal(fill(createBodyRoom(networksOf), MEBIBYTE, (i) => ({ ...own(i), asker: undefined })), 32);
});

Deno.test("bodies: a few users who use their whole share leave room for the bodies of others", () => {
  const room = createBodyRoom(networksOf);
  const own = (i: number): Sender => ({ address: `192.0.${i}.1`, asker: `user ${i}` });
  assert.equal(fill(room, 10 * MEBIBYTE, own), 5);
  for (let user = 10; user < 15; user++) fill(room, 64 * 1024, () => own(user));
  room.admit(own(20)).hold(64 * 1024);
  room.admit({ address: "198.51.100.1", asker: undefined }).hold(16 * 1024);
});

Deno.test("bodies: all clients of a /24 or a /48 together have three times the share of one client", () => {
  for (const addressOf of [(i: number) => `192.0.2.${i}`, (i: number) => `2001:db8:0:${i}00::1`]) {
    const room = createBodyRoom(networksOf);
    assert.equal(fill(room, MEBIBYTE, (i) => ({ address: addressOf(i % 8), asker: undefined })), 24);
    assert.equal(fill(room, MEBIBYTE, () => ({ address: "198.51.100.1", asker: undefined })), 8);
  }
});

Deno.test("long texts: they are parsed one at a time, in turns by sender, with pauses as long as each step", async () => {
  const room = createBodyRoom(networksOf);
  const parsed: string[] = [];
  const parse = (sender: string): Promise<void> =>
    runForNetwork(sender, () =>
      room.parseInTurn((function* (): Generator<void, void> {
        parsed.push(sender);
        for (let step = 0; step < 2; step++) {
          if (step > 0) yield;
          const end = performance.now() + 10;
          while (performance.now() < end);
        }
        if (sender === "faulty") throw new RangeError("faulty");
      })()));
  const startedAt = performance.now();
  const greedy = [1, 2, 3, 4].map(() => parse("greedy"));
  const [faulty, other] = [parse("faulty"), parse("other")];
  await assert.rejects(faulty, RangeError);
  await Promise.all([...greedy, other]);
  assert.deepEqual(parsed, ["greedy", "greedy", "faulty", "other", "greedy", "greedy"]);
  assert.ok(performance.now() - startedAt >= 12 * 10 + 11 * 9);
});

Deno.test("bodies: a body larger than a share is held only while the sender has no other", () => {
  const sender = { address: "192.0.2.1", asker: "user 1" };
  assert.equal(fill(createBodyRoom(networksOf), 10 * MEBIBYTE, () => sender), 1);
  const room = createBodyRoom(networksOf);
  room.admit(sender).hold(1);
  assert.equal(fill(room, 10 * MEBIBYTE, () => sender), 0);
});

Deno.test("bodies: a released body frees its room, and a growing body counts once", () => {
  const room = createBodyRoom(networksOf);
  const sender = { address: "192.0.2.1", asker: "user 1" };
  for (let round = 0; round < 3; round++) {
    const body = room.admit(sender);
    for (const size of [1, 4, 2, 8]) body.hold(size * MEBIBYTE);
    assert.equal(fill(room, 1, () => sender), 0);
    body.release();
  }
  assert.equal(fill(room, MEBIBYTE, () => sender), 8);
});

interface Watched {
  arrived: number;
  isLate: boolean;
}

function watch(room: BodyRoom, asker: string | undefined): Watched {
  const watched = { arrived: 0, isLate: false };
  const body = room.admit({ address: "192.0.2.1", asker });
  body.expect(() => watched.arrived, () => {
    watched.isLate = true;
    body.stopExpecting();
  });
  return watched;
}

Deno.test("bodies: a body is late if 80 KiB do not arrive in 10 ticks; without a token it is late after 10 ticks", async () => {
  const tickMs = 20;
  const room = createBodyRoom(networksOf, { tickMs });
  const [still, slow, stalls, fast, stranger] = ["user 1", "user 1", "user 1", "user 1", undefined].map((
    asker,
  ) => watch(room, asker));
  assert.ok(still && slow && stalls && fast && stranger);
  for (let tick = 0; tick < 9; tick++) {
    for (const body of [slow, stalls, fast, stranger]) body.arrived += 80 * 1024;
    assert.deepEqual([still, slow, stalls, fast, stranger].map(({ isLate }) => isLate), Array(5).fill(false));
    await ticks(1);
    if (still.isLate) break;
  }
  const lateAt: string[] = [];
  for (let tick = 0; tick < 60 && !(slow.isLate && stalls.isLate); tick++) {
    // A tenth of the least that has to arrive, and twice that.
    slow.arrived += 800;
    fast.arrived += 16 * 1024;
    await ticks(1);
    for (const [name, { isLate }] of Object.entries({ still, slow, stalls, stranger })) {
      if (isLate && !lateAt.includes(name)) lateAt.push(name);
    }
  }
  assert.deepEqual(lateAt.slice(0, 2).sort(), ["still", "stranger"]);
  assert.deepEqual(lateAt.slice(2).sort(), ["slow", "stalls"]);
  assert.equal(fast.isLate, false);
  // Ends the timer.
  fast.arrived = -Infinity;
  while (!fast.isLate) await ticks(1);

  function ticks(count: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, count * tickMs));
  }
});
