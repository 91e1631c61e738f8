/** Roles are found by name or prefix among thousands, in few statements, and only visible ones. */
import assert from "node:assert/strict";
import { type Page, PAGE_ROWS } from "../../src/core/page.ts";
import type { BoundStatement } from "../../src/db/statement.ts";
import { listRoles, type RoleFilter } from "../../src/lists/role_listing_service.ts";
import type { Role } from "../../src/role/role_service.ts";
import { execute, testApp } from "../helpers/http.ts";
import { bootstrap } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";

const COMMON = "Site";
const FIRST_ID = 1_000_000;
const SEEN_ROLES = 5200;
const UNSEEN_ROLES = 20_500;

/** Inserts more roles below the root than a page starts from, and far more hidden roles with one name. */
async function widen({ database }: TestApp, rootId: number): Promise<void> {
  const ids = (first: number, count: number): string =>
    `(WITH RECURSIVE ids(id) AS (SELECT ${first} UNION ALL SELECT id + 1 FROM ids WHERE id < ${
      first + count - 1
    })
      SELECT id FROM ids)`;
  const seen = ids(FIRST_ID, SEEN_ROLES);
  await execute({ database }, [
    `INSERT INTO role (id, name, self_rights) SELECT id, 'role ' || id, 0 FROM ${seen}`,
    `INSERT INTO manages (id, parent_id, child_id, rights) SELECT id, ${rootId}, id, 63 FROM ${seen}`,
    `INSERT INTO role_closure (descendant_id, ancestor_id, rights) SELECT id, ${rootId}, 63 FROM ${seen}`,
    `INSERT INTO role (id, name, self_rights)
      SELECT id, '${COMMON}', 0 FROM ${ids(FIRST_ID + SEEN_ROLES, UNSEEN_ROLES)}`,
  ]);
}

/** Returns the roles that the actor finds by a filter, and the number of statements it takes. */
async function find(
  { deps, database }: TestApp,
  accessToken: string,
  filter: RoleFilter | string,
): Promise<{ ids: number[]; statements: number }> {
  let statements = 0;
  const counted = {
    ...database,
    read<T>(statement: BoundStatement): Promise<T[]> {
      statements++;
      return database.read<T>(statement);
    },
  };
  const { userId, sessionId } = await deps.accessTokens.verify(accessToken);
  const actor = { userId, sessionId };
  const asked = typeof filter === "string" ? { name: [filter] } : filter;
  const ids: number[] = [];
  for (let afterId: number | null = -1; afterId !== null && ids.length < PAGE_ROWS;) {
    const page = { afterId, limit: PAGE_ROWS - ids.length };
    const { rows, next }: Page<Role> = await listRoles({ ...deps, database: counted }, actor, asked, page);
    ids.push(...rows.map(({ id }) => id));
    afterId = next;
  }
  return { ids, statements };
}

testApp("a role is found by name among thousands of visible roles, in one statement", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await widen(target, rootId);
  const id = FIRST_ID + 17;
  assert.deepEqual(await find(target, admin.accessToken, `role ${id}`), { ids: [id], statements: 2 });
});

testApp("a name shared by thousands of roles finds exactly the visible ones", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, COMMON);
  const innerId = await admin.create(siteId, COMMON);
  const { userId, accessToken } = await target.createUser("one@example.com");
  await widen(target, rootId);
  const member = `INSERT INTO member (id, user_id, role_id) VALUES (${FIRST_ID}, ${userId}, ${innerId})`;
  await execute(target, member);
  assert.deepEqual((await find(target, accessToken, COMMON)).ids, [innerId]);
  const found = await find(target, admin.accessToken, COMMON);
  assert.deepEqual(found.ids, [siteId, innerId]);
  assert.ok(found.statements > 1, "the listing walks");
});

testApp("a caller with overlapping memberships finds a name in one statement", async (target) => {
  const { rootId } = await bootstrap(target);
  await widen(target, rootId);
  const { userId, accessToken } = await target.createUser("chain@example.com");
  const chain = [1, 2, 3, 4, 5, 6].map((n) => n + FIRST_ID * 2);
  const leaves = `SELECT id FROM role WHERE id > ${FIRST_ID} AND id <= ${FIRST_ID + 1000}`;
  await execute(
    target,
    chain.flatMap((id) => [
      `INSERT INTO role (id, name, self_rights) VALUES (${id}, 'chain', 63)`,
      `INSERT INTO member (id, user_id, role_id) VALUES (${id}, ${userId}, ${id})`,
      `INSERT INTO role_closure (descendant_id, ancestor_id, rights) SELECT id, ${id}, 63 FROM (${leaves})`,
    ]),
  );
  await execute(target, `UPDATE role SET name = '${COMMON}' WHERE id = ${FIRST_ID + 17}`);
  assert.deepEqual(await find(target, accessToken, COMMON), { ids: [FIRST_ID + 17], statements: 1 });
});

