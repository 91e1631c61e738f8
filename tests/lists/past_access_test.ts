/** Lists of access at a past moment repeat what was said then, to those who may ask today. */
import assert from "node:assert/strict";
import { RIGHT_NAMES } from "../../src/graph/rights.ts";
import { rights } from "../every_operation/request_catalogue.ts";
import { assertError, execute, forEachApp, MALFORMED, testApp } from "../helpers/http.ts";
import { invite, type Manages, type Member, type Person } from "../helpers/person.ts";
import { randomNumbers } from "../helpers/random_numbers.ts";
import {
  ADA,
  addKey,
  addPeople,
  ADMIN,
  BOB,
  peopleOf,
  type PersonAccess,
  readPages,
  type RoleAccess,
  rolesOf,
  setAccessScene,
} from "./access_scene.ts";

const STEPS = 40;

// On a file alone: a server takes ten times as long to plan each of these statements.
testApp("the list of every past moment repeats what it said then", async (target) => {
  const { admin, rootId, plantId, boilerId } = await setAccessScene(target);
  const roleIds = [rootId, plantId, boilerId];
  for (const parentId of [plantId, rootId, boilerId]) roleIds.push(await admin.create(parentId, "More"));
  const emails = [ADA, BOB, "eve@example.com"];
  await invite(target, admin, plantId, "eve@example.com");
  const random = randomNumbers(11);
  const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T;
  const mask = () => rights(...RIGHT_NAMES.filter((name) => name === "roleManagement" || random(2) === 1));

  /** All that the administrator is told: of each role and each person, at once and in pages. */
  const told = async (asOf?: string | number): Promise<unknown[]> => {
    const moment = asOf === undefined ? {} : { asOf };
    const people = await Promise.all(roleIds.map(async (roleId) => {
      const { access } = await peopleOf(admin, roleId, moment);
      const filter = { userEmail: [BOB, ADMIN], right: ["viewManagement"] };
      return [access, (await peopleOf(admin, roleId, { ...moment, filter })).access];
    }));
    const roles = await Promise.all([...emails, ADMIN].map(async (userEmail) => {
      const { access } = await rolesOf(admin, { userEmail, ...moment });
      const listed = { userEmail, roleId: roleIds.slice(1), right: "viewManagement" };
      return [access, (await rolesOf(admin, { ...listed, ...moment })).access];
    }));
    return [people, roles, (await rolesOf(admin, { keyId: 901, ...moment })).access];
  };

  await addKey(target, { keyId: 901, roleId: plantId, name: "gate", mask: 38 });
  const seen: { asOf: string; told: unknown[] }[] = [];
  for (let step = 0; step < STEPS; step++) {
    target.clock.advance(1 + random(10));
    const roleId = pick(roleIds);
    const kind = random(5);
    if (kind === 0) {
      const until = random(2) === 0 ? null : new Date(target.clock.now() + 20_000).toISOString();
      await admin.ask("PUT", `/v1/role/${roleId}/member?userEmail=${pick(emails)}`, {
        until,
        rights: mask(),
      });
    } else if (kind === 1) {
      await admin.ask("PUT", `/v1/role/${pick(roleIds)}/manages?childRoleId=${roleId}`, mask());
    } else if (kind === 2) {
      await admin.ask("PUT", `/v1/role/${roleId}`, { name: "Same", selfRights: mask() });
    } else if (kind === 3) {
      const { member } = await admin.post<{ member: Member[] }>(`/v1/role/${roleId}/member/query`, {});
      const leaving = member.find(({ userEmail }) => emails.includes(userEmail));
      if (leaving) await admin.ask("DELETE", `/v1/role/${roleId}/member/${leaving.id}`);
    } else if (step > STEPS / 2) {
      const { manages } = await admin.post<{ manages: Manages[] }>(`/v1/role/${roleId}/managed-by/query`, {});
      const spare = manages.length > 1 ? manages[1] : undefined;
      if (spare) await admin.ask("DELETE", `/v1/role/${spare.parentRoleId}/manages/${spare.id}`);
    }
    seen.push({ asOf: new Date(target.clock.now()).toISOString(), told: await told() });
  }
  assert.ok(new Set(seen.map((one) => JSON.stringify(one.told))).size > STEPS / 2);
  // Names, and which roles there are to ask about, are those of now.
  const withoutNames = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value, (key, inner) => key === "name" ? undefined : inner));
  for (const { asOf, told: then } of seen) {
    assert.deepEqual(withoutNames(await told(asOf)), withoutNames(then), asOf);
  }
});

