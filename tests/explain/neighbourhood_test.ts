/** The neighbourhood of a role: what a viewer sees above and below it, and of a person in it. */
import assert from "node:assert/strict";
import { bindBatch } from "../../src/db/statement.ts";
import { defineStatement } from "../helpers/text_statement.ts";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { assertError, forEachApp, MALFORMED, testApp } from "../helpers/http.ts";
import { bootstrap, invite, type Manages, Person } from "../helpers/person.ts";
import { START_MS, type TestApp } from "../helpers/test_app.ts";
import { ABOVE_BOILER, ADA, ADMIN, BOB, SELF, setAccessScene } from "../lists/access_scene.ts";
import { idsOf, type Neighbourhood, neighbourhoodOf, type Summary } from "./neighbourhood_scene.ts";

const UNKNOWN_ID = 900_000_000;

forEachApp("a viewer gets a role with all that they see above and below it", async (target) => {
  const { admin, ada, rootId, plantId, boilerId } = await setAccessScene(target);
  const otherId = await admin.create(rootId, "Other plant");
  await admin.put(`/v1/role/${otherId}/manages?childRoleId=${boilerId}`, rights("roleManagement"));
  const pumpId = await admin.create(boilerId, "Pump", ALL, rights());
  const { manages: all } = await admin.post<{ manages: Manages[] }>("/v1/role/*/manages/query");
  const into = (...childIds: number[]) => all.filter(({ childRoleId }) => childIds.includes(childRoleId));

  const seen = await neighbourhoodOf(admin, boilerId);
  assert.deepEqual(idsOf(seen.role), [boilerId, plantId, otherId, rootId, pumpId]);
  assert.deepEqual(seen.manages, into(plantId, otherId, boilerId, pumpId));
  assert.deepEqual(seen.memberOf, [rootId]);
  const { role, manages, summary, ...rest } = await neighbourhoodOf(ada, boilerId);
  assert.deepEqual(role, [
    { id: boilerId, name: "Boiler", selfRights: SELF, userRights: ABOVE_BOILER },
    { id: plantId, name: "Plant", selfRights: rights(), userRights: rights() },
    { id: pumpId, name: "Pump", selfRights: rights(), userRights: ABOVE_BOILER },
  ]);
  assert.deepEqual(manages, into(boilerId, pumpId).filter(({ parentRoleId }) => parentRoleId !== otherId));
  assert.deepEqual(summary, [
    { id: plantId, parents: 0, children: 1, descendants: 2 },
    { id: boilerId, parents: 1, children: 1, descendants: 1 },
    { id: pumpId, parents: 1, children: 0, descendants: 0 },
  ]);
  assert.deepEqual(rest, { memberOf: [plantId], moreAbove: false, moreManages: false, nextCursor: null });
});

forEachApp("the neighbourhood of a hidden role is empty, as that of an unknown one", async (target) => {
  const { ada, rootId } = await setAccessScene(target);
  const ask = (id: number, body: object) => ada.ask("POST", `/v1/role/${id}/neighbourhood/query`, body);
  for (const body of [{}, { userEmail: ADA }, { userEmail: BOB, limit: 1, cursor: "3" }]) {
    const [hidden, unknown] = [await ask(rootId, body), await ask(UNKNOWN_ID, body)];
    assert.equal(hidden.text, unknown.text);
    assert.deepEqual(hidden.body, {
      role: [],
      manages: [],
      summary: [],
      memberOf: [],
      ...("userEmail" in body && { person: { access: [], memberOf: [], mayAsk: [] } }),
      moreAbove: false,
      moreManages: false,
      nextCursor: null,
    });
  }
});

