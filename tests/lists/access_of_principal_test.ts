/** The roles to which a person or key has access, and what hidden ones reveal to the caller: nothing. */
import assert from "node:assert/strict";
import { bindBatch } from "../../src/db/statement.ts";
import { rights } from "../every_operation/request_catalogue.ts";
import { assertError, MALFORMED, testApp } from "../helpers/http.ts";
import { invite } from "../helpers/person.ts";
import { START_MS } from "../helpers/test_app.ts";
import { defineStatement } from "../helpers/text_statement.ts";
import {
  ABOVE_BOILER,
  type AccessBody,
  ADA,
  addKey,
  ADMIN,
  BOB,
  idOf,
  readPages,
  type RoleAccess,
  rolesOf,
  SELF,
  setAccessScene,
} from "./access_scene.ts";

const MINUTE_MS = 60_000;

testApp("a manager sees which of their roles a person has access to", async (target) => {
  const { admin, ada, bob, rootId, plantId, boilerId } = await setAccessScene(target);
  const plant = { roleId: plantId, name: "Plant", rights: rights(), direct: true };
  const boiler = { roleId: boilerId, name: "Boiler", rights: ABOVE_BOILER, direct: false };
  assert.deepEqual((await rolesOf(admin, { userEmail: "Ada@Example.com" })).access, [plant, boiler]);
  // Ada manages the boiler and not her own role, but of her own she sees all.
  assert.deepEqual((await rolesOf(ada, { userEmail: ADA })).access, [plant, boiler]);
  const above = { ...boiler, rights: rights("roleManagement", "userManagement") };
  assert.deepEqual((await rolesOf(ada, { userEmail: ADMIN })).access, [above]);
  const own = { ...boiler, rights: SELF, direct: true };
  assert.deepEqual((await rolesOf(ada, { userEmail: BOB })).access, [own]);
  assert.deepEqual((await rolesOf(bob, { userEmail: BOB })).access, [own]);
  assert.deepEqual((await rolesOf(bob, { userEmail: ADA })).access, []);

  const listed = await rolesOf(admin, { userEmail: ADMIN, roleId: [boilerId, rootId, 999_999, boilerId] });
  assert.deepEqual(listed.access.map(({ roleId }) => roleId), [rootId, boilerId]);
  assert.equal(listed.revision, listed.revisionEnd);
  const ids = async (right: unknown): Promise<number[]> =>
    (await rolesOf(admin, { userEmail: ADMIN, right })).access.map(({ roleId }) => roleId);
  assert.deepEqual(await ids("viewManagement"), [rootId, plantId]);
  assert.deepEqual(await ids(["roleManagement", "userManagement"]), [rootId, plantId, boilerId]);
});

testApp("access through expiring, limited and key memberships equals what the check says", async (target) => {
  const { admin, plantId, boilerId } = await setAccessScene(target);
  const until = new Date(START_MS + MINUTE_MS).toISOString();
  await admin.put(`/v1/role/${plantId}/member?userEmail=${BOB}`, { until, rights: rights("userManagement") });
  await admin.put(`/v1/role/${boilerId}/member?userEmail=${BOB}`, { rights: rights("reportManagement") });
  await addKey(target, { keyId: 901, roleId: plantId, name: "gate", mask: 2, endsAt: START_MS + MINUTE_MS });

  const roles = async (body: object): Promise<unknown[]> => (await rolesOf(admin, body)).access;
  const boiler = { roleId: boilerId, name: "Boiler" };
  const plant = { roleId: plantId, name: "Plant", rights: rights(), direct: true, until };
  const used = rights("userManagement", "reportManagement");
  assert.deepEqual(await roles({ userEmail: BOB }), [plant, { ...boiler, rights: used, direct: true }]);
  assert.deepEqual(await roles({ keyId: 901 }), [
    plant,
    { ...boiler, rights: rights("userManagement"), direct: false, until },
  ]);
  target.clock.advance(60);
  assert.deepEqual(await roles({ userEmail: BOB }), [
    { ...boiler, rights: rights("reportManagement"), direct: true },
  ]);
  assert.deepEqual(await roles({ keyId: 901 }), []);
});

