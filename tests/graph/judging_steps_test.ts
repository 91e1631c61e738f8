/** Users with many memberships and roles with many above get complete results, in several statements. */
import assert from "node:assert/strict";
import type { Actor } from "../../src/core/actor.ts";
import type { Page, PageRequest } from "../../src/core/page.ts";
import type { BoundStatement } from "../../src/db/statement.ts";
import { readPeople } from "../../src/lists/access/people_service.ts";
import { readRoles } from "../../src/lists/access/roles_service.ts";
import { readNeighbourhood } from "../../src/explain/picture/neighbourhood_service.ts";
import { listManagedBy, listManages } from "../../src/lists/manages_listing_service.ts";
import { listMembers } from "../../src/lists/member_listing_service.ts";
import { listRoles } from "../../src/lists/role_listing_service.ts";
import { checkRights } from "../../src/role/role_service.ts";
import { checkPastRights } from "../../src/graph/history/check_service.ts";
import { execute, testApp } from "../helpers/http.ts";
import { bootstrap } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { idsFrom } from "../role/many_relations.ts";

/** More memberships than few; together, the leaves have more roles above them than one statement looks at. */
const MEMBERSHIPS = 40;
const ABOVE = 1000;
const LEAVES = 110;
const FIRST_ID = 1_000_000;
const HUB = FIRST_ID + ABOVE;
const FIRST_LEAF = HUB + 1;
const FIRST_OTHER = FIRST_ID * 2;
const LEAF_IDS = Array.from({ length: LEAVES }, (_, i) => FIRST_LEAF + i);
const NAME = "leaf";

/**
 * Leaves below a role that is below many others, a user who is a member of some of those, and one who is a member of
 * none.
 */
async function build({ database, createUser }: TestApp) {
  const [insider, outsider] = [await createUser("in@example.com"), await createUser("out@example.com")];
  const [tops, leaves, others] = [
    idsFrom(FIRST_ID, ABOVE),
    idsFrom(FIRST_LEAF, LEAVES),
    idsFrom(FIRST_OTHER, MEMBERSHIPS),
  ];
  await execute({ database }, [
    `INSERT INTO role (id, name, self_rights) SELECT id, 'top', 63 FROM ${tops}`,
    `INSERT INTO role (id, name, self_rights) SELECT id, 'other', 63 FROM ${others}`,
    `INSERT INTO role (id, name, self_rights) VALUES (${HUB}, 'hub', 63)`,
    `INSERT INTO role (id, name, self_rights) SELECT id, '${NAME}', 63 FROM ${leaves}`,
    `INSERT INTO manages (id, parent_id, child_id, rights) SELECT id, id, ${HUB}, 63 FROM ${tops}`,
    `INSERT INTO manages (id, parent_id, child_id, rights) SELECT id, ${HUB}, id, 63 FROM ${leaves}`,
    `INSERT INTO role_closure (descendant_id, ancestor_id, rights) SELECT ${HUB}, id, 63 FROM ${tops}`,
    `INSERT INTO role_closure (descendant_id, ancestor_id, rights)
      SELECT leaf.id, above.id, 63 FROM ${leaves} leaf CROSS JOIN (SELECT id FROM ${tops} UNION ALL SELECT ${HUB}) above`,
    `INSERT INTO member (id, role_id, user_id) SELECT id, id, ${insider.userId} FROM ${tops}
      WHERE id >= ${HUB - MEMBERSHIPS}`,
    `INSERT INTO member (id, role_id, user_id) SELECT id, id, ${outsider.userId} FROM ${others}`,
    `INSERT INTO member (id, role_id, user_id) SELECT id, id, ${outsider.userId} FROM ${
      idsFrom(FIRST_LEAF, 3)
    }`,
  ]);
  return { insider, outsider };
}