forEachApp("a manager sees a person's access, and others what they may ask about", async (target) => {
  const { admin, ada, bob, rootId, plantId, boilerId } = await setAccessScene(target);
  const until = new Date(START_MS + 60_000).toISOString();
  await admin.put(`/v1/role/${plantId}/member?userEmail=${BOB}`, { until });
  const personOf = async (asker: Person, userEmail: string) =>
    (await neighbourhoodOf(asker, boilerId, { userEmail })).person;
  const boiler = { roleId: boilerId, name: "Boiler" };
  const plant = { roleId: plantId, name: "Plant", rights: rights(), direct: true };
  const ofBob = {
    ...boiler,
    rights: { ...ABOVE_BOILER, viewManagement: true, reportManagement: true },
    direct: true,
  };
  assert.deepEqual(await personOf(admin, BOB), {
    access: [{ ...plant, until }, ofBob],
    memberOf: [boilerId, plantId],
    mayAsk: [boilerId, plantId, rootId],
  });
  // Ada manages the boiler, and so may know through which roles Bob gets there; her own role she does not manage.
  assert.deepEqual(await personOf(ada, BOB), {
    access: [ofBob],
    memberOf: [boilerId, plantId],
    mayAsk: [boilerId],
  });
  // About oneself, one may ask everything.
  const own = { ...boiler, rights: ABOVE_BOILER, direct: false };
  assert.deepEqual(await personOf(ada, ADA), {
    access: [plant, own],
    memberOf: [plantId],
    mayAsk: [boilerId, plantId],
  });
  await admin.put(`/v1/role/${plantId}/member?userEmail=${ADMIN}`, { until });
  const ofAdmin = async (): Promise<number[]> =>
    (await neighbourhoodOf(admin, boilerId)).memberOf.toSorted((a, b) => a - b);
  assert.deepEqual(await ofAdmin(), [rootId, plantId]);
  target.clock.advance(60);
  assert.deepEqual(await ofAdmin(), [rootId]);
  assert.deepEqual(await personOf(bob, ADA), { access: [], memberOf: [], mayAsk: [] });
  const unknown = { access: [], memberOf: [], mayAsk: [boilerId] };
  assert.deepEqual(await personOf(ada, "nobody@example.com"), unknown);
  await invite(target, admin, rootId, "eve@example.com");
  const eve = { ...boiler, rights: rights("roleManagement", "userManagement"), direct: false };
  assert.deepEqual(await personOf(ada, "eve@example.com"), { ...unknown, access: [eve] });

  const { secret } = await admin.post<{ secret: string }>(`/v1/role/${plantId}/key`, {
    name: "Reader",
    rights: rights(),
    asks: true,
  });
  const asked = await personOf(new Person(target, secret), BOB);
  assert.deepEqual(asked?.mayAsk, [boilerId, plantId]);
  assert.deepEqual(asked.memberOf, [boilerId]);
});

/** The ids from one on, for FROM. */
const NUMBERED =
  "WITH RECURSIVE numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < :count)";
const FIRST_ID = 1_000_000;

/** Roles with the ids from `firstId` + 1 on that are all children, or all parents, of `roleId`. */
const ADD_CHILDREN = [
  `${NUMBERED} INSERT INTO role (id, name, self_rights) SELECT :firstId + n, 'child ' || n, 63 FROM numbered`,
  `${NUMBERED} INSERT INTO manages (id, parent_id, child_id, rights)
    SELECT :firstId + n, :roleId, :firstId + n, 63 FROM numbered`,
  `${NUMBERED} INSERT INTO role_closure (descendant_id, ancestor_id, rights)
    SELECT :firstId + n, above.id, 63 FROM numbered CROSS JOIN (
      SELECT :roleId AS id UNION SELECT ancestor_id FROM role_closure WHERE descendant_id = :roleId) above`,
].map(defineStatement);
const ADD_PARENTS = [
  `${NUMBERED} INSERT INTO manages (id, parent_id, child_id, rights)
    SELECT :relationId + n, :firstId + n, :roleId, 63 FROM numbered`,
  `${NUMBERED} INSERT INTO role_closure (descendant_id, ancestor_id, rights)
    SELECT :roleId, :firstId + n, 63 FROM numbered`,
].map(defineStatement);

interface Added {
  readonly firstId: number;
  readonly count: number;
  readonly roleId: number;
}

async function addChildren({ database }: TestApp, added: Added): Promise<void> {
  await database.write(bindBatch(ADD_CHILDREN, { ...added }));
}

/** Makes roles that exist parents of another. */
async function addParents({ database }: TestApp, added: Added): Promise<void> {
  await database.write(bindBatch(ADD_PARENTS, { ...added, relationId: 10 * added.firstId }));
}

testApp("each page of children has the roles above and, by default, 24 children", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const roleId = await admin.create(rootId, "Plant");
  await addChildren(target, { firstId: FIRST_ID, count: 60, roleId });
  const found: number[] = [];
  const sizes: number[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: Neighbourhood = await neighbourhoodOf(admin, roleId, { ...cursor && { cursor } });
    const [self, above, ...children] = idsOf(page.role);
    assert.deepEqual([self, above], [roleId, rootId]);
    assert.equal(page.manages.length, 1 + children.length);
    assert.equal(page.summary.length, page.role.length);
    found.push(...children);
    sizes.push(children.length);
    cursor = page.nextCursor;
  }
  assert.deepEqual([found.length, new Set(found).size, ...sizes], [60, 60, 24, 24, 12]);
  assert.equal((await neighbourhoodOf(admin, roleId, { limit: 60 })).nextCursor, null);
  assertError(await admin.ask("POST", `/v1/role/${roleId}/neighbourhood/query?limit=101`), 400, MALFORMED);
});

