/** Accounts with many memberships are deleted in steps, which leave no gap and survive an interruption. */
import assert from "node:assert/strict";
import { createApp } from "../../../src/app.ts";
import { MEMBERSHIPS_AT_ONCE } from "../../../src/accounts/own/leave_queries.ts";
import { finishLeaving } from "../../../src/accounts/own/leave_service.ts";
import type { Database } from "../../../src/db/database.ts";
import { bind } from "../../../src/db/statement.ts";
import { LOOSE_ROWS } from "../../../src/graph/closure/verification_queries.ts";
import {
  assertError,
  DENIED,
  execute,
  forEachApp,
  query,
  queryNumber,
  send,
  UNVERIFIED,
} from "../../helpers/http.ts";
import { bootstrap, type Deletion, type Member, Person } from "../../helpers/person.ts";
import { requestsTo, type TestApp } from "../../helpers/test_app.ts";
import { effectIn } from "../../changes/effect_scene.ts";

const WITHOUT_MEMBER = "The root role would be left without a member";
const LEAVER = "leaver@example.com";
const COUNT = 2 * MEMBERSHIPS_AT_ONCE + 1;
const FIRST_ID = 1001;

interface LeavingScene {
  readonly admin: Person;
  readonly rootId: number;
  readonly leaver: Person;
  readonly leaverId: number;
}