testApp("many memberships and roles above give complete results in several statements", async (target) => {
  await bootstrap(target);
  const { insider, outsider } = await build(target);
  let statements = 0;
  const database = {
    ...target.database,
    read<T>(statement: BoundStatement): Promise<T[]> {
      statements++;
      return target.database.read<T>(statement);
    },
  };
  const deps = { ...target.deps, database };
  const page = { afterId: -1, limit: 1000 };

  async function find<T>(accessToken: string, ask: (actor: Actor) => Promise<T>): Promise<T> {
    const { userId, sessionId } = await target.deps.accessTokens.verify(accessToken);
    statements = 0;
    return await ask({ userId, sessionId });
  }
  type ReadPage = (actor: Actor, page: PageRequest) => Promise<Page<{ id: number }>>;
  /** The ids of all pages. */
  const findAll = (accessToken: string, read: ReadPage, limit = LEAVES + 1): Promise<number[]> =>
    find(accessToken, async (actor) => {
      const found: number[] = [];
      for (let afterId: number | null = -1; afterId !== null;) {
        const { rows, next }: Page<{ id: number }> = await read(actor, { afterId, limit });
        found.push(...rows.map(({ id }) => id));
        afterId = next;
      }
      return found;
    });
  const own = LEAF_IDS.slice(0, 3);

  for (const [{ accessToken }, seen] of [[insider, LEAF_IDS], [outsider, own]] as const) {
    const filters = [
      { id: LEAF_IDS },
      { id: LEAF_IDS, name: [NAME] },
      { name: [NAME] },
      { namePrefix: "LE" },
    ];
    for (const filter of filters) {
      assert.deepEqual(
        await findAll(accessToken, (actor, page) => listRoles(deps, actor, filter, page)),
        seen,
        JSON.stringify(filter),
      );
      // Without ids, a user who sees few roles starts from these.
      const isReach = !("id" in filter) && seen === own;
      assert.ok(isReach || statements > 1, JSON.stringify(filter));
    }
    const checks = LEAF_IDS.map((roleId) => ({ roleId, right: "roleManagement" as const }));
    const allowed = LEAF_IDS.map((id) => seen.includes(id));
    assert.deepEqual(await find(accessToken, (actor) => checkRights(deps, actor, checks)), allowed);
    assert.ok(statements > 1);
    const asOf = { atMs: target.deps.clock() };
    const past = await find(accessToken, (actor) => checkPastRights(deps, actor, checks, asOf));
    assert.equal(past.allowed.length, LEAVES);
    assert.ok(statements > 1);
    const listed = { principal: { userEmail: "out@example.com" }, rights: 0, roleIds: LEAF_IDS };
    const first = await find(accessToken, (actor) => readRoles(deps, actor, listed, page));
    assert.deepEqual(first.rows.map(({ roleId }) => roleId), own);
    assert.ok(first.next !== null && first.next < (LEAF_IDS.at(-1) ?? 0), "the page ends early");
  }

  const of = <T>(ask: (actor: Actor) => Promise<T>): Promise<T> => find(insider.accessToken, ask);
  const all = (read: ReadPage, limit?: number): Promise<number[]> =>
    findAll(insider.accessToken, read, limit);
  const ancestorRoleId = [HUB, ...LEAF_IDS];
  assert.deepEqual(await all((actor, page) => listRoles(deps, actor, { ancestorRoleId }, page)), LEAF_IDS);
  assert.ok(statements > 1);
  assert.deepEqual(
    await all((actor, page) => listManages(deps, actor, "*", { childRoleId: LEAF_IDS }, page)),
    LEAF_IDS,
  );
  for (const limit of [LEAVES + 1, 7]) {
    assert.deepEqual(await all((actor, page) => listManagedBy(deps, actor, LEAF_IDS, page), limit), LEAF_IDS);
  }
  assert.deepEqual(await all((actor, page) => listMembers(deps, actor, LEAF_IDS, {}, page)), own);
  const near = async (actor: Actor, page: PageRequest): Promise<Page<{ id: number }>> => {
    const { role, moreAbove, next } = await readNeighbourhood(deps, actor, {
      roleId: HUB,
      userEmail: undefined,
    }, page);
    assert.deepEqual([role.filter(({ id }) => id < HUB).length, moreAbove], [MEMBERSHIPS, false]);
    return { rows: role.filter(({ id }) => id > HUB), next };
  };
  assert.deepEqual(await all(near), LEAF_IDS);
  assert.equal(statements, 5, "a page has as many children as there are steps for");
  const people = await of((actor) => readPeople(deps, actor, { roleId: FIRST_LEAF, rights: 0 }, page));
  assert.deepEqual(people.rows.map(({ userEmail, through, hidden }) => [userEmail, through.length, hidden]), [
    ["in@example.com", 10, MEMBERSHIPS - 10],
    ["out@example.com", 0, 0],
  ]);
  assert.equal(statements, 2);
});
