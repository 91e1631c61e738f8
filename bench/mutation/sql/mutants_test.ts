/** Mutants of a module's statements: where they apply, and which are none. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { defineStatement } from "../../../tests/helpers/text_statement.ts";
import { findMutants, prepare } from "./mutants.ts";
import { replacing } from "./project_copy.ts";

function mutantsOf(texts: Readonly<Record<string, string>>): ReturnType<typeof findMutants> {
  return findMutants(
    Object.entries(texts).map(([name, sql]) => ({ name, statement: defineStatement(sql) })),
  );
}

Deno.test("a condition is left out of all statements of its module, and of no other module", () => {
  const mutants = mutantsOf({
    "role_queries NAME": "SELECT name FROM role WHERE id = 1",
    "role_queries COUNT": "SELECT 1 FROM role WHERE id =\n1",
    "key_queries COUNT": "SELECT 1 FROM role_key WHERE id = 1",
  });
  assert.deepEqual(mutants.map(({ module, name, statements }) => [module, name, statements]), [
    ["key_queries", "id = 1 → true", ["key_queries COUNT"]],
    ["role_queries", "id = 1 → true", ["role_queries COUNT", "role_queries NAME"]],
  ]);
  assert.deepEqual([...mutants[1]?.texts ?? []], [
    ["SELECT 1 FROM role WHERE id =\n1", "SELECT 1 FROM role WHERE true"],
    ["SELECT name FROM role WHERE id = 1", "SELECT name FROM role WHERE true"],
  ]);
});

Deno.test("a text shared by two modules belongs to the first, and long conditions have distinct names", () => {
  const sql = (end: string): string => `SELECT 1 FROM role WHERE name = '${"long".repeat(100)}${end}'`;
  const mutants = mutantsOf({ "b_queries X": sql("1"), "a_queries X": sql("1"), "a_queries Y": sql("2") });
  assert.deepEqual(mutants.map(({ module }) => module), ["a_queries", "a_queries"]);
  assert.notEqual(mutants[0]?.name, mutants[1]?.name);
});

Deno.test("a mutant that is not SQL is invalid, and one that compiles to the same program is equivalent", () => {
  using schema = new DatabaseSync(":memory:");
  schema.exec(
    "CREATE TABLE role (id INTEGER PRIMARY KEY, name TEXT); CREATE UNIQUE INDEX i ON role (name) WHERE id <> 0",
  );
  const kinds = mutantsOf({
    "role_queries A": "INSERT INTO role (name) VALUES ('a') ON CONFLICT (name) WHERE id <> 0 DO NOTHING",
    "role_queries B": "SELECT id FROM role WHERE 1",
    "role_queries C": "SELECT id FROM role WHERE id <> 1",
  }).map((mutant) => [mutant.condition, prepare(mutant, schema).kind]);
  assert.deepEqual(kinds, [
    ["id <> 0", "invalid"],
    ["WHERE id <> 0", "invalid"],
    ["1", "same program"],
    ["id <> 1", "different"],
  ]);
});

Deno.test("a copy of the project replaces statements where they are bound", async () => {
  const text = await Deno.readTextFile(new URL("../../../src/db/statement.ts", import.meta.url));
  assert.match(
    replacing(text),
    /\nexport function bindNamed.*\n\s*const wrong = replacedText\(statement\.sql\);\n/,
  );
});
