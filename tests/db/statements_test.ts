import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { defineStatement } from "../helpers/text_statement.ts";
import { compile, differences } from "./statements.ts";

function programs(sql: string): ReturnType<typeof compile> {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE role (id INTEGER PRIMARY KEY, name TEXT)");
  return compile([{ name: "READ", statement: defineStatement(sql) }], database);
}

Deno.test("an unknown column is a fault", () => {
  assert.deepEqual(programs("SELECT nmae FROM role").faults, ["READ: no such column: nmae"]);
});

Deno.test("two columns of one name, and one that rows have already, are faults", () => {
  assert.deepEqual(programs("SELECT id, name, id FROM role").faults, ["READ: returns columns named id"]);
  assert.deepEqual(programs("SELECT id AS length FROM role").faults, ["READ: returns columns named length"]);
});

Deno.test("a statement with renamed rows counts as the same, and one with another condition does not", () => {
  const { programs: before } = programs("SELECT role.name FROM role WHERE role.id = :id");
  const renamed = programs("SELECT own.name FROM role own WHERE own.id = :id").programs;
  assert.deepEqual(differences(before, renamed), []);
  assert.match(
    differences(before, programs("SELECT name FROM role").programs).join(),
    /^READ: was ".+", is ".+"$/,
  );
  assert.deepEqual(differences(before, {}), ["READ: gone"]);
  assert.deepEqual(differences({}, before), ["READ: new"]);
});
