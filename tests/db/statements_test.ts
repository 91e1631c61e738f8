/** `deno task statements` finds faults of statements, compares their programs, and lays them out. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { defineStatement } from "../helpers/text_statement.ts";
import { compile, differences } from "./statements.ts";
import { layOut } from "./sql_layout.ts";

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

Deno.test("the layout of a statement does not depend on the line breaks of its source", () => {
  const laidOut = layOut(
    `SELECT id FROM member WHERE role_id = :roleId AND (:ids IS NULL OR id IN (SELECT value
    FROM json_each(:ids)) OR created_at BETWEEN :from AND :to OR CASE kind WHEN 'a' THEN true END) AND note <> 'a  (b' ORDER BY id`,
  );
  assert.equal(
    laidOut,
    `SELECT id
FROM member
WHERE role_id = :roleId
  AND (
    :ids IS NULL
    OR id IN (SELECT value FROM json_each(:ids))
    OR created_at BETWEEN :from AND :to
    OR CASE kind WHEN 'a' THEN true END
  )
  AND note <> 'a  (b'
ORDER BY id
`,
  );
  assert.equal(layOut(laidOut), laidOut);
});