forEachApp("pages of one moment come from one snapshot, even while the graph changes", async (target) => {
  const { admin, plantId, boilerId } = await setAccessScene(target);
  await addPeople(target, plantId, 1500);
  await addKey(target, { keyId: 90_001, roleId: boilerId, name: "gate" });
  const path = `/v1/role/${boilerId}/access/query`;
  const { access, revision } = await peopleOf(admin, boilerId);
  assert.equal(access.length, 1504);
  const { member: [ada] } = await admin.post<{ member: Member[] }>(`/v1/role/${plantId}/member/query`, {
    filter: { userEmail: [ADA] },
  });
  await admin.delete(`/v1/role/${plantId}/member/${ada?.id}`);
  await admin.put(`/v1/role/${boilerId}/member?userEmail=late@example.com`);
  assert.notDeepEqual((await peopleOf(admin, boilerId)).access, access);

  assert.deepEqual(await peopleOf(admin, boilerId, { asOf: revision }), {
    access,
    revision,
    revisionEnd: revision,
  });
  for (const limit of [400, 1000]) {
    assert.deepEqual((await readPages<PersonAccess>(admin, path, { asOf: revision }, limit)).access, access);
  }
  const headers = { Accept: "text/csv" };
  const lines = (await admin.ask("POST", path, { asOf: revision }, { headers })).text.trimEnd().split("\r\n");
  assert.equal(lines.length, 1505);
  assert.ok(lines.slice(1).every((line) => line.endsWith(`,${revision}`)));
});

testApp("past lists have no deleted addresses, but deleted keys, and hide deleted roles", async (target) => {
  const { admin, rootId, plantId, boilerId } = await setAccessScene(target);
  await invite(target, admin, plantId, "eve@example.com");
  const otherId = await admin.create(rootId, "Other", rights("roleManagement"));
  await admin.put(`/v1/role/${otherId}/manages?childRoleId=${boilerId}`, rights("alarmManagement"));
  await admin.put(`/v1/role/${otherId}/member?userEmail=${BOB}`);
  const keyId = 901;
  await addKey(target, { keyId, roleId: boilerId, name: "gate" });
  const { access: before, revision } = await peopleOf(admin, boilerId);
  const listed = before.map(({ userEmail, key }) => userEmail ?? key?.name);
  assert.deepEqual(listed, [ADMIN, ADA, BOB, "eve@example.com", "gate"]);

  const { manages } = await admin.post<{ manages: Manages[] }>(`/v1/role/${otherId}/managed-by/query`, {});
  await admin.delete(`/v1/role/${rootId}/manages/${manages[0]?.id}`);
  await execute(target, [
    "DELETE FROM member WHERE user_id IN (-:keyId, (SELECT id FROM user_account WHERE email = :email))",
    "DELETE FROM role_key WHERE id = :keyId",
    "DELETE FROM user_account WHERE email = :email",
  ], { keyId, email: "eve@example.com" });

  const { access: past } = await peopleOf(admin, boilerId, { asOf: revision });
  const names = past.map(({ userEmail, key }) => key === undefined ? userEmail : key);
  assert.deepEqual(names, [ADMIN, ADA, BOB, null, { id: keyId, name: "gate" }]);
  assert.deepEqual(past[2], { ...before[2], through: [], hidden: 1 });
  assert.deepEqual((await rolesOf(admin, { userEmail: "eve@example.com", asOf: revision })).access, []);
  const ofKey = await rolesOf(admin, { keyId, asOf: revision });
  assert.deepEqual(ofKey.access.map(({ roleId }) => roleId), [boilerId]);
});

