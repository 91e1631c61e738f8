/** The conditions of a statement that a mutant leaves out. */
import assert from "node:assert/strict";
import { findConditions, leaveOut } from "./conditions.ts";

/** Each mutant of a statement as its condition and the whole wrong text. */
function mutantsOf(sql: string): [condition: string, wrong: string][] {
  return findConditions(sql).map((condition) => [condition.text, leaveOut(sql, [condition])]);
}

Deno.test("each operand of an AND can be left out", () => {
  assert.deepEqual(
    mutantsOf("SELECT 1 FROM role WHERE id = :id AND NOT is_root AND name\n  IN ('a AND b', 'c')"),
    [
      ["id = :id", "SELECT 1 FROM role WHERE true AND NOT is_root AND name\n  IN ('a AND b', 'c')"],
      ["NOT is_root", "SELECT 1 FROM role WHERE id = :id AND true AND name\n  IN ('a AND b', 'c')"],
      ["name IN ('a AND b', 'c')", "SELECT 1 FROM role WHERE id = :id AND NOT is_root AND true"],
    ],
  );
});

Deno.test("the only condition of a WHERE, ON, HAVING or FILTER can be left out", () => {
  assert.deepEqual(
    mutantsOf("SELECT count(*) FILTER (WHERE a = 1) FROM x JOIN y ON x.id = y.id GROUP BY z HAVING z = 0")
      .map(
        ([condition]) => condition,
      ),
    ["x.id = y.id", "z = 0", "a = 1"],
  );
  assert.deepEqual(mutantsOf("DELETE FROM x WHERE id = 1"), [
    ["id = 1", "DELETE FROM x WHERE true"],
    ["WHERE id = 1", "DELETE FROM x WHERE false"],
  ]);
  assert.deepEqual(mutantsOf("INSERT INTO x SELECT 1 WHERE true ON CONFLICT (id) DO NOTHING"), [
    ["WHERE true", "INSERT INTO x SELECT 1 WHERE false ON CONFLICT (id) DO NOTHING"],
  ]);
});

Deno.test("an OR loses one alternative, and each alternative loses its operands", () => {
  assert.deepEqual(mutantsOf("SELECT 1 WHERE (a OR b AND c)"), [
    ["(a OR b AND c)", "SELECT 1 WHERE true"],
    ["a", "SELECT 1 WHERE (false OR b AND c)"],
    ["b AND c", "SELECT 1 WHERE (a OR false)"],
    ["b", "SELECT 1 WHERE (a OR true AND c)"],
    ["c", "SELECT 1 WHERE (a OR b AND true)"],
  ]);
});

Deno.test("a mask loses each of its parts", () => {
  assert.deepEqual(mutantsOf("SELECT max(a & ~b.c & 2), d >> 3 & 1"), [
    ["a & ~b.c & 2", "SELECT max(~b.c & 2), d >> 3 & 1"],
    ["a & ~b.c & 2", "SELECT max(a & 2), d >> 3 & 1"],
    ["a & ~b.c & 2", "SELECT max(a & ~b.c), d >> 3 & 1"],
  ]);
  assert.deepEqual(mutantsOf("SELECT coalesce(a, 0) & (b)").map(([, wrong]) => wrong), [
    "SELECT (b)",
    "SELECT coalesce(a, 0)",
  ]);
});

Deno.test("the AND of a BETWEEN does not separate conditions", () => {
  assert.deepEqual(mutantsOf("SELECT 1 WHERE at BETWEEN :from AND :to AND id = 0"), [
    ["at BETWEEN :from AND :to", "SELECT 1 WHERE true AND id = 0"],
    ["id = 0", "SELECT 1 WHERE at BETWEEN :from AND :to AND true"],
  ]);
});

Deno.test("a branch of a CASE or the first value of iif is never taken", () => {
  assert.deepEqual(mutantsOf("SELECT CASE WHEN a THEN 1 WHEN b = 2 THEN 2 ELSE 3 END, iif(c, 4, 5)"), [
    ["WHEN a", "SELECT CASE WHEN false THEN 1 WHEN b = 2 THEN 2 ELSE 3 END, iif(c, 4, 5)"],
    ["WHEN b = 2", "SELECT CASE WHEN a THEN 1 WHEN false THEN 2 ELSE 3 END, iif(c, 4, 5)"],
    ["WHEN c", "SELECT CASE WHEN a THEN 1 WHEN b = 2 THEN 2 ELSE 3 END, iif(false, 4, 5)"],
  ]);
  assert.deepEqual(mutantsOf("SELECT CASE kind WHEN 'a' THEN 1 END"), [
    ["WHEN 'a'", "SELECT CASE kind WHEN NULL THEN 1 END"],
  ]);
});

Deno.test("a comparison gains or loses the value at its boundary", () => {
  assert.deepEqual(mutantsOf("SELECT a >> 2, b -> 'c', d <> e, f <= 1 FROM x").map(([, wrong]) => wrong), [
    "SELECT a >> 2, b -> 'c', d <> e, f < 1 FROM x",
  ]);
  assert.deepEqual(mutantsOf("SELECT 1 WHERE a < 1 OR b >= :now"), [
    ["a < 1", "SELECT 1 WHERE false OR b >= :now"],
    ["b >= :now", "SELECT 1 WHERE a < 1 OR false"],
    ["a < 1", "SELECT 1 WHERE a <= 1 OR b >= :now"],
    ["b >= :now", "SELECT 1 WHERE a < 1 OR b > :now"],
  ]);
});

Deno.test("each term of an order turns, and the size of a page is no limit", () => {
  assert.deepEqual(mutantsOf("SELECT 1 ORDER BY a, max(b, c) DESC LIMIT +:limit OFFSET 2"), [
    ["LIMIT +:limit", "SELECT 1 ORDER BY a, max(b, c) DESC LIMIT -1 OFFSET 2"],
    ["ORDER BY a", "SELECT 1 ORDER BY a DESC, max(b, c) DESC LIMIT +:limit OFFSET 2"],
    ["ORDER BY max(b, c)", "SELECT 1 ORDER BY a, max(b, c) LIMIT +:limit OFFSET 2"],
  ]);
  assert.deepEqual(mutantsOf("SELECT a, b GROUP BY c LIMIT 1"), []);
});

Deno.test("conditions in subqueries, lists and sets are found, in upper and lower case", () => {
  assert.deepEqual(
    mutantsOf(
      'update or ignore x set a = not exists (select 1 from "or" where "or"."id" = 1 and "b"), c = d and e',
    ).map(
      ([condition]) => condition,
    ),
    ["d", "e", '"or"."id" = 1', '"b"'],
  );
});

Deno.test("a statement with unbalanced parentheses is refused", () => {
  assert.throws(() => findConditions("SELECT (CASE WHEN a THEN 1 )"), /A statement has no END/);
});
