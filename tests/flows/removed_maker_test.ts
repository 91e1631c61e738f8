/** An administrator makes a key and is removed: afterwards the key returns no rights to them. */
import assert from "node:assert/strict";
import { addDevice } from "../every_operation/telemetry_requests.ts";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { assertError, assertUnchanged, DENIED, forEachApp, queryNumber, testApp } from "../helpers/http.ts";
import { bootstrap, invite, type Manages, Person } from "../helpers/person.ts";
import { makeProgram } from "../key/key_scene.ts";
import { createKey as createKeyByTask } from "../../src/key/key_service.ts";
import type { SpyHasher } from "../helpers/spy_hasher.ts";
import type { TestApp } from "../helpers/test_app.ts";

const PASSWORD = "a password of a role";
const EVE = "eve@example.com";

/**
 * Below the root: a company with a department, and a place that is not the company's. Eve administers both the company
 * and the place, and has made a key of the company.
 */
async function setScene(target: TestApp) {
  const { admin, rootId } = await bootstrap(target);
  const [companyId, placeId] = [await admin.create(rootId, "Company"), await admin.create(rootId, "Place")];
  const departmentId = await admin.create(companyId, "Department");
  const eve = await invite(target, admin, companyId, EVE);
  await admin.put(`/v1/role/${placeId}/member?userEmail=${EVE}`);
  const { key, program } = await makeProgram(target, eve, companyId);
  const ownId = await eve.create(placeId, "Own");
  return { admin, eve, program, key, companyId, departmentId, placeId, ownId };
}

async function removeEve(admin: Person, roleId: number): Promise<void> {
  await admin.delete(`/v1/role/${roleId}/member/${await admin.memberIdOf(roleId, EVE)}`);
}

function link(person: Person, parentId: number, childId: number, mask = ALL, password?: string) {
  const headers = password === undefined ? {} : { "X-Child-Role-Password": password };
  return person.ask("PUT", `/v1/role/${parentId}/manages?childRoleId=${childId}`, mask, { headers });
}

forEachApp("with a key, a role's password is neither compared nor counted", async (target) => {
  const { calls } = target.deps.hasher as SpyHasher;
  const { admin, eve, program, companyId, departmentId, placeId, ownId } = await setScene(target);
  await removeEve(admin, companyId);
  await eve.put(`/v1/role/${ownId}/password`, { password: PASSWORD });
  const { verify, dummy } = calls;
  await assertUnchanged(target, "passwords of roles by a key", async () => {
    for (const password of [PASSWORD, "a wrong password", ""]) {
      for (let i = 0; i < 4; i++) {
        assertError(await link(program, companyId, ownId, rights(), password), 403, DENIED);
      }
    }
    const path = `/v1/role/${companyId}/manages?childRoleId=${ownId}&dryRun=true`;
    const headers = { "X-Child-Role-Password": PASSWORD };
    assertError(await program.ask("PUT", path, rights(), { headers }), 403, DENIED);
  });
  assert.deepEqual(calls, { ...calls, verify, dummy });
  const counted = "SELECT count(*) FROM throttle WHERE scope LIKE 'role_password%'";
  assert.equal(await queryNumber(target, counted), 0);
  assertError(await link(program, ownId, departmentId), 403, DENIED);
  assert.deepEqual(await eve.holds(departmentId, "roleManagement", "viewManagement"), [false, false]);
  // A person with roleManagement on the parent uses it.
  const second = await eve.create(placeId, "Second");
  assert.equal((await link(eve, second, ownId, rights("viewManagement"), PASSWORD)).status, 200);
});