testApp("large counts agree with the summary operation", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const [largeId, smallId] = [await admin.create(rootId, "Large"), await admin.create(rootId, "Small")];
  await addChildren(target, { firstId: FIRST_ID, count: 2500, roleId: largeId });
  await addChildren(target, { firstId: 2 * FIRST_ID, count: 30, roleId: smallId });
  const { summary } = await neighbourhoodOf(admin, rootId);
  const ids = [rootId, largeId, smallId];
  assert.deepEqual({ summary }, await admin.post<{ summary: Summary[] }>("/v1/role/summary", { id: ids }));
  assert.deepEqual(summary.map(({ descendants }) => descendants), [2532, 2500, 30]);
});

testApp("beyond 100 roles above or 1,000 relations, the response says that there is more", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const [upperId, roleId] = [await admin.create(rootId, "Upper"), await admin.create(rootId, "Role")];
  const childId = await admin.create(roleId, "Child");
  await addChildren(target, { firstId: FIRST_ID, count: 2000, roleId: upperId });
  const around = async () => {
    const found = await neighbourhoodOf(admin, roleId);
    const { summary } = await admin.post<{ summary: Summary[] }>("/v1/role/summary", {
      id: idsOf(found.role),
    });
    assert.deepEqual(found.summary, summary);
    return { ...found, above: idsOf(found.role).filter((id) => id !== roleId && id !== childId) };
  };
  const parents = (count: number) => ({ firstId: FIRST_ID, count, roleId });

  await addParents(target, { ...parents(98), roleId });
  const whole = await around();
  assert.deepEqual([whole.above.length, whole.moreAbove, whole.moreManages], [100, false, false]);
  assert.deepEqual(new Set(whole.above.slice(0, 99)), new Set([rootId, ...idsFrom(FIRST_ID, 98)]));
  assert.equal(whole.above[99], upperId, "nearest first");
  assert.equal(whole.manages.length, 99 + 98 + 1 + 1);

  await addParents(target, { ...parents(1), firstId: FIRST_ID + 98 });
  const cut = await around();
  assert.deepEqual([cut.above.length, cut.moreAbove, cut.moreManages], [100, true, false]);
  assert.ok(!cut.above.includes(upperId), "the nearest are there");

  await addParents(target, { ...parents(1001), firstId: FIRST_ID + 99 });
  const many = await around();
  assert.deepEqual([many.above.length, many.moreAbove, many.moreManages], [100, true, true]);
  assert.equal(idsOf(many.role).at(-1), childId);
  assert.ok(many.manages.some((each) => each.parentRoleId === roleId && each.childRoleId === childId));

  await addParents(target, { ...parents(900), firstId: FIRST_ID + 1100 });
  const wide = await around();
  assert.deepEqual([wide.above, wide.moreAbove, wide.moreManages], [[], true, true], "too wide to walk");
  assert.deepEqual(wide.manages.map(({ childRoleId }) => childRoleId), [childId]);
});

testApp("children with many other parents are all listed with their relation to the role", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const [upperId, roleId] = [await admin.create(rootId, "Upper"), await admin.create(rootId, "Role")];
  await addChildren(target, { firstId: FIRST_ID, count: 1200, roleId: upperId });
  const childId = await admin.create(roleId, "Child");
  await addParents(target, { firstId: FIRST_ID, count: 1200, roleId: childId });
  const lastId = await admin.create(roleId, "Last");
  const { role, manages, summary, moreManages } = await neighbourhoodOf(admin, roleId);
  assert.deepEqual(idsOf(role), [roleId, rootId, childId, lastId]);
  assert.equal(moreManages, true);
  const own = manages.filter(({ parentRoleId }) => parentRoleId === roleId);
  assert.deepEqual(own.map(({ childRoleId }) => childRoleId), [childId, lastId]);
  assert.deepEqual(
    { summary },
    await admin.post("/v1/role/summary", { id: idsOf(role).sort((a, b) => a - b) }),
  );
});

function idsFrom(firstId: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => firstId + 1 + i);
}