testApp("a prefix finds names in any case, among visible roles only", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const names = [
    "Énergie du Nord",
    "énergie",
    "ÉNERGIE",
    "Energie",
    "Zonnestroom",
    "Straße 5",
    "ÅÄÖÉÈÜ ab",
    "%_x",
    "Санкт-Петербург",
    "[a]*?^",
    "z\u{10ffff}z",
    "🦉".repeat(256),
  ];
  const ids = new Map<string, number>();
  for (const name of names) ids.set(name, await admin.create(rootId, name));
  const { accessToken } = await target.createUser("stranger@example.com");
  const expect: Record<string, string[]> = {
    "énerg": ["Énergie du Nord", "énergie", "ÉNERGIE"],
    "ÉNERGIE D": ["Énergie du Nord"],
    "eNergi": ["Energie"],
    "zONNE": ["Zonnestroom"],
    "straß": ["Straße 5"],
    "åäöéèü": ["ÅÄÖÉÈÜ ab"],
    "%": ["%_x"],
    "_": [],
    "санкт-п": ["Санкт-Петербург"],
    "САНКТ-ПЕТЕРБУРГ": ["Санкт-Петербург"],
    "санкт-б": [],
    "[A]*?": ["[a]*?^"],
    "[": ["[a]*?^"],
    "*": [],
    "?": [],
    "a": [],
    "Z\u{10ffff}": ["z\u{10ffff}z"],
    "Z": ["Zonnestroom", "z\u{10ffff}z"],
    "🦉": ["🦉".repeat(256)],
    ["🦉".repeat(256)]: ["🦉".repeat(256)],
    "🦊": [],
    "onne": [],
  };
  for (const [namePrefix, found] of Object.entries(expect)) {
    const filter = { namePrefix };
    assert.deepEqual(await admin.roleIds({ filter }), found.map((name) => ids.get(name)), namePrefix);
    assert.deepEqual((await find(target, accessToken, filter)).ids, [], namePrefix);
  }
  const siteId = await admin.create(ids.get("Energie") ?? 0, "Energie site");
  const below = { ancestorRoleId: [ids.get("Energie") ?? 0] };
  assert.deepEqual(await admin.roleIds({ filter: { namePrefix: "energie", ...below } }), [siteId]);
  assert.deepEqual(await admin.roleIds({ filter: { namePrefix: "zonne", id: [siteId] } }), []);
  assert.deepEqual(await admin.roleIds({ filter: { namePrefix: "ENERGIE S", id: [rootId, siteId] } }), [
    siteId,
  ]);
  assert.deepEqual(
    await admin.roleIds({ filter: { namePrefix: "ENERGIE S", name: ["Energie", "Energie site"] } }),
    [siteId],
  );
});

testApp("a rare prefix finds only visible roles", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await widen(target, rootId);
  const { userId, accessToken } = await target.createUser("one@example.com");
  const seen = FIRST_ID + 17;
  await execute(target, `INSERT INTO member (id, user_id, role_id) VALUES (${FIRST_ID}, ${userId}, ${seen})`);
  assert.deepEqual((await find(target, accessToken, { namePrefix: "role 10000" })).ids, [seen]);
  assert.equal((await find(target, admin.accessToken, { namePrefix: "role 100001" })).ids.length, 10);
});

testApp("a rare or common prefix gives the same results among thousands of roles", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await widen(target, rootId);
  const few = await find(target, admin.accessToken, { namePrefix: "ROLE 100001" });
  assert.deepEqual(few, { ids: Array.from({ length: 10 }, (_, i) => FIRST_ID + 10 + i), statements: 2 });
  const firstOfMany = await find(target, admin.accessToken, { namePrefix: "rOLE 1" });
  assert.deepEqual(firstOfMany.ids, Array.from({ length: 1000 }, (_, i) => FIRST_ID + i));
  assert.deepEqual((await find(target, admin.accessToken, { namePrefix: COMMON.toLowerCase() })).ids, []);
  const { userId, accessToken } = await target.createUser("many@example.com");
  const seen = `SELECT id FROM role WHERE name = '${COMMON}' AND id % 2 = 0`;
  await execute(target, [
    `INSERT INTO role (id, name, self_rights) VALUES (${FIRST_ID * 2}, 'top', 0)`,
    `INSERT INTO member (id, user_id, role_id) VALUES (${FIRST_ID}, ${userId}, ${FIRST_ID * 2})`,
    `INSERT INTO role_closure (descendant_id, ancestor_id, rights) SELECT id, ${
      FIRST_ID * 2
    }, 63 FROM (${seen})`,
  ]);
  const half = await find(target, accessToken, { namePrefix: "sI" });
  assert.equal(half.ids.length, 1000);
  assert.ok(half.ids.every((id) => id % 2 === 0), "others are shown");
  assert.deepEqual((await find(target, accessToken, { namePrefix: "role 100001" })).ids, []);
});