forEachApp("a key makes and widens relations only as long as its maker could", async (target) => {
  const { admin, eve, program, companyId, departmentId, ownId } = await setScene(target);
  await eve.put(`/v1/role/${ownId}/password`, { password: PASSWORD });
  assert.equal((await link(eve, companyId, ownId, ALL, PASSWORD)).status, 200);
  const otherId = await program.create(companyId, "Other department");
  const narrow = rights("viewManagement");
  const { program: viewer } = await makeProgram(target, eve, companyId, { rights: narrow });
  assertError(await link(viewer, departmentId, otherId, narrow), 403, DENIED);
  const { manages } = await program.put<{ manages: Manages }>(
    `/v1/role/${departmentId}/manages?childRoleId=${otherId}`,
    rights("viewManagement", "deviceManagement"),
  );
  await removeEve(admin, companyId);
  // Eve's own role is below the company. Put above a department, it would return to her what she lost.
  for (const childId of [departmentId, otherId]) {
    assertError(await link(program, ownId, childId), 403, DENIED);
  }
  assertError(await link(program, ownId, departmentId, rights()), 403, DENIED);
  const relationId = await admin.relationIdOf(companyId, departmentId);
  const move = `/v1/role/${ownId}/manages?childRoleId=${departmentId}&replaces=${relationId}`;
  assertError(await program.ask("PUT", move, ALL), 403, DENIED);
  const byId = `/v1/role/${departmentId}/manages/${manages.id}`;
  assertError(await program.ask("PUT", byId, ALL), 403, DENIED);
  assertError(await link(program, departmentId, otherId), 403, DENIED);
  // A change that gives no rights does not depend on the maker.
  assert.equal((await link(program, departmentId, otherId, narrow)).status, 200);
  await program.put(byId, rights());
  await program.delete(byId);
  const newId = await program.create(departmentId, "New");
  assert.deepEqual(await program.holds(newId, "roleManagement"), [true]);
  assert.deepEqual(await eve.holds(departmentId, "viewManagement"), [false]);
  // A key succeeds while its maker is still a member.
  const { program: others } = await makeProgram(target, admin, companyId);
  assert.equal((await link(others, departmentId, otherId)).status, 200);
});

forEachApp("a key narrows and deletes a relation by password only if its maker could", async (target) => {
  const { admin, eve, program, key, companyId, placeId } = await setScene(target);
  // The company's own members let the place in, and can end its relation again.
  await eve.put(`/v1/role/${companyId}/password`, { password: PASSWORD });
  const keeper = await invite(target, admin, placeId, "keeper@example.com");
  const rightsOfPlace = rights("userManagement", "deviceManagement");
  assert.equal((await link(keeper, placeId, companyId, rightsOfPlace, PASSWORD)).status, 200);
  const relationId = await keeper.relationIdOf(placeId, companyId);
  const byId = `/v1/role/${placeId}/manages/${relationId}`;
  await removeEve(keeper, companyId);
  assertError(await program.ask("PUT", byId, rights()), 403, DENIED);
  assertError(await program.ask("DELETE", byId), 403, DENIED);
  assertError(await program.ask("DELETE", `${byId}?dryRun=true`), 403, DENIED);
  // Where the maker has the right, the key does, too.
  const { program: second } = await makeProgram(target, admin, companyId);
  await admin.put(`/v1/role/${companyId}/member?userEmail=admin@example.com`);
  assert.equal((await second.ask("PUT", byId, rights("deviceManagement"))).status, 200);
  await admin.delete(`/v1/role/${companyId}/key/${key.id}`);
});

