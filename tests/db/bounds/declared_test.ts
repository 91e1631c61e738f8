/** Every statement declares a bound of the rows that it scans, and no bound multiplies two unlimited inputs. */
import assert from "node:assert/strict";
import { collectStatements } from "../query_plans.ts";
import { evaluateBound, isRunaway, parseBound, sizesOf } from "./bound.ts";
import { boundOf, DECLARED, keyOfBound } from "./declared.ts";

/**
 * Bounds whose product is too large on its own, and what limits it all the same. A new entry names what the caller
 * pays.
 */
const LIMITED: ReadonlyMap<string, string> = new Map([
  ["evaluation_queries DECIDE", "a list of evaluations has a price, see `PRICE`"],
  ["left_queries ACCESS_LEFT", "20,000 roles are looked up"],
  ["device_listing_queries DEVICE_PAGES.id", "as many roles as `ROLES_AT_ONCE` says"],
  ["device_listing_queries ENDED_DEVICE_PAGES.id", "as many roles as `ROLES_AT_ONCE` says"],
  ["inverse_queries UNDO_CASCADE", "the cost of a restore counts them, see `costedRestore`"],
  ["trash_queries RESTORE_DEVICES", "the cost of a restore counts them, see `costedRestore`"],
  ["device_listing_queries MONITORS_PAGES.device", "2,000 rows are judged (`JUDGED_ROWS`)"],
]);

Deno.test("every statement has a declared bound, and every declared bound has a statement", async () => {
  const names = (await collectStatements()).map(({ name }) => name);
  assert.deepEqual(names.filter((name) => keyOfBound(name) === undefined), []);
  const used = new Set(names.map(keyOfBound));
  assert.deepEqual(Object.keys(DECLARED).filter((key) => !used.has(key)), []);
});

Deno.test("a bound that multiplies two inputs to more than a statement may scan names what limits them", () => {
  const runaways = Object.keys(DECLARED).filter((key) => boundOf(key).some(isRunaway));
  assert.deepEqual(runaways.filter((key) => !LIMITED.has(key)), []);
  assert.deepEqual([...LIMITED.keys()].filter((key) => !runaways.includes(key)), []);
});

Deno.test("a statement has the bound of the longest matching beginning of its name", () => {
  assert.equal(keyOfBound("role_queries PROBE_RIGHT.user"), "role_queries PROBE_RIGHT");
  assert.equal(keyOfBound("role_queries PROBE_RIGHTS"), "role_queries PROBE_RIGHTS");
  assert.equal(keyOfBound("role_queries SESSION_LIVES"), "role_queries");
  assert.equal(keyOfBound("unknown_queries SESSION_LIVES"), undefined);
  assert.throws(() => boundOf("unknown_queries SESSION_LIVES"), TypeError);
});

Deno.test("a bound is a sum of rows for each combination of its inputs", () => {
  const terms = parseBound("20 + 3 list + 2 list x few");
  assert.deepEqual(terms, [
    { rows: 20, factors: [] },
    { rows: 3, factors: ["list"] },
    { rows: 2, factors: ["list", "few"] },
  ]);
  assert.equal(evaluateBound(terms, sizesOf({ list: 10, memberships: 5 })), 20 + 30 + 100);
  assert.equal(evaluateBound(terms, sizesOf({ list: 10, memberships: 500 })), 20 + 30 + 640);
  for (const wrong of ["", "list", "3 lists", "3 list few", "3 list x", "2  list", "1 + "]) {
    assert.throws(() => parseBound(wrong), SyntaxError, wrong);
  }
});

Deno.test("a bound may multiply two limited inputs, but none that grows with the stored data", () => {
  const products = ["1 list x few", "1 list x shorter", "1 ancestors x few", "1 shorter", "1 monitors x few"];
  assert.deepEqual(products.filter((formula) => parseBound(formula).some(isRunaway)), [
    "1 list x shorter",
    "1 ancestors x few",
  ]);
});
