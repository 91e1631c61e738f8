import { and, count, eq, gt, inArray, sql } from "drizzle-orm";
import assert from "node:assert/strict";
import { defineRead, select } from "../../src/db/define_read.ts";
import { readRows, readTogether } from "../../src/db/plain_read.ts";
import { role, roleClosure } from "../../src/db/schema/role.ts";
import { setting } from "../../src/db/schema/mail.ts";
import { forEachDatabase } from "../helpers/databases.ts";

const FIND_ROLE = defineRead(
  select({ roleName: role.name, passwordRights: role.passwordRights, rights: roleClosure.rights })
    .from(role)
    .leftJoin(roleClosure, eq(roleClosure.descendantId, role.id))
    .where(and(eq(role.id, sql.placeholder("roleId")), inArray(role.isRoot, [0, 1])))
    .limit(sql.placeholder("limit")),
);

const COUNT_ROLES = defineRead(
  select({ total: count() }).from(role).where(gt(role.id, sql.placeholder("afterId"))),
);

const INSERT_ROLE = {
  sql: "INSERT INTO role (id, name, self_rights, is_root) VALUES (9007199254740991, 'it''s :limit', 63, 1)",
  args: {},
};
const ROW = { roleName: "it's :limit", passwordRights: null, rights: null };

forEachDatabase(
  "a plain read gives its rows by the names of the fields, as they are stored",
  async (database) => {
    await database.write([INSERT_ROLE]);
    const args = { roleId: 9007199254740991, limit: 2 };
    assert.deepEqual(await readRows(database, FIND_ROLE, args), [ROW]);
    assert.deepEqual(await readRows(database, FIND_ROLE, { ...args, roleId: 1 }), []);
  },
);

forEachDatabase(
  "reads that run together share their values and give their rows by name",
  async (database) => {
    await database.write([INSERT_ROLE]);
    const args = { roleId: 9007199254740991, limit: 2, afterId: 0 };
    assert.deepEqual(await readTogether(database, { found: FIND_ROLE, counted: COUNT_ROLES }, args), {
      found: [ROW],
      counted: [{ total: 1 }],
    });
  },
);

forEachDatabase("a plain read refuses a value that is missing and one too many", (database) => {
  assert.throws(() => readRows(database, FIND_ROLE, { roleId: 1 }), /no value for ":limit"/);
  assert.throws(() => readRows(database, FIND_ROLE, { roleId: 1, limit: 1, more: 1 }), /uses more/);
  return Promise.resolve();
});

Deno.test("constants become part of the text, in quotes that they cannot leave", () => {
  const read = defineRead(select({ name: setting.name }).from(setting).where(eq(setting.value, "a' OR :b")));
  assert.match(read.sql, /= 'a'' OR :b'$/);
  assert.equal(read.parameters.size, 0);
});
