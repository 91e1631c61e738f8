import assert from "node:assert/strict";
import { principalOfKey } from "../../src/core/actor.ts";
import type { Database } from "../../src/db/database.ts";
import { createPayers } from "../../src/role/key/payer.ts";
import { rights } from "../every_operation/request_catalogue.ts";
import { execute, query, queryNumber, testApp } from "../helpers/http.ts";
import { bootstrap, invite, Person } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { makeProgram } from "./key_scene.ts";

/** The payer of a key's requests. */

/** Asks anew each time. */
function payerOf({ database, deps: { clock } }: TestApp, keyId: number): Promise<string | undefined> {
  return createPayers({ database, clock }).ofKey(keyId);
}

async function userIdOf(target: TestApp, email: string): Promise<string> {
  return String(await queryNumber(target, `SELECT id FROM user_account WHERE email = '${email}'`));
}

async function removeMember(admin: Person, roleId: number, email: string): Promise<void> {
  const { member } = await admin.post<{ member: { id: number; userEmail: string }[] }>(
    `/v1/role/${roleId}/member/query`,
  );
  await admin.delete(`/v1/role/${roleId}/member/${member.find(({ userEmail }) => userEmail === email)?.id}`);
}

testApp("a key is charged to its maker while they are a member, then to the root", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const roomId = await admin.create(siteId, "Room");
  const maker = await invite(target, admin, siteId, "maker@example.com");
  const makerId = await userIdOf(target, "maker@example.com");
  const direct = await makeProgram(target, maker, siteId);
  const indirect = await makeProgram(target, maker, roomId);
  const ofRoot = await makeProgram(target, admin, rootId);
  assert.equal(await payerOf(target, direct.key.id), makerId);
  assert.equal(await payerOf(target, indirect.key.id), makerId);
  assert.notEqual(await payerOf(target, ofRoot.key.id), makerId);
  assert.notEqual(await payerOf(target, ofRoot.key.id), `root ${rootId}`);
  await removeMember(admin, siteId, "maker@example.com");
  assert.equal(await payerOf(target, direct.key.id), `root ${rootId}`);
  assert.equal(await payerOf(target, indirect.key.id), `root ${rootId}`);
  await admin.put(`/v1/role/${roomId}/member?userEmail=maker@example.com`);
  assert.equal(await payerOf(target, direct.key.id), `root ${rootId}`, "they are below the key's role");
  assert.equal(await payerOf(target, indirect.key.id), makerId);
  assert.equal(await payerOf(target, indirect.key.id + 1000), undefined);
});

testApp("a key of a maker whose membership has ended is charged to the first root", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const other = await target.bootstrapRoot("other@example.com", "Other");
  const siteId = await admin.create(rootId, "Site");
  await admin.put(`/v1/role/${siteId}/member?userEmail=maker@example.com`);
  const makerId = await userIdOf(target, "maker@example.com");
  const { key } = await makeProgram(target, admin, siteId);
  const { key: below } = await makeProgram(target, admin, await admin.create(siteId, "Room"));
  const endsAt = target.clock.now() + 60_000;
  await execute(target, [
    `UPDATE role_key SET created_by = ${makerId} WHERE id IN (${key.id}, ${below.id})`,
    `UPDATE member SET ends_at = ${endsAt} WHERE user_id = ${makerId}`,
    `INSERT INTO role_closure (descendant_id, ancestor_id, rights) VALUES (${siteId}, ${other.roleId}, 1)`,
  ]);
  for (const { id } of [key, below]) assert.equal(await payerOf(target, id), makerId);
  target.clock.advance(60);
  assert.equal(await payerOf(target, below.id), `root ${rootId}`);
  assert.equal(await payerOf(target, key.id), `root ${Math.min(rootId, other.roleId)}`);
  await execute(target, `UPDATE role SET is_root = 0 WHERE id = ${rootId}`);
  assert.equal(await payerOf(target, key.id), `root ${other.roleId}`);
  await execute(target, `DELETE FROM role_closure WHERE descendant_id = ${siteId}`);
  assert.equal(await payerOf(target, key.id), `root ${rootId}`, "without a root above, the one it counts to");
  await execute(target, `UPDATE role SET counted_to = NULL WHERE id = ${siteId}`);
  assert.equal(await payerOf(target, key.id), `root ${siteId}`, "without that, the role itself");
});

