/** An explanation follows up to 10,000 relations, and none for a caller who may not ask. */
import assert from "node:assert/strict";
import type { BoundStatement } from "../../src/db/statement.ts";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { testApp } from "../helpers/http.ts";
import { bootstrap, Person } from "../helpers/person.ts";
import { addLattice, addParents, addRelation } from "../role/many_relations.ts";
import { explain, idsOf, nothing } from "./explain_scene.ts";

testApp("an explanation follows up to 10,000 relations", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site", rights("roleManagement"), rights());
  await admin.put(`/v1/role/${siteId}/member?userEmail=sam@example.com`);
  const sam = new Person(target, (await target.createUser("sam@example.com")).accessToken);
  const question = { roleId: siteId, right: "viewManagement" };
  const { revision } = await explain(admin, question);
  await addParents(target, rootId, siteId, 4999);
  await addRelation(target, 1, 2);
  // The closure did not notice, so that it is the closure that says whether it is allowed.
  const whole = await explain(admin, question);
  assert.deepEqual([whole.allowed, whole.truncated, whole.ways.length, whole.blocked.length], [
    false,
    false,
    10,
    2,
  ]);
  assert.deepEqual((await explain(sam, question)).fix, [{
    roleId: siteId,
    right: "viewManagement",
    mayYou: false,
  }]);

  await addRelation(target, 2, 3);
  const cut = await explain(admin, question);
  assert.deepEqual([cut.allowed, cut.truncated, cut.fix], [false, true, []]);
  assert.ok(cut.ways.length > 0);
  const ofSam = await explain(sam, question);
  assert.deepEqual([ofSam.allowed, ofSam.truncated, ofSam.fix], [false, true, []]);
  assert.equal(ofSam.blocked.length, 1);

  // The past has no closure that could answer.
  const past = await admin.ask("POST", "/v1/rights/explain", { ...question, asOf: revision });
  assert.equal(past.status, 422);
  // A caller who sees nothing of the role learns nothing of it.
  const { accessToken } = await target.createUser("eva@example.com");
  const eva = new Person(target, accessToken);
  assert.deepEqual(await explain(eva, question), nothing(revision));
  assert.deepEqual(await explain(eva, { ...question, asOf: revision }), nothing(revision));
  // Nor by the time: no relation is followed, as for an id that there is not.
  const ownId = await admin.create(rootId, "Own");
  await admin.put(`/v1/role/${ownId}/member?userEmail=eva@example.com`);
  const { database } = target.deps;
  const read = database.read.bind(database);
  const followed: number[] = [];
  database.read = async <T>(statement: BoundStatement): Promise<T[]> => {
    const rows = await read<T & { relations?: string }>(statement);
    followed.push(
      ...rows.flatMap(({ relations }) => relations === undefined ? [] : [JSON.parse(relations).length]),
    );
    return rows;
  };
  const now = (await explain(admin, { roleId: ownId, right: "viewManagement" })).revision;
  followed.length = 0;
  for (const roleId of [siteId, 999_999]) {
    assert.deepEqual(await explain(eva, { ...question, roleId, asOf: now }), nothing(now));
    const checks = [{ roleId, right: "viewManagement" }];
    assert.deepEqual(await eva.post("/v1/rights/check", { checks, asOf: now }), {
      allowed: [false],
      revision: now,
    });
  }
  assert.deepEqual(followed, [0, 0, 0, 0]);
});

testApp("a lattice with countless ways is explained", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await admin.create(rootId, "Site", ALL);
  const roleId = await addLattice(target, rootId, { width: 10, depth: 20 });
  const question = { roleId, right: "viewManagement" };
  const { ways, blocked, fix, truncated, revision } = await explain(admin, question);
  assert.equal(truncated, false);
  assert.deepEqual(fix, []);
  assert.deepEqual([ways, blocked].map((some) => new Set(some.map((way) => idsOf(way).join())).size), [
    10,
    10,
  ]);
  for (const { relations } of [...ways, ...blocked]) assert.equal(relations.length, 21);
  for (const { lostAt } of blocked) assert.equal(lostAt.length, 1);
  const past = await explain(admin, { ...question, asOf: revision });
  assert.equal(past.allowed, true);
  assert.deepEqual([past.ways.length, past.blocked.length], [10, 10]);
});
