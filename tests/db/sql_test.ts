/** Templates of SQL: how rows, columns and arguments are written, and which templates are refused. */
import assert from "node:assert/strict";
import { manages, member, role, roleClosure } from "../../src/db/schema/role.ts";
import {
  assigned,
  bare,
  columns,
  define,
  derived,
  inserted,
  int,
  join,
  nullable,
  placeholdersOf,
  quoted,
  render,
  row,
  rows,
  rowsOf,
  type SQL,
  sql,
  takenOver,
  text,
  type Value,
} from "../../src/db/sql.ts";
import { bind, bindBatch, type RowOf } from "../../src/db/statement.ts";

function reaches(role: Value): SQL {
  const path = row(roleClosure, "path");
  return sql`EXISTS (SELECT 1 FROM ${path} WHERE ${path.descendantId} = ${role})`;
}

Deno.test("tables, columns and arguments are written without quotes, and numbers as they are", () => {
  const { roleId } = placeholdersOf({ roleId: int });
  const relation = row(manages, "relation");
  assert.equal(
    render(
      sql`SELECT ${relation.childId} FROM ${relation} WHERE ${relation.parentId} = ${roleId} AND ${relation.rights} & ${4}`,
    ),
    "SELECT relation.child_id FROM manages relation WHERE relation.parent_id = :roleId AND relation.rights & 4",
  );
  assert.equal(render(sql`DELETE FROM ${role} WHERE ${role.id} = -1`), "DELETE FROM role WHERE role.id = -1");
  const assigned = sql`UPDATE ${role} SET ${bare(role.name, role.selfRights)} = (${quoted("it's", "(")})`;
  assert.equal(render(assigned), "UPDATE role SET name, self_rights = ('it''s', '(')");
  assert.equal(render(join([sql`a`, sql`b`], " OR ")), "a OR b");
});

Deno.test("a row gets a number only if a surrounding query has a row of that name", () => {
  const path = row(roleClosure, "path");
  assert.equal(
    render(sql`SELECT ${reaches(path.ancestorId)}, ${reaches(sql`1`)} FROM ${path} WHERE ')' <> '('`),
    "SELECT EXISTS (SELECT 1 FROM role_closure path_2 WHERE path_2.descendant_id = path.ancestor_id), " +
      "EXISTS (SELECT 1 FROM role_closure path_2 WHERE path_2.descendant_id = 1) FROM role_closure path WHERE ')' <> '('",
  );
  assert.equal(
    render(sql`SELECT ${reaches(sql`1`)} AND ${reaches(sql`2`)}`),
    "SELECT EXISTS (SELECT 1 FROM role_closure path WHERE path.descendant_id = 1) " +
      "AND EXISTS (SELECT 1 FROM role_closure path WHERE path.descendant_id = 2)",
  );
});

Deno.test("a fragment that is used twice in a statement names its rows in each place", () => {
  const isReached = reaches(sql`1`);
  const once = "EXISTS (SELECT 1 FROM role_closure path WHERE path.descendant_id = 1)";
  assert.equal(render(sql`${isReached} OR ${isReached}`), `${once} OR ${once}`);
});

Deno.test("a subquery's row has the columns that it returns", () => {
  const [own, acting] = [row(member, "own"), derived(member, "acting", "roleId")];
  assert.equal(
    render(sql`SELECT ${acting.roleId} FROM (SELECT ${own.roleId} FROM ${own}) ${acting}`),
    "SELECT acting.role_id FROM (SELECT own.role_id FROM member own) acting",
  );
  // @ts-expect-error: not a column of the subquery
  assert.notEqual(acting.rights, undefined);
});

Deno.test("a row gets a number if plain text, or a table without an alias, has its name", () => {
  const { seen, manages: other } = rowsOf({ seen: roleClosure, manages });
  assert.equal(
    render(
      sql`SELECT seen.id FROM cte seen WHERE EXISTS (SELECT 1 FROM ${seen} WHERE ${seen.rights} = seen.id)`,
    ),
    "SELECT seen.id FROM cte seen WHERE EXISTS (SELECT 1 FROM role_closure seen_2 WHERE seen_2.rights = seen.id)",
  );
  assert.equal(
    render(
      sql`DELETE FROM ${manages} WHERE EXISTS (SELECT 1 FROM ${other} WHERE ${other.id} <> ${manages.id})`,
    ),
    "DELETE FROM manages WHERE EXISTS (SELECT 1 FROM manages manages_2 WHERE manages_2.id <> manages.id)",
  );
});

Deno.test("the parts of a union have distinct row names, and the union can be read under a name", () => {
  const [one, other, acting] = [row(member, "own"), row(member, "own"), derived(member, "acting", "roleId")];
  const union = sql`SELECT ${one.roleId} FROM ${one} UNION ALL SELECT ${other.roleId} FROM ${other}`;
  assert.equal(
    render(sql`SELECT ${acting.roleId} FROM (${union}) ${acting}`),
    "SELECT acting.role_id FROM (SELECT own.role_id FROM member own " +
      "UNION ALL SELECT own_2.role_id FROM member own_2) acting",
  );
});

