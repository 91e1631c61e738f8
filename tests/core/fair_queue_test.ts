import assert from "node:assert/strict";
import { FairQueue } from "../../src/core/fair_queue.ts";

function queueOf(...items: string[]): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const item of items) queue.push(item.charAt(0), item);
  return queue;
}

function drain(queue: FairQueue<string>): string[] {
  return Array.from({ length: queue.size }, () => queue.shift() ?? "");
}

Deno.test("keys take turns, and the items of one key leave in the order in which they came", () => {
  const queue = queueOf("a1", "a2", "a3", "b1", "c1", "c2");
  assert.equal(queue.sizeOf("c"), 2);
  assert.deepEqual(drain(queue), ["a1", "b1", "c1", "a2", "c2", "a3"]);
  assert.equal(queue.shift(), undefined);
  assert.equal(queue.sizeOf("c"), 0);
});

Deno.test("what is put back comes first again, and before the rest of its key", () => {
  const queue = queueOf("a1", "a2", "a3", "a4");
  const taken = [queue.shift() ?? "", queue.shift() ?? "", queue.shift() ?? ""];
  queue.push("b", "b1");
  queue.putBack(new Map([["a", taken.slice(1)]]));
  assert.equal(queue.size, 4);
  assert.deepEqual(drain(queue), ["a2", "b1", "a3", "a4"]);
  queue.push("b", "b2");
  queue.push("c", "c3");
  queue.putBack(new Map([["c", ["c1", "c2"]], ["a", ["a5"]]]));
  assert.deepEqual(drain(queue), ["c1", "a5", "b2", "c2", "c3"]);
});

Deno.test("the oldest items of every key are taken as long as they meet a condition", () => {
  const queue = queueOf("a1", "a2", "b1", "b3", "b1", "c5");
  assert.deepEqual(queue.takeWhile((item) => Number(item.charAt(1)) < 3), ["a1", "a2", "b1"]);
  assert.equal(queue.size, 3);
  assert.deepEqual(drain(queue), ["b3", "c5", "b1"]);
});
