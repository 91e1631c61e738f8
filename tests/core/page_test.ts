/** A page holds as many items as fit, and at least one. */
import assert from "node:assert/strict";
import { firstItems, PAGE_BYTES } from "../../src/core/page.ts";

function assertFirst(items: readonly unknown[], count: number): void {
  const first = firstItems(items);
  assert.equal(first.count, count);
  assert.equal(`[${first.json}]`, JSON.stringify(items.slice(0, count)));
  assert.equal(first.bytes > PAGE_BYTES, count === 1 && JSON.stringify(items[0]).length > PAGE_BYTES);
}

Deno.test("the first items of a list are all if they fit, else those that do, and at least one", () => {
  const [short, half, long] = [1, PAGE_BYTES / 2, 2 * PAGE_BYTES].map((length) => "x".repeat(length));
  assertFirst([], 0);
  assertFirst([short, short, short], 3);
  assertFirst([short, half, half], 2);
  assertFirst([half, short, half], 2);
  assertFirst([long, short], 1);
  assertFirst([short, long], 1);
  // Characters are fewer than bytes.
  assertFirst(Array.from({ length: 3 }, () => "€".repeat(PAGE_BYTES / 8)), 2);
});