testApp("the permission to ask about the past is decided by today's rights", async (target) => {
  const { admin, ada, bob, plantId, boilerId } = await setAccessScene(target);
  const { revision } = await peopleOf(ada, boilerId);
  const { member: [membership] } = await admin.post<{ member: Member[] }>(
    `/v1/role/${plantId}/member/query`,
    { filter: { userEmail: [ADA] } },
  );
  await admin.delete(`/v1/role/${plantId}/member/${membership?.id}`);
  for (const asker of [ada, bob]) {
    const unknown = await asker.ask("POST", "/v1/role/999999/access/query", { asOf: revision });
    const known = await asker.ask("POST", `/v1/role/${boilerId}/access/query`, { asOf: revision });
    assert.equal(unknown.status, 200);
    assert.deepEqual([known.status, known.text], [unknown.status, unknown.text]);
  }
  // Ada sees neither role any more, not even of her own past.
  const own = await rolesOf(ada, { userEmail: ADA, asOf: revision, roleId: [plantId, boilerId, 999_999] });
  assert.deepEqual(own, { access: [], revision, revisionEnd: revision });
  assert.deepEqual((await rolesOf(ada, { userEmail: BOB, asOf: revision })).access, []);
  assert.deepEqual((await rolesOf(admin, { userEmail: ADA, asOf: revision })).access.length, 2);
});

testApp("every caller gets a 400 for a future moment and a 410 before the history", async (target) => {
  const { admin, bob, boilerId } = await setAccessScene(target);
  const { revision } = await peopleOf(admin, boilerId);
  const ofRole = [`/v1/role/${boilerId}/access/query`, {}] as const;
  const paths = [ofRole, ["/v1/access/query", { userEmail: BOB }]] as const;
  const setting = "INSERT OR REPLACE INTO setting (name, value) VALUES ('history_from', :from)";
  await execute(target, setting, { from: String(revision) });
  for (const [path, body] of paths) {
    for (const asker of [admin, bob]) {
      const ask = (asOf: unknown) => asker.ask("POST", path, { ...body, asOf });
      assert.equal((await ask(revision)).status, 200);
      assertError(await ask(revision + 1), 400, MALFORMED);
      assertError(await ask("tomorrow"), 400, MALFORMED);
      assert.equal((await ask(revision - 1)).status, 410);
      assert.equal((await ask("2025-01-01T00:00:00Z")).status, 410);
    }
  }
});

const ADD_PARENTS = [
  "INSERT INTO role (id, name, self_rights) SELECT value, 'Parent', 0 FROM json_each(:parentIds)",
  `INSERT INTO manages (id, parent_id, child_id, rights)
    SELECT value, value, :roleId, 63 FROM json_each(:parentIds)`,
];

testApp("a past list follows up to 10,000 relations; only its readers learn of more", async (target) => {
  const { admin, bob, ada, boilerId } = await setAccessScene(target);
  const { revision } = await peopleOf(admin, boilerId);
  const parentIds = JSON.stringify(Array.from({ length: 10_000 }, (_, i) => 1_000_000 + i));
  await execute(target, ADD_PARENTS, { parentIds, roleId: boilerId });
  const ask = (asker: Person, path: string, body: object) =>
    asker.ask("POST", path, { ...body, asOf: revision });
  const path = `/v1/role/${boilerId}/access/query`;
  assert.equal((await ask(ada, path, {})).status, 422);
  assert.equal((await ask(ada, "/v1/access/query", { userEmail: BOB })).status, 422);
  assert.equal((await ask(bob, "/v1/access/query", { userEmail: BOB, roleId: [boilerId] })).status, 422);
  const unknown = await ask(bob, "/v1/role/999999/access/query", {});
  assert.equal((await ask(bob, path, {})).text, unknown.text);
  const hidden = await ask(bob, "/v1/access/query", { userEmail: ADA, roleId: [boilerId] });
  assert.deepEqual((hidden.body as { access: RoleAccess[] }).access, []);
});
