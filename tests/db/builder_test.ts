/** The query builder writes what a template writes, with checked types, and refuses what would grant too much. */
import { blob, integer, sqliteTable, text as textColumn } from "drizzle-orm/sqlite-core";
import assert from "node:assert/strict";
import {
  and,
  compile,
  count,
  deleteFrom,
  desc,
  eq,
  exists,
  gt,
  inArray,
  insert,
  insertFrom,
  isNotNull,
  isNull,
  lte,
  ne,
  not,
  ONE_ROW,
  or,
  select,
  update,
  within,
} from "../../src/db/builder.ts";
import { passwordLink, userAccount } from "../../src/db/schema/identity.ts";
import { outbox, setting } from "../../src/db/schema/mail.ts";
import { member, role } from "../../src/db/schema/role.ts";
import { define, int, nullable, row, rowsOf, sql, text } from "../../src/db/sql.ts";
import { bind, bindBatch, probing, type RowOf, type Statement } from "../../src/db/statement.ts";
import { forEachDatabase } from "../helpers/databases.ts";

/** Compiles if both types are the same. */
function sameType<A, B>(
  _same: (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false,
) {}

const USERS_OF_ROLE = { roleId: member.roleId, limit: int };

/** Members with the name of their role, and the language of those with an account. */
const LIST = compile(USERS_OF_ROLE, ({ roleId, limit }) => {
  const { own, account } = rowsOf({ own: member, account: userAccount });
  return select({
    userId: own.userId,
    name: role.name,
    language: account.language,
    hasPassword: isNotNull(account.passwordHash),
  })
    .from(own).crossJoin(role).leftJoin(account, eq(account.id, own.userId))
    .where(and(eq(own.roleId, roleId), eq(role.id, own.roleId)))
    .orderBy(desc(own.userId)).limit(limit);
});

Deno.test("a query is written as a template writes it, with its arguments by name", () => {
  const { own, account } = rowsOf({ own: member, account: userAccount });
  const template = define(
    { roleId: int, limit: int },
    ({ roleId, limit }) =>
      sql`SELECT ${own.userId} AS userId, ${role.name} AS name, ${account.language} AS language, ${account.passwordHash} IS NOT NULL AS hasPassword FROM ${own} CROSS JOIN ${role} LEFT JOIN ${account} ON ${account.id} = ${own.userId} WHERE (${own.roleId} = ${roleId} AND ${role.id} = ${own.roleId}) ORDER BY ${own.userId} DESC LIMIT +${limit}`,
  );
  assert.equal(LIST.sql, template.sql);
  assert.deepEqual([...LIST.parameters], ["roleId", "limit"]);
});

Deno.test("a query is built at its first use, and only then", () => {
  let built = 0;
  const counted = compile({ id: role.id }, ({ id }) => {
    built++;
    return select({ name: role.name }).from(role).where(eq(role.id, id));
  });
  const probe = probing(counted);
  assert.equal(built, 0);
  assert.equal(bind(probe, { id: 1 }).isProbe, true);
  bind(probe, { id: 2 });
  assert.equal(bind(counted, { id: 3 }).sql, "SELECT role.name AS name FROM role WHERE role.id = :id");
  assert.equal(built, 1);
});

Deno.test("the schema gives rows and arguments their types", () => {
  type Listed = { userId: number; name: string; language: string | null; hasPassword: 0 | 1 };
  sameType<RowOf<typeof LIST>, Listed>(true);
  sameType<
    typeof LIST extends Statement<infer A> ? A : never,
    { readonly roleId: number; readonly limit: number }
  >(true);
  const totals = compile({}, () => select({ total: count() }).from(role));
  sameType<RowOf<typeof totals>, { total: number }>(true);
  const silent = compile({ id: role.id }, ({ id }) => deleteFrom(role).where(eq(role.id, id)));
  sameType<RowOf<typeof silent>, never>(true);
  const purpose = compile(
    { id: int, purpose: passwordLink.purpose },
    ({ id, purpose }) =>
      update(passwordLink, { purpose, userId: null }).where(eq(passwordLink.id, id))
        .returning({ purpose: passwordLink.purpose }),
  );
  sameType<RowOf<typeof purpose>, { purpose: "invitation" | "reset" }>(true);
  // @ts-expect-error: not a purpose
  assert.ok(bind(purpose, { id: 1, purpose: "none" }));
  // @ts-expect-error: one is missing
  assert.throws(() => bind(LIST, { roleId: 1 }), TypeError);
  // @ts-expect-error: a query takes no other
  assert.throws(() => bind(LIST, { roleId: 1, limit: 1, other: 1 }), TypeError);
});

Deno.test("a value of another type does not compile, nor does a column that the table does not have", () => {
  compile({ id: text, name: int, none: nullable(text) }, ({ id, name, none }) => {
    // @ts-expect-error: a text is compared with a number
    eq(role.id, id);
    // @ts-expect-error: so is a constant
    eq(role.id, "1");
    // @ts-expect-error: and a column
    eq(role.id, role.name);
    // @ts-expect-error: a number is assigned to a text
    update(role, { name });
    // @ts-expect-error: null is assigned to a column that takes none
    update(role, { name: none });
    // @ts-expect-error: not a column
    update(role, { title: "x" });
    // @ts-expect-error: a value is missing
    insert(setting, { name: "x" });
    // @ts-expect-error: also from a query
    insertFrom(setting, select({ name: role.name }).from(role));
    // @ts-expect-error: a condition that is undefined would grant
    and(eq(role.id, 1), undefined);
    return select({ name: role.name }).from(role).where(eq(outbox.brand, none));
  });
});

Deno.test("an argument that is not declared, or not used, is refused at the first use", () => {
  const unused = compile({ id: int }, () => select({ name: role.name }).from(role));
  assert.throws(() => unused.sql, { name: "TypeError", message: /declared and used by a statement: id$/ });
  const { id } = {
    id: compile({ id: int }, ({ id }) => select({ name: role.name }).from(role).where(eq(role.id, id))),
  };
  assert.deepEqual([...id.parameters], ["id"]);
});

Deno.test("a write without a condition, a clause that is not rendered and a column that needs decoding are refused", () => {
  assert.throws(() => compile({}, () => deleteFrom(role)).sql, /has no condition/);
  assert.throws(() => compile({}, () => update(role, { name: "x" })).sql, /has no condition/);
  const name = select({ name: role.name }).from(role);
  assert.throws(
    () => compile({}, () => name.unionAll(select({ name: role.name }).from(role))).sql,
    /setOperators/,
  );
  assert.throws(
    () => compile({}, () => select({ id: role.id }).from(role).groupBy(role.id)).sql,
    /with groupBy/,
  );
  const limited = compile({}, () => deleteFrom(role).where(eq(role.id, 1)).limit(1));
  assert.throws(() => limited.sql, /with limit/);
  const moded = sqliteTable("moded", {
    flag: integer({ mode: "boolean" }),
    at: integer({ mode: "timestamp_ms" }),
    json: textColumn({ mode: "json" }),
    bytes: blob(),
  });
  for (const column of [moded.flag, moded.at, moded.json, moded.bytes]) {
    assert.throws(() => compile({}, () => select({ column }).from(moded)).sql, /values must be decoded/);
    const returned = compile({}, () => deleteFrom(moded).where(sql`true`).returning({ column }));
    assert.throws(() => returned.sql, /values must be decoded/);
  }
});

Deno.test("a condition that is undefined is refused, since a query without it would grant", () => {
  const other = row(role, "other");
  const id = () => select({ id: role.id }).from(role);
  const { condition }: { readonly condition?: ReturnType<typeof eq> } = {};
  const queries = [
    id().where(condition),
    id().innerJoin(other, condition),
    id().leftJoin(other, condition),
  ];
  for (const query of queries) {
    assert.throws(() => compile({}, () => query).sql, /no condition, or one that is undefined/);
  }
  const crossed = compile({}, () => id().crossJoin(other));
  assert.equal(crossed.sql, "SELECT role.id AS id FROM role CROSS JOIN role other");
});

Deno.test("conditions, parts of templates and queries in queries fit together", () => {
  const { own } = rowsOf({ own: member });
  const isMember = exists(select({ one: sql`1` }).from(own).where(eq(own.roleId, role.id)));
  const chosen = compile(
    { ids: text, now: int },
    ({ ids, now }) =>
      select({ id: role.id }).from(role).where(and(
        or(isMember, not(ne(role.name, "it's"))),
        inArray(
          role.id,
          select({ id: member.roleId }).from(member).where(or(isNull(member.endsAt), gt(member.endsAt, now))),
        ),
        within(role.id, ids),
        sql`${role.selfRights} & ${4}`,
      )),
  );
  assert.equal(
    chosen.sql,
    "SELECT role.id AS id FROM role WHERE ((EXISTS (SELECT 1 AS one FROM member own WHERE own.role_id = role.id) " +
      "OR NOT (role.name <> 'it''s')) AND role.id IN (SELECT member.role_id AS id FROM member " +
      "WHERE (member.ends_at IS NULL OR member.ends_at > :now)) " +
      "AND role.id IN (SELECT value FROM json_each(:ids)) AND role.self_rights & 4)",
  );
  const outside = compile({}, () => select({ id: role.id }).from(role).where(eq(row(member, "own").id, 1)));
  assert.throws(() => outside.sql, /outside of its query/);
});

const KEEP = compile(
  { name: setting.name, value: setting.value },
  (args) => insert(setting, args).onConflictDoUpdate([setting.name], { value: args.value }),
);
const GUARDED = compile(
  { name: setting.name, value: setting.value, roleId: role.id },
  ({ name, value, roleId }) =>
    insertFrom(
      setting,
      select({ name, value }).from(ONE_ROW).where(
        exists(select({ id: role.id }).from(role).where(eq(role.id, roleId))),
      ),
    ).onConflictDoNothing(setting.name),
);
const COPY = compile(
  {},
  () =>
    insertFrom(setting, select({ value: role.name, name: sql<string>`'role ' || ${role.id}` }).from(role)),
);
/** The settings of the test; migrations make others. */
const READ = compile({}, () =>
  select({ name: setting.name, value: setting.value }).from(setting)
    .where(ne(setting.name, "history_from")).orderBy(setting.name));

forEachDatabase("rows have the values that their types promise", async (database) => {
  const ROLE = define(
    { roleId: int },
    ({ roleId }) => sql`INSERT INTO role (id, name, self_rights, is_root) VALUES (${roleId}, 'Site', 63, 1)`,
  );
  const MEMBER = define(
    { userId: int, roleId: int },
    ({ userId, roleId }) => sql`INSERT INTO member (role_id, user_id) VALUES (${roleId}, ${userId})`,
  );
  const ACCOUNT = compile(
    { id: userAccount.id, now: int },
    ({ id, now }) => insert(userAccount, { id, email: "eva@example.com", createdAt: now }),
  );
  const largest = Number.MAX_SAFE_INTEGER;
  await database.write([
    bind(ROLE, { roleId: 7 }),
    bind(ACCOUNT, { id: largest, now: 1 }),
    bind(MEMBER, { userId: largest, roleId: 7 }),
    bind(MEMBER, { userId: 3, roleId: 7 }),
  ]);
  assert.deepEqual(await database.read(bind(LIST, { roleId: 7, limit: 2 })), [
    { userId: largest, name: "Site", language: "en", hasPassword: 0 },
    { userId: 3, name: "Site", language: null, hasPassword: 0 },
  ]);
  const TOTALS = compile(
    { atMost: role.id },
    ({ atMost }) => select({ total: count() }).from(role).where(lte(role.id, atMost)),
  );
  assert.deepEqual(await database.read(bind(TOTALS, { atMost: 7 })), [{ total: 1 }]);
  assert.deepEqual(await database.read(bind(TOTALS, { atMost: 6 })), [{ total: 0 }]);
});

forEachDatabase("a write has its condition in it", async (database) => {
  const bound = bindBatch([KEEP, GUARDED, COPY, READ], { name: "a", value: "1", roleId: 1 });
  const [, , , read] = await database.write(bound);
  assert.deepEqual(read, [{ name: "a", value: "1" }]);
  await database.write([bind(KEEP, { name: "a", value: "2" })]);
  const ROLE = compile(
    { id: role.id },
    ({ id }) => insert(role, { id, name: "Site", selfRights: 63, isRoot: 1 }),
  );
  await database.write([
    bind(ROLE, { id: 1 }),
    bind(GUARDED, { name: "a", value: "3", roleId: 1 }),
    bind(GUARDED, { name: "b", value: "3", roleId: 1 }),
    bind(GUARDED, { name: "c", value: "3", roleId: 2 }),
    bind(COPY, {}),
  ]);
  assert.deepEqual(await database.read(bind(READ, {})), [
    { name: "a", value: "2" },
    { name: "b", value: "3" },
    { name: "role 1", value: "Site" },
  ]);
});
