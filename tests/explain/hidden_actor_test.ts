/** The end of a page of the log does not tell how much of what is hidden lies before it. */
import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { bodyOf, sendAsked } from "../db/bounds/send_asked.ts";
import { ANY_KIND, testKind } from "../helpers/databases.ts";
import { defineStatement } from "../helpers/text_statement.ts";
import { openLargeScene } from "../helpers/large_scene.ts";
import { execute, queryNumber, testApp } from "../helpers/http.ts";
import { bootstrap, invite } from "../helpers/person.ts";
import { LOG, readLog } from "./log_scene.ts";

const ADD_CHANGES = defineStatement(`
  WITH RECURSIVE numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < :count)
  INSERT INTO change_log (op_id, at, actor_id, session_id, kind, role_id, parent_id, decision, step)
  SELECT 'hidden ' || n, 0, :userId, 's', 'role.update', :roleId, :roleId, 'ok', 'none' FROM numbered`);

testKind(
  ANY_KIND,
  "the end of a page of one actor's changes does not tell how many hidden ones they made",
  async () => {
    await using scene = await openLargeScene(ANY_KIND);
    const { deps } = scene.service;
    // With many memberships, a page ends where judging the roles of its rows has used up its steps.
    const reader = await scene.addPerson(await scene.addRoles(40));
    const [roleId = 0] = await scene.addRoles(1, { parentIds: await scene.addRoles(150) });
    const [busy, idle] = [await scene.addPerson([roleId]), await scene.addPerson()];
    await scene.write([ADD_CHANGES], { count: 700, userId: busy.userId, roleId });
    const app = createApp(deps);
    const filters = [
      ...[busy.email, idle.email, "unknown@stall.example"].map((actorEmail) => ({ actorEmail })),
      ...[busy.userId, idle.userId, 987_654].map((actorId) => ({ actorId })),
      { keyId: 987_654 },
    ];
    const pages = await Promise.all(filters.map(async (filter) => {
      const asked = { method: "POST", path: LOG, body: { filter } };
      return bodyOf(await sendAsked({ app, deps }, asked, reader.token));
    }));
    for (const page of pages) assert.deepEqual(page, pages[0], JSON.stringify(filters));
    assert.equal((pages[0] as { change: unknown[] }).change.length, 0);
  },
);

testApp("the end of a page does not tell how many roles are above that of a hidden actor", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  let installerId = rootId;
  for (let i = 0; i < 120; i++) installerId = await admin.create(installerId, `Role ${i}`);
  const houseId = await admin.create(rootId, "House");
  const owner = await invite(target, admin, houseId, "owner@example.com");
  const after = await queryNumber(target, "SELECT max(rev) FROM change_log");
  await execute(
    target,
    `WITH RECURSIVE numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < 600)
     INSERT INTO change_log
       (op_id, at, actor_id, session_id, kind, decision, step, role_id, relation_id, via_role_id)
     SELECT 'planted ' || n, (SELECT max(at) FROM change_log), 99, '', 'member.add', 'ok', 'write', :houseId,
       5000 + n, :installerId FROM numbered`,
    { houseId, installerId },
  );
  const page = await readLog(owner, { after });
  assert.deepEqual([page.change.length, page.nextRevision], [600, after + 600]);
});