Deno.test("an ambiguous row or a malformed template is refused", () => {
  const path = row(roleClosure, "path");
  const refused = [
    [
      sql`SELECT ${path.rights} WHERE EXISTS (SELECT 1 FROM ${path})`,
      'A statement names the row "path" outside of its query',
    ],
    [
      sql`SELECT ${path.rights} FROM ${path} WHERE EXISTS (SELECT 1 FROM ${path})`,
      'A query reads "path" of a query around it: make a row of its own',
    ],
    [
      sql`SELECT (SELECT ${path.rights} FROM ${path}) FROM ${path}`,
      'A query reads "path" of a query around it: make a row of its own',
    ],
    [
      sql`SELECT ${role.id} FROM ${role} WHERE EXISTS (SELECT 1 FROM ${role} WHERE ${role.id} = 1)`,
      'A query reads "role" of a query around it: make a row of its own',
    ],
    [
      sql`SELECT (SELECT max(${role.id}) FROM ${role}) FROM ${role}`,
      'A query reads "role" of a query around it: make a row of its own',
    ],
    [sql`SELECT '${path.rights}' FROM ${path}`, /^A constant names a row: /],
    [sql`SELECT 1 FROM ${path})`, "The parentheses of a statement do not match"],
    [sql`SELECT (1 FROM ${path}`, "The parentheses of a statement do not match"],
    [sql`SELECT 1 -${-1}`, "A template contains neither SQL nor a natural number: -1"],
  ] as const;
  for (const [query, message] of refused) assert.throws(() => render(query), { name: "TypeError", message });
});

Deno.test("the lists of columns and of their values come from one record", () => {
  const { names, values } = inserted(manages, { id: 7, childId: sql`:child` });
  assert.equal(
    render(sql`INSERT INTO ${manages} (${names}) SELECT ${values}
      ON CONFLICT (${bare(manages.id)}) DO UPDATE SET ${takenOver(manages.rights, manages.childId)}`),
    `INSERT INTO manages (id, child_id) SELECT 7, :child
      ON CONFLICT (id) DO UPDATE SET rights = excluded.rights, child_id = excluded.child_id`,
  );
  assert.equal(render(assigned(role, { name: quoted("x"), selfRights: 0 })), "name = 'x', self_rights = 0");
  // @ts-expect-error: no column of this table
  assert.throws(() => render(assigned(role, { parentId: 1 })), TypeError);
});

Deno.test("columns are read under their names in TypeScript, with the types of the schema", () => {
  const own = row(role, "own");
  const shown = columns(own, "id", "selfRights", "passwordRights");
  assert.equal(
    render(sql`SELECT ${shown} FROM ${own}`),
    "SELECT own.id AS id, own.self_rights AS selfRights, own.password_rights AS passwordRights FROM role own",
  );
  const READ = rows(shown)({}, () => sql`SELECT ${shown} FROM ${own}`);
  const read: RowOf<typeof READ> = { id: 1, selfRights: 63, passwordRights: null };
  // @ts-expect-error: this one is never null
  const wrong: RowOf<typeof READ> = { ...read, selfRights: null };
  assert.notDeepEqual(wrong, read);
  // @ts-expect-error: no column of this table
  assert.throws(() => render(columns(role, "parentId")), TypeError);
});

Deno.test("a statement is rendered at its first use, and takes exactly the arguments that it declares", () => {
  let rendered = 0;
  const statement = define({ roleId: int }, ({ roleId }) => {
    rendered++;
    return sql`SELECT ${roleId}`;
  });
  assert.deepEqual([...statement.parameters, rendered], ["roleId", 0]);
  assert.deepEqual([statement.sql, statement.sql, rendered], ["SELECT :roleId", "SELECT :roleId", 1]);
  const { other } = placeholdersOf({ other: int });
  for (const wrong of [sql`SELECT 1`, sql`SELECT :roleId, ${other}`]) {
    assert.throws(
      () => define({ roleId: int }, () => wrong).sql,
      /^TypeError: Not both declared and used by a statement/,
    );
  }
});

Deno.test("a template refuses text and undefined values, and a statement refuses wrong arguments", () => {
  // @ts-expect-error: would become a constant
  const constant = sql`NOT ${"EXISTS (SELECT 1)"}`;
  assert.throws(
    () => render(constant),
    new TypeError("A template contains neither SQL nor a natural number: EXISTS (SELECT 1)"),
  );
  // @ts-expect-error: would vanish
  const gap = sql`1 ${undefined}`;
  assert.throws(
    () => render(gap),
    new TypeError("A template contains neither SQL nor a natural number: undefined"),
  );
  const READ = rows<{ readonly name: string }>()(
    { roleId: int, since: nullable(int) },
    ({ roleId, since }) => sql`SELECT ${roleId}, ${since}`,
  );
  const NAMED = define({ roleId: int, name: text }, ({ roleId, name }) => sql`SELECT ${roleId}, ${name}`);
  assert.deepEqual(bind(READ, { roleId: 1, since: null }).args, { roleId: 1n, since: null });
  const args = { roleId: 1, since: 2, name: "x" };
  assert.equal(bindBatch([READ, NAMED], args).length, 2);
  const refused: readonly (() => unknown)[] = [
    // @ts-expect-error: one is missing
    () => bind(READ, { roleId: 1 }),
    // @ts-expect-error: one is surplus, from a spread
    () => bind(READ, { ...args }),
    // @ts-expect-error: one is missing for one of the statements
    () => bindBatch([READ, NAMED], { roleId: 1, since: 2 }),
    // @ts-expect-error: none takes it
    () => bindBatch([READ, NAMED], { ...args, other: 1 }),
  ];
  for (const refuse of refused) assert.throws(refuse, TypeError);
  // @ts-expect-error: of another type
  assert.deepEqual(bind(NAMED, { roleId: "1", name: "x" }).args["roleId"], "1");
});
