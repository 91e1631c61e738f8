/** The room for request bodies is shared by branches of callers, and slow bodies give way. */
import assert from "node:assert/strict";
import { AppError } from "../../src/core/errors.ts";
import { asCaller, asStranger } from "../helpers/callers.ts";
import { type BodyRoom, createBodyRoom } from "../../src/http/body_room.ts";

const MEBIBYTE = 1024 * 1024;

/** Runs a task as a sender's, of this number. */
type As = (i: number, task: () => void) => void;

/** Holds bodies of this size until one is refused. Returns how many were not. */
function fill(room: BodyRoom, size: number, as: As): number {
  for (let i = 0;; i++) {
    try {
      as(i, () => room.admit(true).hold(size));
    } catch (error) {
      assert.ok(error instanceof AppError && error.code === "UNAVAILABLE");
      return i;
    }
  }
}

const member: As = (i, task) => asCaller(`1:${i}`, task);
const brought: As = (i, task) => asCaller(`1:5/${i}`, task);
const stranger: As = (i, task) => asStranger(`192.0.${i}.0`, task);

Deno.test("bodies: whatever accounts or networks a sender uses, they leave as much room as they take", () => {
  assert.equal(fill(createBodyRoom(), MEBIBYTE, member), 64);
  assert.equal(fill(createBodyRoom(), MEBIBYTE, brought), 32);
  assert.equal(fill(createBodyRoom(), MEBIBYTE, stranger), 32);
  assert.equal(fill(createBodyRoom(), MEBIBYTE, (_, task) => brought(1, task)), 16);
});

Deno.test("bodies: branches that take all they may leave room for the bodies of others", () => {
  const room = createBodyRoom();
  for (let branch = 0; branch < 5; branch++) {
    assert.ok(fill(room, MEBIBYTE, (_, task) => member(branch, task)) > 0);
    fill(room, 1, (_, task) => member(branch, task));
  }
  member(20, () => room.admit(true).hold(64 * 1024));
  stranger(1, () => room.admit(false).hold(16 * 1024));
});

Deno.test("long texts: they are parsed one at a time, in turns by sender, with pauses as long as each step", async () => {
  const room = createBodyRoom();
  const parsed: string[] = [];
  const parse = (sender: string): Promise<void> =>
    asStranger(sender, () =>
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

Deno.test("bodies: the largest body is held only while the sender has no other", () => {
  const room = createBodyRoom();
  assert.equal(fill(room, 32 * MEBIBYTE, (_, task) => brought(1, task)), 1);
  member(2, () => room.admit(true).hold(16 * MEBIBYTE));
});

Deno.test("bodies: a released body frees its room, and a growing body counts once", () => {
  const room = createBodyRoom();
  for (let round = 0; round < 3; round++) {
    const bodies = asCaller("1:1", () => [room.admit(true)]);
    for (const size of [1, 4, 2, 20]) bodies[0]?.hold(size * MEBIBYTE);
    assert.throws(() => asCaller("1:1", () => room.admit(true).hold(5 * MEBIBYTE)), { code: "UNAVAILABLE" });
    for (const body of bodies) body.release();
  }
});

Deno.test("bodies: without room for a stranger, the one that has been sending longest is broken off", async () => {
  const room = createBodyRoom({ budgetBytes: 64 * 1024, tickMs: 20 });
  const broken: number[] = [];
  const slow = [1, 2].map((i) =>
    asStranger(`192.0.${i}.0`, () => {
      const body = room.admit(false);
      body.expect(() => 0, () => {
        broken.push(i);
        body.stopExpecting();
        body.release();
      });
      return body;
    })
  );
  const enter = (): void => asStranger("198.51.100.0", () => room.admit(false).release());
  assert.throws(enter, { code: "UNAVAILABLE" });
  assert.deepEqual(broken, [], "it came a moment ago");
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.throws(enter, { code: "UNAVAILABLE" });
  assert.deepEqual(broken, [1]);
  enter();
  for (const body of slow) body.stopExpecting();
});

interface Watched {
  arrived: number;
  isLate: boolean;
}

function watch(room: BodyRoom, hasToken: boolean): Watched {
  const watched = { arrived: 0, isLate: false };
  const body = room.admit(hasToken);
  body.expect(() => watched.arrived, () => {
    watched.isLate = true;
    body.stopExpecting();
  });
  return watched;
}

Deno.test("bodies: a body is late if 80 KiB do not arrive in 10 ticks; without a token it is late after 10 ticks", async () => {
  const tickMs = 20;
  const room = createBodyRoom({ tickMs });
  const [still, slow, stalls, fast, stranger] = [true, true, true, true, false].map((
    hasToken,
  ) => watch(room, hasToken));
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
