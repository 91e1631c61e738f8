/** Branches of callers share places in turns at every level, and the larger one gives way. */
import assert from "node:assert/strict";
import { AppError } from "../../src/core/errors.ts";
import { type Held, Shares, type SharesOptions } from "../../src/core/shares.ts";
import { asCaller, asStranger } from "../helpers/callers.ts";
import { createRandom } from "../helpers/random_numbers.ts";
import { SEQUENCES } from "../helpers/read_count.ts";

/** Tasks named by their chain and a number, which run until the test ends them, and the order in which they begin. */
class Tasks {
  readonly begun: string[] = [];
  readonly refused: string[] = [];
  readonly shares: Shares;
  readonly #ends = new Map<string, () => void>();

  constructor(options: SharesOptions) {
    this.shares = new Shares(options);
  }

  /** `1:2/3 a` is the task a of the chain `1:2/3`. */
  async run(name: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ends.set(name, resolve);
    const task = (): Promise<void> => {
      this.begun.push(name);
      return promise;
    };
    try {
      await asCaller(name.split(" ")[0] ?? "", () => this.shares.run(task));
    } catch (error) {
      assert.ok(isUnavailable(error), String(error));
      this.refused.push(name);
    }
  }

  /** Ends the running tasks one by one until none is left. Returns the names of those that began meanwhile. */
  async drain(): Promise<string[]> {
    const before = this.begun.length;
    await settle();
    for (let i = 0; i < this.begun.length; i++) {
      this.end(this.begun[i] ?? "");
      await settle();
    }
    return this.begun.slice(before);
  }

