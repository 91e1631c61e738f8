import assert from "node:assert/strict";
import { execute, query, testApp } from "../helpers/http.ts";
import { bootstrap, invite } from "../helpers/person.ts";

testApp("the end of a page does not tell how many roles are above that of a hidden actor", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  let installerId = rootId;
  for (let i = 0; i < 120; i++) installerId = await admin.create(installerId, `Role ${i}`);
  const houseId = await admin.create(rootId, "House");
  const owner = await invite(target, admin, houseId, "owner@example.com");
  const [{ revision } = { revision: 0 }] = await query<{ revision: number }>(
    target,
    "SELECT max(rev) AS revision FROM change_log",
  );
  await execute(
    target,
    `WITH RECURSIVE numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < 600)
     INSERT INTO change_log
       (op_id, at, actor_id, session_id, kind, decision, step, role_id, relation_id, via_role_id)
     SELECT 'planted ' || n, (SELECT max(at) FROM change_log), 99, '', 'member.add', 'ok', 'write', :houseId,
       5000 + n, :installerId FROM numbered`,
    { houseId, installerId },
  );
  const page = await owner.post<{ change: unknown[]; nextRevision: number }>("/v1/change/query", {
    after: revision,
  });
  assert.deepEqual([page.change.length, page.nextRevision], [600, revision + 600]);
});