forEachApp("a key changes self rights and attaches devices only while its maker could", async (target) => {
  const { admin, eve, program, companyId, departmentId } = await setScene(target);
  const deviceId = await addDevice(admin, companyId, "meter");
  await admin.put(`/v1/role/${departmentId}/member?userEmail=${EVE}`);
  const update = (name: string, selfRights = ALL) =>
    program.ask("PUT", `/v1/role/${departmentId}`, { name, selfRights });
  const attach = (roleId: number) =>
    program.ask("PUT", `/v1/role/${roleId}/monitors?deviceId=${deviceId}`, {});
  assert.equal((await update("Department", rights("viewManagement"))).status, 200);
  await removeEve(admin, companyId);
  assertError(await update("Department"), 403, DENIED);
  assertError(await attach(departmentId), 403, DENIED);
  assert.deepEqual(await eve.holds(departmentId, "viewManagement", "userManagement"), [true, false]);
  const { device } = await eve.post<{ device: unknown[] }>("/v1/device/query", {});
  assert.deepEqual(device, []);
  assert.equal((await update("Renamed", rights("viewManagement"))).status, 200);
  // Members of the department may need these rights to delete a key of it.
  assertError(await update("Renamed", rights()), 403, DENIED);
  assert.equal((await attach(companyId)).status, 200, "it is attached already");
  await addDevice(program, departmentId, "new meter");
});

testApp("a key made by an administrator's task gives all rights that it holds", async (target) => {
  const { admin, companyId, departmentId } = await setScene(target);
  const otherId = await admin.create(companyId, "Other department");
  const wishes = { roleId: companyId, name: "Program" };
  const { secret } = await createKeyByTask(target.deps, "administrator", wishes);
  assert.equal((await link(new Person(target, secret), departmentId, otherId)).status, 200);
});

testApp("an explanation offers a key only what its maker could still give", async (target) => {
  const { admin, program, companyId, departmentId } = await setScene(target);
  const narrow = rights("roleManagement");
  await admin.put(`/v1/role/${companyId}/manages?childRoleId=${departmentId}`, narrow);
  const mayWiden = async () => {
    const body = { roleId: departmentId, right: "alarmManagement" };
    const { fix } = await program.post<{ fix: { mayYou: boolean }[] | null }>("/v1/rights/explain", body);
    return fix?.map(({ mayYou }) => mayYou);
  };
  assert.deepEqual(await mayWiden(), [true]);
  await removeEve(admin, companyId);
  assert.deepEqual(await mayWiden(), [false]);
});

forEachApp("a key removes members and keys only as long as its maker could", async (target) => {
  const { admin, eve, program, key, companyId } = await setScene(target);
  const { key: other } = await makeProgram(target, admin, companyId, { name: "Other" });
  const { key: third } = await makeProgram(target, admin, companyId, { name: "Third" });
  for (const name of ["anna", "ben"]) {
    await admin.put(`/v1/role/${companyId}/member?userEmail=${name}@example.com`);
  }
  const memberPath = async (email: string) =>
    `/v1/role/${companyId}/member/${await admin.memberIdOf(companyId, email)}`;
  const keyPath = ({ id }: { readonly id: number }) => `/v1/role/${companyId}/key/${id}`;
  await program.delete(await memberPath("anna@example.com"));
  await program.delete(keyPath(other));
  // A maker without rights is as powerless as one who was removed.
  await admin.put(`/v1/role/${companyId}/member?userEmail=${EVE}`, { rights: rights("viewManagement") });
  await assertUnchanged(target, "by the key of a narrowed and a removed maker", async () => {
    assertError(await eve.ask("DELETE", await memberPath("ben@example.com")), 403, DENIED);
    assertError(await program.ask("DELETE", await memberPath("ben@example.com")), 403, DENIED);
    assertError(await program.ask("DELETE", keyPath(third)), 403, DENIED);
  });
  const { key: own } = await makeProgram(target, admin, companyId, { name: "Own" });
  const eves = `SELECT id FROM user_account WHERE email = '${EVE}'`;
  const sql = `UPDATE role_key SET created_by = (${eves}) WHERE id = ${own.id}`;
  await target.database.write([{ sql, args: {} }]);
  await eve.delete(keyPath(own));
  await removeEve(admin, companyId);
  assertError(await eve.ask("DELETE", keyPath(key)), 403, DENIED);
  assertError(await program.ask("DELETE", await memberPath("ben@example.com")), 403, DENIED);
  assertError(await program.ask("DELETE", keyPath(third)), 403, DENIED);
  assertError(await program.ask("DELETE", keyPath(key)), 403, DENIED);
  await admin.delete(keyPath(key));
});