  end(name: string): void {
    this.#ends.get(name)?.();
    this.#ends.delete(name);
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === "UNAVAILABLE" && error.retryAfterSeconds === 1;
}

/** Lets everything run that is ready to. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

Deno.test("no more run at once than there are places, and the next begins when one ends", async () => {
  const tasks = new Tasks({ size: 2, waiting: 9 });
  const runs = ["1 a", "1 b", "1 c", "1 d"].map((name) => tasks.run(name));
  assert.deepEqual(tasks.begun, ["1 a", "1 b"]);
  tasks.end("1 b");
  await settle();
  assert.deepEqual(tasks.begun, ["1 a", "1 b", "1 c"]);
  await tasks.drain();
  await Promise.all(runs);
  assert.deepEqual(tasks.begun, ["1 a", "1 b", "1 c", "1 d"]);
});

Deno.test("branches take turns at every level: whom a caller brings has no turns beside theirs", async () => {
  const tasks = new Tasks({ size: 1, waiting: 99 });
  const names = ["5/m a", "5/m/x a", "5/m/y a", "5/m/y/z a", "5/m b", "5/i a", "5/i b", "7 a", "7 b", "7 c"];
  const runs = names.map((name) => tasks.run(name));
  assert.deepEqual(await tasks.drain(), [
    "5/m/x a",
    "7 a",
    "5/i a",
    "7 b",
    "5/m/y a",
    "7 c",
    "5/i b",
    "5/m b",
    "5/m/y/z a",
  ]);
  await Promise.all(runs);
});

Deno.test("a newcomer does not take the place of one that waits", async () => {
  const tasks = new Tasks({ size: 1, waiting: 9 });
  const runs = [tasks.run("1 a"), tasks.run("1 b")];
  tasks.end("1 a");
  runs.push(tasks.run("2 c"));
  assert.deepEqual(await tasks.drain(), ["1 b", "2 c"]);
  await Promise.all(runs);
});

Deno.test("a task that fails or throws frees its place and passes its error on", async () => {
  const shares = new Shares({ size: 1 });
  await assert.rejects(shares.run(() => Promise.reject(new RangeError("later"))), RangeError);
  await assert.rejects(
    shares.run(() => {
      throw new RangeError("at once");
    }),
    RangeError,
  );
  assert.equal(await shares.run(() => Promise.resolve("free")), "free");
});

Deno.test("where too many wait, the larger branch gives way with its newest, where the two part", async () => {
  const tasks = new Tasks({ size: 1, waiting: 6 });
  const names = ["9 x", "5/m a", "5/m/x a", "5/m/y a", "5/m/y b", "5/i a", "7 a"];
  const runs = names.map((name) => tasks.run(name));
  // 5 has five, 7 has one: 5 gives way, in it m, in that y.
  runs.push(tasks.run("8 a"));
  await settle();
  assert.deepEqual(tasks.refused, ["5/m/y b"]);
  // The sides are as equal as they can be, but within 5, m has three and i one.
  runs.push(tasks.run("5/i b"));
  await settle();
  assert.equal(tasks.refused.length, 2);
  assert.match(tasks.refused[1] ?? "", /^5\/m/);
  // Now both have two.
  runs.push(tasks.run("5/i c"), tasks.run("5/m b"));
  await settle();
  assert.deepEqual(tasks.refused.slice(2), ["5/i c", "5/m b"]);
  await tasks.drain();
  await Promise.all(runs);
});

Deno.test("ten thousand branches with one each leave no room for another, and refuse it without a comparison", () => {
  const shares = new Shares({ size: 1, waiting: 10_000 });
  for (let i = 0; i <= 10_000; i++) {
    const taken = asStranger(`network ${i}`, () => shares.take());
    if (taken instanceof Promise) taken.catch(() => {});
  }
  assert.throws(() => asStranger("another", () => shares.take()), isUnavailable);
  assert.equal(asStranger("another", () => shares.hasRoom()), false);
  // To another branch at the top, all strangers are one.
  assert.equal(asCaller("5", () => shares.hasRoom()), true);
});

Deno.test("a taker whose turn does not come in time is refused, even while others run on", async () => {
  const shares = new Shares({ size: 1, waiting: 9, timeoutMs: 20 });
  const held = shares.takeNow(1);
  await assert.rejects(async () => await shares.take(), (error: AppError) => {
    assert.match(String((error.cause as Error).message), /did not come within 20 ms/);
    return isUnavailable(error);
  });
  const next = shares.run((deadline) => Promise.resolve(deadline));
  const before = performance.now();
  held.release();
  assert.ok(await next <= before + 20);
});

Deno.test("what is held for long leaves room for another branch at every level", () => {
  const shares = new Shares({ size: 64, leavesRoom: true });
  const fill = (chain: string): number => {
    for (let i = 0;; i++) {
      try {
        asCaller(chain, () => shares.takeNow(1));
      } catch {
        return i;
      }
    }
  };
  // The chain of the first has three levels.
  assert.equal(fill("5/m"), 16);
  assert.deepEqual(["5/i", "7", "8", "9"].map(fill), [8, 14, 9, 6]);
  assert.ok(fill("10") > 0);
});

Deno.test("something large is held while the branch has nothing else, and what grows counts once", () => {
  const shares = new Shares({ size: 64, leavesRoom: true });
  const first = asCaller("5/m", () => shares.takeNow(1));
  first.grow(39);
  assert.throws(() => asCaller("5/m", () => shares.takeNow(1)), isUnavailable);
  first.release();
  first.release();
  assert.equal(shares.free, 64);
  asCaller("5/m", () => shares.takeNow(40)).release();
});

Deno.test("tasks of a branch that holds all it may let others pass", async () => {
  const tasks = new Tasks({ size: 4, waiting: 9, leavesRoom: true });
  const runs = ["1 a", "1 b", "1 c", "1 d", "2 a", "3 a", "2 b"].map((name) => tasks.run(name));
  await settle();
  assert.deepEqual(tasks.begun, ["1 a", "1 b", "2 a", "3 a"]);
  tasks.end("3 a");
  await settle();
  assert.deepEqual(tasks.begun.slice(4), [], "the last place waits for a branch that holds less");
  await tasks.drain();
  await Promise.all(runs);
  assert.equal(tasks.begun.length, 7);
});

Deno.test("a branch that owes thread time waits for those that owe none, at every level", async () => {
  const tasks = new Tasks({ size: 1, waiting: 9 });
  asCaller("5/m", () => tasks.shares.takeNow(1)).release(10_000);
  const runs = ["9 x", "5/m a", "5/i a", "5/i b", "7 a", "7 b"].map((name) => tasks.run(name));
  assert.deepEqual(await tasks.drain(), ["7 a", "7 b", "5/i a", "5/i b", "5/m a"]);
  await Promise.all(runs);
});

Deno.test("a place that is put back unused is the next of its branch, after the turns of others", async () => {
  const shares = new Shares({ size: 1, waiting: 9 });
  const order: string[] = [];
  const take = (chain: string, name: string): void => {
    const taken = asCaller(chain, () => shares.take());
    const note = (held: Held): void => {
      order.push(name);
      if (name !== "first" || order.length > 1) return held.release();
      held.putBack().then(note);
      shares.takeNow(1).release();
    };
    if (taken instanceof Promise) taken.then(note);
    else queueMicrotask(() => note(taken));
  };
  for (const [chain, name] of [["1", "first"], ["1", "second"], ["2", "other"]] as const) take(chain, name);
  await settle();
  assert.deepEqual(order, ["first", "first", "other", "second"]);
});

Deno.test("closing, even twice, waits for all that was taken and refuses more", async () => {
  const shares = new Shares({ size: 1, waiting: 9 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const events: string[] = [];
  const running = shares.run(() => promise);
  const waiting = shares.run(() => Promise.resolve(events.push("ran")));
  const closing = Promise.all([shares.close(), shares.close()]).then(() => events.push("closed"));
  await assert.rejects(shares.run(() => Promise.resolve()), isUnavailable);
  resolve();
  await Promise.all([running, waiting, closing]);
  assert.deepEqual(events, ["ran", "closed"]);
});

Deno.test("in any history, all get a turn or a refusal, and no branch begins twice while a sibling waits", async () => {
  for (let seed = 0; seed < SEQUENCES; seed++) {
    const random = createRandom(seed);
    const tasks = new Tasks({ size: 2, waiting: 12, leavesRoom: random() < 0.3 });
    const names: string[] = [];
    const runs: Promise<void>[] = [];
    const chainOf = (): string =>
      Array.from({ length: 1 + Math.floor(random() * 3) }, () => Math.floor(random() * 3)).join("/");
    for (let step = 0; step < 60; step++) {
      if (random() < 0.7) {
        const name = `${chainOf()} ${step}`;
        names.push(name);
        runs.push(tasks.run(name));
      } else {
        const running = tasks.begun.at(-1 - Math.floor(random() * 2));
        if (running !== undefined) tasks.end(running);
        await settle();
      }
    }
    await tasks.drain();
    await Promise.all(runs);
    assert.deepEqual([...tasks.begun, ...tasks.refused].toSorted(), names.toSorted(), `seed ${seed}`);
    assert.equal(tasks.shares.free, 2);
  }
});
