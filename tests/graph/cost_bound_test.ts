/** The cost of a change counts all rows that it may touch, and is in the log only for who may know it. */
import assert from "node:assert/strict";
import { createRole, link, startSmallWorld } from "../model/oracle_builder.ts";
import { send } from "../model/oracle_http.ts";
import { assertSameGraph } from "../model/oracle_run.ts";
import { ALL_RIGHTS, ROLE_MANAGEMENT, VIEW_MANAGEMENT } from "../model/oracle_rights.ts";
import { forEachApp, query } from "../helpers/http.ts";
import { openTestApp } from "../helpers/test_app.ts";
import { DATABASES, testKind } from "../helpers/databases.ts";

const CHAIN = 40;

for (const kind of DATABASES) {
  testKind(
    kind,
    "the cost of a chain entered at every role includes the rows joined to recompute it",
    async () => {
      // Rectangle and entering relations alone are about 1,100; with the rows that recomputing joins it is about 2,800.
      await using target = await openTestApp(kind, { maxClosureChange: 2000 });
      const { run, rootId, adminId } = await startSmallWorld(target);
      let parentId = rootId;
      for (let i = 0; i < 8; i++) parentId = await createRole(run, adminId, { parentId, rights: ALL_RIGHTS });
      const topId = parentId;
      const chain: number[] = [];
      for (let i = 0; i < CHAIN; i++) {
        parentId = await createRole(run, adminId, { parentId, rights: ALL_RIGHTS });
        chain.push(parentId);
      }
      for (const childId of chain.slice(1)) {
        await link(run, adminId, { parentId: topId, childId, rights: ALL_RIGHTS });
      }
      const relation = [...run.world.relations.values()].find(({ childId }) => childId === chain[0]);
      assert.ok(relation !== undefined);
      const weaken = {
        kind: "putRelationById",
        userId: adminId,
        parentId: topId,
        relationId: relation.id,
        rights: ROLE_MANAGEMENT | VIEW_MANAGEMENT,
      } as const;
      assert.equal((await send(run, weaken)).status, 422);
      const dryRun = { ...weaken, kind: "deleteRelation", dryRun: false } as const;
      assert.equal((await send(run, dryRun)).status, 422);
      await assertSameGraph(run);
    },
  );
}

forEachApp("a chain entered only at its top costs its rectangle and its relations", async (target) => {
  const { run, rootId, adminId } = await startSmallWorld(target);
  const topId = await createRole(run, adminId, { parentId: rootId, rights: ALL_RIGHTS });
  let parentId = topId;
  for (let i = 0; i < 3; i++) parentId = await createRole(run, adminId, { parentId, rights: ALL_RIGHTS });
  await link(run, adminId, { parentId: rootId, childId: topId, rights: ROLE_MANAGEMENT });
  const sql = "SELECT cost FROM change_log ORDER BY rev DESC LIMIT 1";
  // One role above, four below, and the four relations that enter these; no other path joins rows below them.
  assert.deepEqual((await query(target, sql))[0], { cost: 8 });
});

forEachApp("the log shows no cost for a stranger's denied change", async (target) => {
  const { run, rootId, adminId, userId } = await startSmallWorld(target);
  const parentId = await createRole(run, adminId, { parentId: rootId, rights: ALL_RIGHTS });
  const [relation] = [...run.world.relations.values()];
  assert.ok(relation !== undefined);
  const denied = [
    { kind: "deleteRelation", userId, parentId: rootId, relationId: relation.id, dryRun: true },
    // The roles above are not counted for it.
    { kind: "createRole", userId, parentId, rights: ALL_RIGHTS, name: "x", selfRights: 0 },
  ] as const;
  for (const operation of denied) {
    assert.equal((await send(run, operation)).status, 403);
    const sql = "SELECT decision, cost FROM change_log ORDER BY rev DESC LIMIT 1";
    assert.deepEqual((await query(target, sql))[0], { decision: "denied", cost: null }, operation.kind);
  }
});
