/** What previews say of people, who may keep a right by other memberships, and of what a deletion takes with it. */
import assert from "node:assert/strict";
import { createDevice } from "../device/device_people.ts";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { assertError, execute, MALFORMED, query, queryNumber, testApp } from "../helpers/http.ts";
import { bootstrap, Person } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { createKey } from "../key/key_scene.ts";
import { type AffectedPerson, ifEffect, preview } from "./effect_scene.ts";

const VIEW = rights("viewManagement");
const MANAGE = rights("roleManagement");
const NARROWED = { ...ALL, viewManagement: false };

/**
 * Root above upper above left and right, and both above the site. Eva is a member of upper alone.
 */
async function setScene(target: TestApp) {
  const { admin, rootId } = await bootstrap(target);
  const upperId = await admin.create(rootId, "Upper");
  const leftId = await admin.create(upperId, "Left");
  const rightId = await admin.create(upperId, "Right");
  const siteId = await admin.create(leftId, "Site");
  await admin.put(`/v1/role/${rightId}/manages?childRoleId=${siteId}`, VIEW);
  const { accessToken } = await join(target, admin, upperId, "eva@example.com");
  const leftRelation = `/v1/role/${leftId}/manages/${await admin.relationIdOf(leftId, siteId)}`;
  const eva = new Person(target, accessToken);
  return { admin, eva, rootId, upperId, leftId, rightId, siteId, leftRelation };
}

async function join(target: TestApp, admin: Person, roleId: number, email: string, body?: unknown) {
  const user = await target.createUser(email);
  await admin.addMember(roleId, email, body);
  return user;
}

function summarize(people: readonly AffectedPerson[]): unknown[] {
  return people.map(({ userEmail, key, on, others }) => [userEmail ?? key, ...on.map(Object.values), others]);
}

testApp("rights that another membership gives are kept, through a role if it is seen", async (target) => {
  const { admin, eva, rootId, leftId, rightId, siteId, leftRelation } = await setScene(target);
  await join(target, admin, leftId, "ruben@example.com");
  await admin.addMember(rightId, "ruben@example.com");
  await join(target, admin, leftId, "sanne@example.com", { rights: VIEW });
  await admin.addMember(rootId, "sanne@example.com");
  const { key } = await createKey(admin, leftId, { name: "Meter", rights: VIEW });

  const effect = await preview(admin, "PUT", leftRelation, NARROWED);
  const view = ["viewManagement"];
  assert.deepEqual(summarize(effect.named), [
    [{ id: key.id, name: "Meter" }, [[siteId], [], view, [], [], false], 0],
  ]);
  assert.deepEqual(summarize(effect.keeps), [
    ["ruben@example.com", [[siteId], [], [], view, [rightId], false], 0],
    ["sanne@example.com", [[siteId], [], [], view, [rootId], false], 0],
  ]);
  assert.deepEqual(effect.people, { gained: 0, lost: 1 });

  // Eva does not see the root, by which Sanne keeps the right.
  const seenByEva = await preview(eva, "PUT", leftRelation, NARROWED);
  assert.deepEqual(summarize(seenByEva.keeps), [
    ["ruben@example.com", [[siteId], [], [], view, [rightId], false], 0],
    ["sanne@example.com", [[siteId], [], [], view, [], true], 0],
  ]);
  assert.equal((await admin.ask("PUT", leftRelation, NARROWED, ifEffect(effect.tag))).status, 200);
});

testApp("the tag of a preview covers what the named people keep", async (target) => {
  const { admin, leftId, rightId, leftRelation } = await setScene(target);
  await join(target, admin, leftId, "ruben@example.com");
  const { tag, people } = await preview(admin, "PUT", leftRelation, NARROWED);
  assert.equal((await preview(admin, "PUT", leftRelation, NARROWED)).tag, tag);
  assert.equal(people.lost, 1);
  await admin.addMember(rightId, "ruben@example.com");
  const kept = await preview(admin, "PUT", leftRelation, NARROWED);
  assert.equal(kept.people.lost, 0);
  assertError(await admin.ask("PUT", leftRelation, NARROWED, ifEffect(tag)), 409, "EFFECT_CHANGED");
});

testApp("of many people, the first 20 are named, and all are counted", async (target) => {
  const { admin, leftId, siteId, leftRelation } = await setScene(target);
  for (let i = 0; i < 25; i++) await join(target, admin, leftId, `person${i}@example.com`);
  const effect = await preview(admin, "PUT", leftRelation, NARROWED);
  assert.deepEqual(
    effect.named.map(({ userEmail }) => userEmail),
    Array.from({ length: 20 }, (_, i) => `person${i}@example.com`),
  );
  assert.deepEqual([effect.people, effect.truncated], [{ gained: 0, lost: 25 }, false]);
  assert.ok(effect.named.every(({ on }) => on.length === 1 && on[0]?.roleIds[0] === siteId));
});