testApp("a key is not charged to a root that manages its role without roleManagement", async (target) => {
  const { admin: installer, rootId: installerId } = await bootstrap(target);
  const { userId, roleId: customerId } = await target.bootstrapRoot("customer@example.com", "Customer");
  const customer = new Person(target, (await target.openSession(userId)).accessToken);
  const siteId = await customer.create(customerId, "Site");
  const maker = await invite(target, customer, siteId, "maker@example.com");
  const { key } = await makeProgram(target, maker, siteId);
  const { key: ofRoot } = await makeProgram(target, customer, customerId);
  await customer.put(`/v1/role/${customerId}/password`, {
    password: "a password of a role",
    rights: rights("deviceManagement"),
  });
  const path = `/v1/role/${installerId}/manages?childRoleId=${customerId}`;
  const headers = { "X-Child-Role-Password": "a password of a role" };
  assert.equal((await installer.ask("PUT", path, rights("deviceManagement"), { headers })).status, 200);
  await removeMember(customer, siteId, "maker@example.com");
  assert.equal(await payerOf(target, key.id), `root ${customerId}`);
  // With it, the older root is charged below the other one, which stays charged for its own keys.
  await execute(target, `UPDATE role_closure SET rights = 1 WHERE ancestor_id = ${installerId}`);
  assert.equal(await payerOf(target, key.id), `root ${installerId}`);
  await execute(target, `UPDATE role_key SET created_by = NULL WHERE id = ${ofRoot.id}`);
  assert.equal(await payerOf(target, ofRoot.id), `root ${customerId}`);
});

testApp("a maker is found by few memberships or roles above; else the root is charged", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const { key } = await makeProgram(target, admin, siteId);
  const makerId = (await target.createUser("maker@example.com")).userId;
  const numbered = (last: number) =>
    `WITH RECURSIVE numbered(n) AS (SELECT 1000 UNION ALL SELECT n + 1 FROM numbered WHERE n < ${last})`;
  await execute(target, `UPDATE role_key SET created_by = ${makerId} WHERE id = ${key.id}`);
  await execute(
    target,
    `INSERT INTO role_closure (descendant_id, ancestor_id, rights)
    ${numbered(1149)} SELECT ${siteId}, n, 0 FROM numbered`,
  );
  await execute(target, `INSERT INTO member (id, role_id, user_id) VALUES (5000, 1149, ${makerId})`);
  assert.equal(await payerOf(target, key.id), String(makerId), "the newest of 150 roles above");
  await execute(
    target,
    `INSERT INTO member (id, role_id, user_id)
      ${numbered(1039)} SELECT 5000 + n, n - 500, ${makerId} FROM numbered`,
  );
  assert.equal(await payerOf(target, key.id), `root ${rootId}`, "one of 41 memberships");
  await execute(target, `INSERT INTO member (id, role_id, user_id) VALUES (7000, 1000, ${makerId})`);
  assert.equal(await payerOf(target, key.id), String(makerId), "one of the oldest roles above");
});

testApp("the payer of a key is read once in five seconds, and again after a failure", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const { key } = await makeProgram(target, admin, rootId);
  let reads = 0;
  let fails = false;
  const database: Database = {
    ...target.database,
    read: (statement) => {
      reads++;
      return fails ? Promise.reject(new RangeError("broken")) : target.database.read(statement);
    },
  };
  const payers = createPayers({ database, clock: target.deps.clock });
  const answers = await Promise.all(Array.from({ length: 20 }, () => payers.ofKey(key.id)));
  assert.deepEqual([reads, new Set(answers).size], [1, 1]);
  target.clock.advance(4);
  await payers.ofKey(key.id);
  assert.equal(reads, 1);
  target.clock.advance(1);
  fails = true;
  await assert.rejects(payers.ofKey(key.id), /broken/);
  fails = false;
  assert.equal(await payers.ofKey(key.id), answers[0]);
  assert.equal(reads, 3);
});

testApp("equal refusals of a maker's keys keep their actors and share a minute's rows", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const programs = await Promise.all(Array.from({ length: 3 }, () => makeProgram(target, admin, siteId)));
  for (const { program } of programs) {
    for (let i = 0; i < 25; i++) {
      await program.ask("PUT", `/v1/role/${1000 + i}`, { name: "Mine", selfRights: rights() });
    }
  }
  const rows = await query<{ actor: number; roleId: number | null; attempts: number }>(
    target,
    `SELECT actor_id AS actor, role_id AS roleId, attempts FROM change_log WHERE decision = 'denied' ORDER BY rev`,
  );
  assert.deepEqual(
    [...Map.groupBy(rows, ({ actor }) => actor)].map(([actor, own]) => [
      actor,
      own.length,
      own.reduce((sum, { attempts }) => sum + attempts, 0),
    ]),
    programs.map(({ key }, i) => [principalOfKey(key.id), [25, 25, 11][i], 25]),
  );
});
