/** Reads that run together share their arguments, and return typed rows in order. */
import assert from "node:assert/strict";
import { readTogether } from "../../src/db/rows.ts";
import { role } from "../../src/db/schema/role.ts";
import { columns, define, int, rows, sql } from "../../src/db/sql.ts";
import { bind } from "../../src/db/statement.ts";
import { forEachDatabase } from "../helpers/databases.ts";

const INSERT = define(
  {},
  () =>
    sql`INSERT INTO role (id, name, self_rights, is_root) VALUES (9007199254740991, 'it''s :limit', 63, 1)`,
);
const ROLE = columns(role, "name", "passwordRights");
const FIND = rows(ROLE)(
  { roleId: int, limit: int },
  ({ roleId, limit }) => sql`SELECT ${ROLE} FROM ${role} WHERE ${role.id} = ${roleId} LIMIT +${limit}`,
);
const COUNT = rows<{ readonly total: number }>()(
  { afterId: int },
  ({ afterId }) => sql`SELECT count(*) AS total FROM ${role} WHERE ${role.id} > ${afterId}`,
);

forEachDatabase(
  "reads that run together share their arguments and return their rows in order",
  async (database) => {
    await database.write([bind(INSERT, {})]);
    const args = { roleId: 9007199254740991, limit: 2, afterId: 0 };
    const [[found], [counted]] = await readTogether(database, [FIND, COUNT], args);
    assert.deepEqual(found, { name: "it's :limit", passwordRights: null });
    assert.equal(counted?.total, 1);
    // @ts-expect-error: one is missing
    await assert.rejects(() => readTogether(database, [FIND, COUNT], { roleId: 1, limit: 1 }), TypeError);
    // @ts-expect-error: none takes it
    await assert.rejects(() => readTogether(database, [FIND], args), TypeError);
  },
);