testApp("with many roles above, fewer people are named, and then none", async (target) => {
  const { admin, leftId, siteId, leftRelation } = await setScene(target);
  for (let i = 0; i < 3; i++) await join(target, admin, leftId, `person${i}@example.com`);
  const narrow = () => preview(admin, "PUT", leftRelation, NARROWED);
  const putAbove = (first: number, last: number) =>
    execute(
      target,
      `WITH RECURSIVE numbered(n) AS (SELECT :first UNION ALL SELECT n + 1 FROM numbered WHERE n < :last)
       INSERT INTO role_closure (descendant_id, ancestor_id, rights) SELECT :siteId, 1000000 + n, 0 FROM numbered`,
      { first, last, siteId },
    );
  assert.equal((await narrow()).named.length, 3);
  // 20,000 lookups are enough for two people in fewer than 10,000 roles.
  await putAbove(1, 9000);
  assert.equal((await narrow()).named.length, 2);
  await putAbove(9001, 20_000);
  const { named, people } = await narrow();
  assert.deepEqual([named, people], [[], { gained: 0, lost: 3 }]);
});

testApp("nothing is told of people on roles whose list of access the caller may not read", async (target) => {
  const { admin, leftId, siteId } = await setScene(target);
  // Lea may manage the members of the left role, and sees the site without a right.
  const lowerId = await admin.create(siteId, "Lower", MANAGE, ALL);
  const { accessToken } = await join(target, admin, leftId, "lea@example.com", {
    rights: rights("userManagement"),
  });
  await execute(target, `UPDATE manages SET rights = 1 WHERE child_id = ${siteId}`);
  await execute(target, `UPDATE role_closure SET rights = 1 WHERE descendant_id IN (${siteId}, ${lowerId})`);
  await join(target, admin, leftId, "ruben@example.com");
  await admin.addMember(siteId, "ruben@example.com");
  const lea = new Person(target, accessToken);
  const memberId = await queryNumber(
    target,
    `SELECT id FROM member WHERE role_id = ${leftId} ORDER BY id DESC`,
  );
  const path = `/v1/role/${leftId}/member/${memberId}`;
  const effect = await preview(lea, "DELETE", path);
  assert.deepEqual(
    effect.named.map(({ userEmail, on, others }) => [userEmail, on.map(({ roleIds }) => roleIds), others]),
    [["ruben@example.com", [[leftId]], 2]],
  );
  const seen = await preview(admin, "DELETE", path);
  assert.deepEqual(
    seen.named.map(({ on, others }) => [on.map(({ roleIds, kept }) => [roleIds, kept]), others]),
    [[[[[leftId], []], [[siteId, lowerId], ["roleManagement"]]], 0]],
  );
});

testApp("a deletion that refuses a cascade names what it would delete", async (target) => {
  const { admin, rootId, upperId, leftId, siteId } = await setScene(target);
  for (let i = 0; i < 11; i++) await admin.create(leftId, `Room ${i}`);
  const { device } = await createDevice(admin, leftId, "meter");
  const path = `/v1/role/${upperId}/manages/${await admin.relationIdOf(upperId, leftId)}`;
  const before = await query(target, "SELECT * FROM role");

  // The site is below the right role, too, which does not manage it.
  const shared = await admin.ask("DELETE", `${path}?cascade=refuse`);
  assert.deepEqual((shared.body as { roles: unknown }).roles, {
    count: 1,
    first: [{ id: siteId, name: "Site" }],
  });
  await admin.put(`/v1/role/${rootId}/manages?childRoleId=${siteId}`, ALL);

  const refused = await admin.ask("DELETE", `${path}?cascade=refuse`);
  const { roles, devices, ...rest } = refused.body as {
    roles: { count: number; first: { id: number; name: string }[] };
    devices: unknown;
  };
  assert.deepEqual(rest, { statusCode: 409, error: "Conflict", message: "WOULD_DELETE" });
  assert.equal(roles.count, 12);
  const names = ["Left", ...Array.from({ length: 9 }, (_, i) => `Room ${i}`)];
  assert.deepEqual(roles.first.map(({ name }) => name), names);
  assert.deepEqual(devices, { count: 1, first: [{ id: device.id, nodeId: "meter" }] });
  assert.deepEqual((await admin.ask("DELETE", `${path}?cascade=refuse&dryRun=true`)).body, refused.body);
  assert.deepEqual(await query(target, "SELECT * FROM role"), before);
  const logged =
    "SELECT gone_role_ids AS roles, step FROM change_log WHERE decision = 'would_delete' AND kind = 'manages.delete'";
  assert.deepEqual(await query(target, logged), [{ roles: null, step: "none" }]);
  assertError(await admin.ask("DELETE", `${path}?cascade=no`), 400, MALFORMED);

  const { deletes, tag } = await preview(admin, "DELETE", path);
  assert.deepEqual(deletes, { roles: 12, devices: 1 });
  await createDevice(admin, leftId, "another meter");
  assertError(await admin.ask("DELETE", path, undefined, ifEffect(tag)), 409, "EFFECT_CHANGED");

  // Only the relation goes if another one enters the role.
  await admin.put(`/v1/role/${rootId}/manages?childRoleId=${leftId}`, ALL);
  assert.equal((await admin.ask("DELETE", `${path}?cascade=refuse`)).status, 200);
});
