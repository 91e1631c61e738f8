import assert from "node:assert/strict";
import { runForNetwork } from "../../src/core/asker.ts";
import { AppError } from "../../src/core/errors.ts";
import { createLimiter, type Limiter } from "../../src/core/limiter.ts";

/** Tasks that run until the test ends them, and the order in which they started. */
class ManualTasks {
  readonly started: string[] = [];
  readonly #ends = new Map<string, PromiseWithResolvers<string>>();

  create(name: string): () => Promise<string> {
    const end = Promise.withResolvers<string>();
    this.#ends.set(name, end);
    return () => {
      this.started.push(name);
      return end.promise;
    };
  }

  end(name: string): void {
    this.#ends.get(name)?.resolve(name);
  }

  fail(name: string): void {
    this.#ends.get(name)?.reject(new RangeError(name));
  }
}

/** A task that runs until it is told to end. */
function blockLimiter(limiter: Limiter): { release: () => void; ended: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { release: resolve, ended: limiter.run(() => promise) };
}

/** Lets everything run that is ready to. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === "UNAVAILABLE" && error.retryAfterSeconds === 1;
}

Deno.test("no more tasks run at once than allowed, and the next starts when one ends", async () => {
  const tasks = new ManualTasks();
  const limiter = createLimiter({ running: 2, waiting: 9, perKey: 9 });
  const runs = ["a", "b", "c", "d"].map((name) => limiter.run(tasks.create(name), name));
  await settle();
  assert.deepEqual(tasks.started, ["a", "b"]);
  tasks.end("b");
  await settle();
  assert.deepEqual(tasks.started, ["a", "b", "c"]);
  for (const name of ["a", "c", "d"]) tasks.end(name);
  assert.deepEqual(await Promise.all(runs), ["a", "b", "c", "d"]);
});

Deno.test("a task beyond the queue is refused at once and never runs", async () => {
  const tasks = new ManualTasks();
  const limiter = createLimiter({ running: 1, waiting: 1, perKey: 9 });
  const runs = [limiter.run(tasks.create("a"), "a"), limiter.run(tasks.create("b"), "b")];
  await assert.rejects(limiter.run(tasks.create("c"), "c"), isUnavailable);
  tasks.end("a");
  tasks.end("b");
  await Promise.all(runs);
  assert.deepEqual(tasks.started, ["a", "b"]);
});

Deno.test("a key cannot exceed its share of running and waiting tasks together", async () => {
  const tasks = new ManualTasks();
  const limiter = createLimiter({ running: 2, waiting: 9, perKey: 3 });
  const runs = ["a1", "a2", "a3"].map((name) => limiter.run(tasks.create(name), "a"));
  await assert.rejects(limiter.run(tasks.create("a4"), "a"), isUnavailable);
  runs.push(limiter.run(tasks.create("b1"), "b"));
  tasks.end("a1");
  await runs[0];
  runs.push(limiter.run(tasks.create("a5"), "a"));
  for (const name of ["a2", "a3", "a5", "b1"]) tasks.end(name);
  assert.deepEqual(await Promise.all(runs), ["a1", "a2", "a3", "b1", "a5"]);
});

Deno.test("a key runs up to its own limit at once, and leaves other slots to other keys", async () => {
  const tasks = new ManualTasks();
  const limiter = createLimiter({ running: 3, waiting: 9, runningPerKey: 2 });
  const names = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"];
  const runs = names.map((name) => limiter.run(tasks.create(name), name.charAt(0)));
  await settle();
  assert.deepEqual(tasks.started, ["a1", "a2", "b1"]);
  tasks.end("b1");
  await settle();
  assert.deepEqual(tasks.started.slice(3), ["b2"], "it is the turn of a, which runs two");
  tasks.end("a1");
  await settle();
  assert.deepEqual(tasks.started.slice(4), ["a3"]);
  tasks.end("b2");
  await settle();
  assert.deepEqual(tasks.started.slice(5), ["c1"]);
  tasks.end("c1");
  await settle();
  assert.equal(tasks.started.length, 6, "the last slot stays free");
  for (const name of ["a2", "a3", "a4"]) tasks.end(name);
  assert.deepEqual(await Promise.all(runs), names);
});

Deno.test("tasks that wait for their key alone count as waiting", async () => {
  const tasks = new ManualTasks();
  const limiter = createLimiter({ running: 3, waiting: 1, runningPerKey: 1 });
  const runs = ["a1", "a2"].map((name) => limiter.run(tasks.create(name), "a"));
  await assert.rejects(limiter.run(tasks.create("a3"), "a"), isUnavailable);
  runs.push(limiter.run(tasks.create("b1"), "b"));
  for (const name of ["a1", "a2", "b1"]) tasks.end(name);
  assert.deepEqual(await Promise.all(runs), ["a1", "a2", "b1"]);
});

Deno.test("tasks of several keys cannot exceed a common share", async () => {
  const tasks = new ManualTasks();
  const limiter = createLimiter({ running: 1, waiting: 9 });
  const shares = [{ name: "small", most: 2 }, { name: "large", most: 3 }];
  const runs = ["a", "b"].map((name) => limiter.run(tasks.create(name), name, shares));
  await assert.rejects(limiter.run(tasks.create("c"), "c", shares), isUnavailable);
  runs.push(limiter.run(tasks.create("d"), "d", shares.slice(1)));
  await assert.rejects(limiter.run(tasks.create("e"), "e", shares.slice(1)), isUnavailable);
  runs.push(limiter.run(tasks.create("f"), "f"));
  tasks.end("a");
  await runs[0];
  runs.push(limiter.run(tasks.create("g"), "g", shares));
  for (const name of ["b", "d", "f", "g"]) tasks.end(name);
  assert.equal((await Promise.all(runs)).length, 5);
});

Deno.test("waiting keys take turns, so that a key with many tasks does not delay the others", async () => {
  const tasks = new ManualTasks();
  const limiter = createLimiter({ running: 1, waiting: 9, perKey: 9 });
  const names = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"];
  const runs = names.map((name) => limiter.run(tasks.create(name), name.charAt(0)));
  for (const name of names) tasks.end(name);
  await Promise.all(runs);
  assert.deepEqual(tasks.started, ["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
});

Deno.test("a new task does not take the place of a waiting task", async () => {
  const tasks = new ManualTasks();
  const limiter = createLimiter({ running: 1, waiting: 9, perKey: 9 });
  const runs = [limiter.run(tasks.create("a"), "a"), limiter.run(tasks.create("b"), "b")];
  tasks.end("a");
  runs.push((async () => {
    await runs[0];
    return await limiter.run(tasks.create("c"), "c");
  })());
  await settle();
  assert.deepEqual(tasks.started, ["a", "b"]);
  tasks.end("b");
  tasks.end("c");
  await Promise.all(runs);
});

Deno.test("a task that fails frees its place and passes its error on", async () => {
  const tasks = new ManualTasks();
  const limiter = createLimiter({ running: 1, waiting: 1, perKey: 1 });
  const failing = limiter.run(tasks.create("a"), "a");
  const waiting = limiter.run(tasks.create("b"), "b");
  tasks.fail("a");
  await assert.rejects(failing, RangeError);
  const again = limiter.run(() => Promise.resolve("again"), "a");
  tasks.end("b");
  assert.deepEqual(await Promise.all([waiting, again]), ["b", "again"]);
});

Deno.test("a task that throws synchronously frees its place", async () => {
  const limiter = createLimiter({ running: 1, waiting: 0, perKey: 1 });
  const thrower = (): Promise<string> => {
    throw new RangeError("at once");
  };
  await assert.rejects(limiter.run(thrower, "a"), RangeError);
  assert.equal(await limiter.run(() => Promise.resolve("free"), "a"), "free");
});

Deno.test("tasks without keys run in the order of the calls", async () => {
  const limiter = createLimiter({ running: 1, waiting: 100 });
  const events: string[] = [];
  await Promise.all([1, 2, 3].map((i) =>
    limiter.run(async () => {
      events.push(`start ${i}`);
      await Promise.resolve();
      events.push(`end ${i}`);
    })
  ));
  assert.deepEqual(events, ["start 1", "end 1", "start 2", "end 2", "start 3", "end 3"]);
});

Deno.test("a task whose turn comes too late is refused, never runs and frees its place", async () => {
  const limiter = createLimiter({ running: 1, waiting: 1, perKey: 1, timeoutMs: -1 });
  let ran = false;
  for (const _ of [1, 2]) {
    await assert.rejects(limiter.run(() => Promise.resolve(ran = true)), (error) => {
      assert.ok(isUnavailable(error) && error instanceof Error && error.cause instanceof Error);
      assert.match(error.cause.message, /did not come within -1 ms/);
      return true;
    });
  }
  assert.equal(ran, false);
});

Deno.test("a task that has waited too long is refused while others still run, and leaves the queue", async () => {
  const tasks = new ManualTasks();
  const limiter = createLimiter({ running: 1, waiting: 1, perKey: 2, timeoutMs: 20, endsWaits: true });
  const running = limiter.run(tasks.create("a1"), "a");
  await assert.rejects(limiter.run(tasks.create("a2"), "a"), isUnavailable);
  const next = limiter.run(tasks.create("a3"), "a");
  tasks.end("a1");
  tasks.end("a3");
  assert.deepEqual(await Promise.all([running, next]), ["a1", "a3"]);
  assert.deepEqual(tasks.started, ["a1", "a3"]);
});

Deno.test("a task gets its deadline", async () => {
  const before = performance.now();
  const limiter = createLimiter({ running: 1, waiting: 1, timeoutMs: 60_000 });
  const deadline = await limiter.run((deadline) => Promise.resolve(deadline));
  assert.ok(deadline >= before + 60_000 && deadline <= performance.now() + 60_000);
});

Deno.test("closing, even twice, waits for accepted tasks and refuses later ones", async () => {
  const limiter = createLimiter({ running: 1, waiting: 10 });
  const blocker = blockLimiter(limiter);
  const events: string[] = [];
  const waiting = limiter.run(() => Promise.resolve(events.push("accepted task ran")));
  const closing = Promise.all([limiter.close(), limiter.close()]).then(() => events.push("closed"));
  await assert.rejects(limiter.run(() => Promise.resolve()), isUnavailable);
  blocker.release();
  await Promise.all([waiting, closing]);
  assert.deepEqual(events, ["accepted task ran", "closed"]);
});

Deno.test("strangers are refused while others may still wait", async () => {
  const limiter = createLimiter({ running: 1, waiting: 2, waitingForStrangers: 1 });
  const end = Promise.withResolvers<void>();
  const stranger = (): Promise<void> => runForNetwork("network", () => limiter.run(() => end.promise));
  const accepted = [stranger(), stranger()];
  await assert.rejects(stranger(), { code: "UNAVAILABLE" });
  accepted.push(limiter.run(() => end.promise));
  await assert.rejects(limiter.run(() => end.promise), { code: "UNAVAILABLE" });
  end.resolve();
  await Promise.all(accepted);
});

Deno.test("in a full queue the busiest key's latest task yields to the first task of another key", async () => {
  const tasks = new ManualTasks();
  const limiter = createLimiter({ running: 1, waiting: 4, perKey: 3 });
  const names = ["a1", "a2", "a3", "b1", "b2"];
  const [a1, a2, a3, b1, b2] = names.map((name) => limiter.run(tasks.create(name), name.slice(0, 1)));
  assert.ok(a3);
  const displaced = assert.rejects(a3, isUnavailable);
  assert.ok(limiter.hasRoom("c", []));
  const c1 = limiter.run(tasks.create("c1"), "c");
  await displaced;
  await assert.rejects(limiter.run(tasks.create("c2"), "c"), isUnavailable);
  for (const name of [...names, "c1"]) tasks.end(name);
  await Promise.all([a1, a2, b1, b2, c1]);
  assert.deepEqual(tasks.started.toSorted(), ["a1", "a2", "b1", "b2", "c1"]);
});
