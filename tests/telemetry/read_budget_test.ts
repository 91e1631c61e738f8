/** What a call may return and scan, and what it is charged for. */
import assert from "node:assert/strict";
import {
  createReadBudget,
  MAX_RETURNED_CHARACTERS,
  MAX_RETURNED_POINTS,
  MAX_SCANNED,
  SCANNED_PER_POINT,
} from "../../src/telemetry/read_budget.ts";

Deno.test("a call returns exactly as many points and characters as allowed", () => {
  const budget = createReadBudget();
  budget.keep(MAX_RETURNED_POINTS - 1, MAX_RETURNED_CHARACTERS - 1);
  budget.keep(1, 1);
  const message =
    "The queries would return more than 100000 points, or 32 MiB of text: query shorter time ranges, " +
    "wider windows or fewer columns";
  assert.throws(() => budget.keep(1, 0), { code: "TOO_MUCH_TELEMETRY", message });
  const other = createReadBudget();
  assert.throws(() => other.keep(0, MAX_RETURNED_CHARACTERS + 1), { code: "TOO_MUCH_TELEMETRY", message });
});

Deno.test("dropped rows free their budget and are not charged", () => {
  const budget = createReadBudget();
  budget.keep(MAX_RETURNED_POINTS, MAX_RETURNED_CHARACTERS);
  budget.keep(-MAX_RETURNED_POINTS, -MAX_RETURNED_CHARACTERS);
  budget.keep(7, 1);
  assert.equal(budget.points, 7);
});

Deno.test("a call scans exactly as many values as allowed", () => {
  const budget = createReadBudget();
  budget.scan(MAX_SCANNED);
  assert.throws(() => budget.scan(1), {
    code: "TOO_MUCH_TELEMETRY",
    message:
      "The queries would scan more than 20000000 values (a point counts as several, and so do tag sets and columns): " +
      "query shorter time ranges or fewer columns",
  });
});

Deno.test("a call is charged for its points or its scanning, whichever costs more", () => {
  const budget = createReadBudget();
  assert.equal(budget.points, 0);
  budget.scan(1);
  assert.equal(budget.points, 1);
  budget.scan(5000 * SCANNED_PER_POINT - 1);
  assert.equal(budget.points, 5000);
  budget.keep(5000, 1);
  assert.equal(budget.points, 5000);
  budget.keep(1, 1);
  assert.equal(budget.points, 5001);
  assert.throws(() => budget.scan(MAX_SCANNED));
  assert.equal(budget.points, MAX_SCANNED / SCANNED_PER_POINT + 5000);
});

Deno.test("an engine that reports no scanning is charged by time", () => {
  const budget = createReadBudget();
  budget.wait(10_000);
  assert.equal(budget.points, 1_000_000);
});