testApp("an account is found by its id, and a list of its roles says whose they are", async (target) => {
  const { admin, ada, ids, rootId, plantId } = await setAccessScene(target);
  const named = { userId: ids.bob, userEmail: BOB };
  const byId = await rolesOf(admin, { userId: ids.bob });
  assert.deepEqual(byId, await rolesOf(admin, { userEmail: BOB }));
  assert.deepEqual(byId.person, named);
  const page = await ada.post<AccessBody<RoleAccess>>("/v1/access/query", { userEmail: BOB, limit: 1 });
  assert.deepEqual(page.person, named);
  // Bob has no access to this one, so the response does not say whether there is an account.
  assert.equal((await rolesOf(ada, { userEmail: BOB, roleId: [plantId] })).person, undefined);
  const { revision } = await rolesOf(admin, { userId: ids.bob });
  assert.deepEqual((await rolesOf(admin, { userId: ids.bob, asOf: revision })).person, named);
  await addKey(target, { keyId: 901, roleId: rootId, name: "gate" });
  assert.equal((await rolesOf(admin, { keyId: 901 })).person, undefined);
});

testApp("a hidden account or key looks like an unknown one", async (target) => {
  const { admin, ada, rootId, plantId, boilerId } = await setAccessScene(target);
  const elsewhere = await admin.create(rootId, "Elsewhere");
  const eve = await invite(target, admin, elsewhere, "eve@example.com");
  await addKey(target, { keyId: 901, roleId: elsewhere, name: "hidden" });
  for (
    const paging of [{}, { limit: 1 }, { limit: 5, roleId: [plantId, boilerId, elsewhere] }, { cursor: "2" }]
  ) {
    const ask = (body: object) => ada.ask("POST", "/v1/access/query", { ...body, ...paging });
    const unknown = await ask({ userEmail: "nobody@example.com" });
    assert.deepEqual((unknown.body as { access: unknown }).access, []);
    const hidden = [{ userEmail: "eve@example.com" }, { userId: await idOf(eve) }, { userId: 999_999 }];
    for (const body of [...hidden, { keyId: 901 }, { keyId: 902 }, { keyId: 0 }]) {
      const answer = await ask(body);
      assert.deepEqual([answer.status, answer.text], [unknown.status, unknown.text], JSON.stringify(body));
    }
  }
});

const ADD_ROLES = [
  defineStatement(`
    INSERT INTO role (id, name, self_rights) SELECT value, 'role ' || value, 0 FROM json_each(:roleIds)`),
  defineStatement(`
    INSERT INTO role_closure (descendant_id, ancestor_id, rights) SELECT value, :parentId, 2 FROM json_each(:roleIds)`),
];

testApp("the end of a page depends on the caller alone, and pages skip nothing", async (target) => {
  const { ada, plantId, boilerId } = await setAccessScene(target);
  const roleIds = Array.from({ length: 4500 }, (_, i) => 10_000 + i);
  await target.database.write(bindBatch(ADD_ROLES, { roleIds: JSON.stringify(roleIds), parentId: plantId }));
  const query = (body: object) => ada.post<AccessBody<RoleAccess>>("/v1/access/query", body);
  const last = roleIds[4200]!;
  await ada.put(`/v1/role/${last}/member?userEmail=${BOB}`);

  const first = await query({ userEmail: BOB, limit: 10 });
  assert.deepEqual(first.access.map(({ roleId }) => roleId), [boilerId]);
  assert.ok(first.nextCursor, "rows may follow");
  const { nextCursor } = await query({ userEmail: "nobody@example.com", limit: 10 });
  assert.equal(nextCursor, first.nextCursor);

  const path = "/v1/access/query";
  const pages = await readPages<RoleAccess>(ada, path, { userEmail: BOB }, 10);
  assert.deepEqual(pages.access.map(({ roleId }) => roleId), [boilerId, last]);
  assert.deepEqual((await query({ userEmail: BOB })).access, pages.access);
  const own = await query({ userEmail: ADA });
  assert.deepEqual(own.access.map(({ roleId }) => roleId), [plantId, boilerId, ...roleIds]);
  assert.deepEqual((await readPages<RoleAccess>(ada, path, { userEmail: ADA }, 1000)).access, own.access);
});

testApp("a request names either one person or one key", async (target) => {
  const { admin } = await setAccessScene(target);
  for (
    const body of [{}, { userEmail: ADA, keyId: 1 }, { userEmail: "nobody" }, { keyId: -1 }, { right: [] }]
  ) {
    assertError(await admin.ask("POST", "/v1/access/query", body), 400, MALFORMED, JSON.stringify(body));
  }
  for (const body of [{}, { roleId: [1] }]) {
    const headers = { "X-Error-Details": "true" };
    const answer = await admin.ask("POST", "/v1/access/query", body, { headers });
    const { details } = answer.body as { details: unknown };
    assert.deepEqual(details, [{ path: "body", message: "Expected userEmail or userId or keyId" }]);
  }
});