forEachApp("removing a member names the remaining keys that they made", async (target) => {
  const { admin, eve, key, companyId, departmentId, placeId } = await setScene(target);
  const { key: lower } = await makeProgram(target, eve, departmentId, { name: "Lower" });
  const expiresAt = new Date(target.clock.now() + 60_000).toISOString();
  const { key: ended } = await makeProgram(target, eve, departmentId, { name: "Ended", expiresAt });
  await makeProgram(target, eve, placeId, { name: "Elsewhere" });
  await makeProgram(target, admin, companyId, { name: "Of the administrator" });
  await admin.put(`/v1/role/${departmentId}/member?userEmail=${EVE}`);
  const own = await admin.memberIdOf(departmentId, EVE);
  const left = await eve.ask("DELETE", `/v1/role/${departmentId}/member/${own}?dryRun=true`);
  assert.equal("keys" in (left.body as object), false, "they know");
  target.clock.advance(60);
  const path = `/v1/role/${companyId}/member/${await admin.memberIdOf(companyId, EVE)}`;
  const named = [key, lower].map(({ id, roleId, name }) => ({ id, roleId, name }));
  assert.ok(ended.id > lower.id);
  assert.deepEqual((await admin.delete<Removed>(`${path}?dryRun=true`)).keys, named);
  // A caller who manages only the members of the company sees only the company's keys.
  const boss = await invite(target, admin, companyId, "boss@example.com");
  await admin.put(`/v1/role/${companyId}/manages?childRoleId=${departmentId}`, rights("roleManagement"));
  const narrow = { rights: rights("userManagement") };
  await admin.put(`/v1/role/${companyId}/member?userEmail=boss@example.com`, narrow);
  assert.deepEqual((await boss.delete<Removed>(`${path}?dryRun=true`)).keys, named.slice(0, 1));
  assert.deepEqual((await admin.delete<Removed>(path)).keys, named);
  assert.equal((await admin.delete<Removed>(`/v1/role/${departmentId}/member/${own}`)).keys?.length, 1);
});

forEachApp("many keys elsewhere do not displace the named keys of the maker's role", async (target) => {
  const { admin, eve, key, companyId, departmentId, placeId } = await setScene(target);
  const { key: lower } = await makeProgram(target, eve, departmentId, { name: "Lower" });
  const path = `/v1/role/${companyId}/member/${await admin.memberIdOf(companyId, EVE)}?dryRun=true`;
  const before = await admin.delete<Removed>(path);
  const ids = [key.id, lower.id];
  assert.deepEqual([before.keys?.map(({ id }) => id), before.moreKeys], [ids, undefined]);
  const elsewhere = [await eve.create(placeId, "One"), await eve.create(placeId, "Two")];
  target.clock.advance(1);
  for (const roleId of elsewhere) {
    for (let i = 0; i < 100; i++) await makeProgram(target, eve, roleId);
  }
  const after = await admin.delete<Removed>(path);
  const seen = [after.keys?.map(({ id }) => id), after.moreKeys];
  assert.deepEqual(seen, [ids, true], "hers are not among the latest 200");
});

forEachApp("removing a member names up to a hundred keys, and says if there may be more", async (target) => {
  const { admin, eve, departmentId, companyId } = await setScene(target);
  for (let i = 0; i < 100; i++) await makeProgram(target, eve, departmentId);
  const path = `/v1/role/${companyId}/member/${await admin.memberIdOf(companyId, EVE)}?dryRun=true`;
  const removed = await admin.delete<Removed>(path);
  assert.deepEqual([removed.keys?.length, removed.moreKeys], [100, true]);
});

interface Removed {
  readonly moreKeys?: true;
  readonly keys?: readonly { id: number; roleId: number; name: string }[];
}
