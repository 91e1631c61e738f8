import assert from "node:assert/strict";
import { AppError } from "../../src/core/errors.ts";
import { FairLimiter } from "../../src/password/fair_limiter.ts";

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

/** Lets everything run that is ready to. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === "UNAVAILABLE" && error.retryAfterSeconds === 1;
}

Deno.test("no more tasks run at once than allowed, and the next starts when one ends", async () => {
  const tasks = new ManualTasks();
  const limiter = new FairLimiter({ running: 2, waiting: 9, perKey: 9 });
  const runs = ["a", "b", "c", "d"].map((name) => limiter.run(name, tasks.create(name)));
  await settle();
  assert.deepEqual(tasks.started, ["a", "b"]);
  tasks.end("b");
  await settle();
  assert.deepEqual(tasks.started, ["a", "b", "c"]);
  for (const name of ["a", "c", "d"]) tasks.end(name);
  assert.deepEqual(await Promise.all(runs), ["a", "b", "c", "d"]);
});

Deno.test("beyond the queue a task is refused at once and never runs", async () => {
  const tasks = new ManualTasks();
  const limiter = new FairLimiter({ running: 1, waiting: 1, perKey: 9 });
  const runs = [limiter.run("a", tasks.create("a")), limiter.run("b", tasks.create("b"))];
  await assert.rejects(limiter.run("c", tasks.create("c")), isUnavailable);
  tasks.end("a");
  tasks.end("b");
  await Promise.all(runs);
  assert.deepEqual(tasks.started, ["a", "b"]);
});

Deno.test("one key cannot exceed its share, running and waiting counted together", async () => {
  const tasks = new ManualTasks();
  const limiter = new FairLimiter({ running: 2, waiting: 9, perKey: 3 });
  const runs = ["a1", "a2", "a3"].map((name) => limiter.run("a", tasks.create(name)));
  await assert.rejects(limiter.run("a", tasks.create("a4")), isUnavailable);
  runs.push(limiter.run("b", tasks.create("b1")));
  tasks.end("a1");
  await runs[0];
  runs.push(limiter.run("a", tasks.create("a5")));
  for (const name of ["a2", "a3", "a5", "b1"]) tasks.end(name);
  assert.deepEqual(await Promise.all(runs), ["a1", "a2", "a3", "b1", "a5"]);
});

Deno.test("keys that wait take turns, so that one with many tasks does not hold up the others", async () => {
  const tasks = new ManualTasks();
  const limiter = new FairLimiter({ running: 1, waiting: 9, perKey: 9 });
  const names = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"];
  const runs = names.map((name) => limiter.run(name.charAt(0), tasks.create(name)));
  for (const name of names) tasks.end(name);
  await Promise.all(runs);
  assert.deepEqual(tasks.started, ["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
});

Deno.test("a newcomer does not take the place that a waiting task was given", async () => {
  const tasks = new ManualTasks();
  const limiter = new FairLimiter({ running: 1, waiting: 9, perKey: 9 });
  const runs = [limiter.run("a", tasks.create("a")), limiter.run("b", tasks.create("b"))];
  tasks.end("a");
  runs.push((async () => {
    await runs[0];
    return await limiter.run("c", tasks.create("c"));
  })());
  await settle();
  assert.deepEqual(tasks.started, ["a", "b"]);
  tasks.end("b");
  tasks.end("c");
  await Promise.all(runs);
});

Deno.test("a task that fails gives its place back and passes its error on", async () => {
  const tasks = new ManualTasks();
  const limiter = new FairLimiter({ running: 1, waiting: 1, perKey: 1 });
  const failing = limiter.run("a", tasks.create("a"));
  const waiting = limiter.run("b", tasks.create("b"));
  tasks.fail("a");
  await assert.rejects(failing, RangeError);
  const again = limiter.run("a", () => Promise.resolve("again"));
  tasks.end("b");
  assert.deepEqual(await Promise.all([waiting, again]), ["b", "again"]);
});

Deno.test("a task that throws before it begins gives its place back as well", async () => {
  const limiter = new FairLimiter({ running: 1, waiting: 0, perKey: 1 });
  const thrower = (): Promise<string> => {
    throw new RangeError("at once");
  };
  await assert.rejects(limiter.run("a", thrower), RangeError);
  assert.equal(await limiter.run("a", () => Promise.resolve("free")), "free");
});