/** A member of many roles below a root. */
async function openScene(target: TestApp): Promise<LeavingScene> {
  const { admin, rootId } = await bootstrap(target);
  const { userId, accessToken } = await target.createUser(LEAVER);
  await execute(target, [
    "UPDATE id_sequence SET last_id = 100000",
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${COUNT})
     INSERT INTO role (id, name, self_rights) SELECT ${FIRST_ID} + i, 'Site ' || i, 63 FROM n`,
    ...[
      `INSERT INTO manages (id, parent_id, child_id, rights) SELECT id, ${rootId}, id, 63`,
      `INSERT INTO role_closure (descendant_id, ancestor_id, rights) SELECT id, ${rootId}, 63`,
      `INSERT INTO member (id, role_id, user_id) SELECT id + 50000, id, ${userId}`,
    ].map((insert) => `${insert} FROM role WHERE id >= ${FIRST_ID}`),
  ]);
  return { admin, rootId, leaver: new Person(target, accessToken), leaverId: userId };
}

/** Deletes the leaver's account in an app whose writes after the first call `between`. */
function leave(target: TestApp, { leaver }: LeavingScene, between: () => Promise<void>) {
  let writes = 0;
  const database: Database = {
    ...target.database,
    async write(statements) {
      if (writes++ > 0) await between();
      return await target.database.write(statements);
    },
  };
  const request = requestsTo(createApp({ ...target.deps, database }));
  return send({ request }, "DELETE", "/user", { token: leaver.accessToken });
}

const countLeft = (target: TestApp, { leaverId }: LeavingScene) =>
  queryNumber(target, `SELECT count(*) FROM member WHERE user_id = ${leaverId}`);

/** All traces of the deletion are as if it had been one step. */
async function assertLeft(target: TestApp, { leaverId: userId }: LeavingScene): Promise<void> {
  const [row] = await query(
    target,
    `SELECT (SELECT count(*) FROM member WHERE user_id = :userId) AS members,
       (SELECT count(*) FROM member_history WHERE user_id = :userId AND to_rev = 9007199254740991) AS open,
       (SELECT count(*) FROM departure) AS departures,
       (SELECT count(DISTINCT relation_id) FROM change_log
        WHERE kind = 'member.leave' AND decision = 'ok' AND actor_id = :userId AND subject_id = :userId) AS recorded,
       (SELECT count(*) FROM change_log WHERE kind = 'member.leave') AS rows`,
    { userId },
  );
  assert.deepEqual({ ...row }, { members: 0, open: 0, departures: 0, recorded: COUNT, rows: COUNT });
}

forEachApp("others write between the steps of a deletion, and no membership counts then", async (target) => {
  const scene = await openScene(target);
  const { admin, rootId, leaver } = scene;
  const lastId = FIRST_ID + COUNT - 1;
  const { roleId: otherRootId, userId: keeperId } = await target.bootstrapRoot(
    "keeper@example.com",
    "Other root",
  );
  const keeper = new Person(target, await target.accessToken(keeperId));
  await execute(
    target,
    "INSERT INTO member (id, role_id, user_id) VALUES (99999, :otherRootId, :leaverId)",
    { otherRootId, leaverId: scene.leaverId },
  );
  assert.ok(otherRootId > lastId, "the membership that keeps the root ends in the last step");
  async function look(): Promise<void> {
    await admin.create(rootId, "Between");
    assertError(await leaver.ask("GET", "/user"), 401, UNVERIFIED);
    const { member } = await admin.post<{ member: Member[] }>(`/v1/role/${lastId}/member/query`, {});
    assert.deepEqual(member, [], "the list of members");
    const access = await admin.ask("POST", `/v1/role/${lastId}/access/query`, {});
    assert.equal(access.status, 200, access.text);
    assert.ok(!access.text.includes(`"principalId":${scene.leaverId},`), access.text);
    // The one who is left keeps the root alone.
    assertError(await keeper.ask("DELETE", "/user"), 409, WITHOUT_MEMBER);
    assert.deepEqual(await target.database.read(bind(LOOSE_ROWS, { limit: 10 })), []);
  }
  const seen: number[] = [];
  let looked: Promise<void> | undefined;
  const answer = await leave(target, scene, async () => {
    seen.push(await countLeft(target, scene));
    await (looked ??= look());
  });
  await looked;
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(seen, [MEMBERSHIPS_AT_ONCE + 2, 2]);
  await execute(target, "DELETE FROM change_log WHERE relation_id = 99999");
  await assertLeft(target, scene);
});

forEachApp("a deletion that is interrupted after its first step is finished by the job", async (target) => {
  const scene = await openScene(target);
  const answer = await leave(target, scene, () => Promise.reject(new Error("The process ends here")));
  assert.equal(answer.status, 200, "the account is deleted for good");
  assert.equal(await countLeft(target, scene), COUNT - MEMBERSHIPS_AT_ONCE);
  const again = await scene.admin.ask("PUT", `/v1/role/${FIRST_ID}/member?userEmail=${LEAVER}`);
  assert.equal(again.status, 200, "the address is free for another account");
  await Promise.all([finishLeaving(target.deps), finishLeaving(target.deps)]);
  await assertLeft(target, scene);
});

forEachApp("changes and previews do not count a member whose deletion goes on", async (target) => {
  const scene = await openScene(target);
  const { admin, rootId } = scene;
  const [siteId, plantId] = [FIRST_ID + COUNT - 1, FIRST_ID + COUNT - 2];
  await leave(target, scene, () => Promise.reject(new Error("The process ends here")));
  // It stays without a relation, and the leaver was all that managed it.
  await execute(target, "UPDATE role SET is_root = 1 WHERE id = :plantId", { plantId });
  const member = `/v1/role/${siteId}/member/${siteId + 50_000}`;
  assertError(await admin.ask("POST", `${member}/invitation`, {}), 403, DENIED);
  assertError(await admin.ask("DELETE", member), 403, DENIED);
  const previewed = async (relationId: number) => {
    const answer = await admin.ask("DELETE", `/v1/role/${rootId}/manages/${relationId}?dryRun=true`);
    const { deletedRelationIds } = answer.body as Deletion;
    const { people, unmanaged } = effectIn(answer);
    return { deletedRelationIds, people, unmanaged };
  };
  const people = { gained: 0, lost: 1 };
  assert.deepEqual(await previewed(siteId), { deletedRelationIds: [siteId], people, unmanaged: [] });
  assert.deepEqual(await previewed(plantId), { deletedRelationIds: [plantId], people, unmanaged: [plantId] });
});
