import assert from "node:assert/strict";
import { AskerQueue } from "../../src/core/asker_queue.ts";
import { FairQueue } from "../../src/core/fair_queue.ts";

function queueOf(...items: string[]): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const item of items) queue.push(item.charAt(0), item);
  return queue;
}

function drain(queue: FairQueue<string>): string[] {
  return Array.from({ length: queue.size }, () => queue.shift() ?? "");
}

Deno.test("keys take turns, and the items of one key leave in their order of arrival", () => {
  const queue = queueOf("a1", "a2", "a3", "b1", "c1", "c2");
  assert.equal(queue.sizeOf("c"), 2);
  assert.deepEqual(drain(queue), ["a1", "b1", "c1", "a2", "c2", "a3"]);
  assert.equal(queue.shift(), undefined);
  assert.equal(queue.sizeOf("c"), 0);
});

Deno.test("keys that may not leave keep their turn", () => {
  const queue = queueOf("a1", "b1", "b2", "c1");
  assert.equal(queue.shift((key) => key !== "a"), "b1");
  assert.equal(queue.shift(() => false), undefined);
  assert.deepEqual(drain(queue), ["a1", "c1", "b2"]);
});

Deno.test("an item that is removed leaves the others in their order", () => {
  const queue = queueOf("a1", "a2", "a3", "b1");
  queue.remove("a", "a2");
  queue.remove("b", "b1");
  assert.deepEqual([queue.size, queue.sizeOf("a"), queue.sizeOf("b")], [2, 2, 0]);
  assert.deepEqual(drain(queue), ["a1", "a3"]);
});

Deno.test("items that are put back have the next turn, before the rest of their key", () => {
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

Deno.test("takeWhile takes the oldest items of every key as long as they meet the condition", () => {
  const queue = queueOf("a1", "a2", "b1", "b3", "b1", "c5");
  assert.deepEqual(queue.takeWhile((item) => Number(item.charAt(1)) < 3), ["a1", "a2", "b1"]);
  assert.equal(queue.size, 3);
  assert.deepEqual(drain(queue), ["b3", "c5", "b1"]);
});

Deno.test("popLongest takes the last item of the longest key, if that key has enough items", () => {
  const queue = queueOf("a1", "b1", "b2", "b3", "c1", "c2");
  assert.equal(queue.popLongest(4), undefined);
  assert.deepEqual([queue.popLongest(3), queue.popLongest(2), queue.popLongest(2)], ["b3", "b2", "c2"]);
  assert.equal(queue.popLongest(0), undefined, "the only one of a key stays");
  assert.deepEqual(drain(queue), ["a1", "b1", "c1"]);
});

interface Item {
  readonly asker: string;
  readonly isStranger: boolean;
  readonly name: string;
}

/** Names in capitals are those of strangers. */
function askersOf(...names: string[]): Item[] {
  return names.map((name) => ({ asker: name.charAt(0), isStranger: /[A-Z]/.test(name), name }));
}

function drainAskers(queue: AskerQueue<Item>): string {
  return Array.from({ length: queue.size }, () => queue.shift()?.name).join(" ");
}

Deno.test("while users wait, all strangers together have every fourth turn", () => {
  const queue = new AskerQueue<Item>();
  for (const item of askersOf("A1", "B1", "C1", "D1", "a1", "a2", "a3", "a4", "b1")) queue.push(item);
  assert.deepEqual([queue.size, queue.strangers], [9, 4]);
  assert.equal(drainAskers(queue), "a1 b1 a2 A1 a3 a4 B1 C1 D1");
});

Deno.test("items that are put back have the next turn, among users and among strangers", () => {
  const queue = new AskerQueue<Item>();
  for (const item of askersOf("A2", "a2", "b1")) queue.push(item);
  queue.putBack(askersOf("a1", "A1"));
  assert.equal(queue.sizeOf({ asker: "A", isStranger: true }), 2);
  assert.equal(queue.sizeOf({ asker: "A", isStranger: false }), 0);
  assert.deepEqual(queue.takeWhile(({ name }) => name.endsWith("1")).map(({ name }) => name), [
    "a1",
    "b1",
    "A1",
  ]);
  assert.equal(drainAskers(queue), "a2 A2");
});

Deno.test("a stranger's latest item yields to a network with fewer items, never to its own", () => {
  const queue = new AskerQueue<Item>();
  for (const item of askersOf("A1", "A2", "A3", "B1", "a1", "a2", "a3", "a4")) queue.push(item);
  const [ownA, ownB, ownC] = ["A", "B", "C"].map((asker) => ({ asker, isStranger: true }));
  assert.ok(ownA && ownB && ownC);
  assert.equal(queue.yieldToStranger(ownA), undefined);
  assert.equal(queue.yieldToStranger(ownB)?.name, "A3");
  assert.equal(queue.yieldToStranger(ownB), undefined);
  assert.equal(queue.yieldToStranger(ownC)?.name, "A2");
  assert.equal(queue.yieldToStranger(ownC), undefined);
});

Deno.test("the busiest asker's latest item yields to one with fewer, a user's only while users have more than strangers", () => {
  const queue = new AskerQueue<Item>();
  for (const item of askersOf("a1", "a2", "a3", "a4", "b1", "A1", "A2")) queue.push(item);
  const [user, stranger] = [{ asker: "c", isStranger: false }, { asker: "C", isStranger: true }];
  assert.equal(queue.yieldTo({ asker: "a", isStranger: false }), undefined);
  assert.equal(queue.yieldTo(stranger)?.name, "a4");
  assert.equal(queue.yieldTo(user)?.name, "a3");
  for (const item of askersOf("B1")) queue.push(item);
  assert.equal(queue.yieldTo(stranger)?.name, "A2");
  assert.ok(queue.canYieldTo(user));
  assert.equal(queue.yieldTo(user)?.name, "a2");
  assert.ok(!queue.canYieldTo(user));
  assert.equal(queue.yieldTo(user), undefined);
});
