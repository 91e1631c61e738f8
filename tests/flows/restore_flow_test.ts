/** Deletions are restored with the roles, relations, memberships and devices that they took. */
import assert from "node:assert/strict";
import { type AppDeps, createApp } from "../../src/app.ts";
import { forgetDeletedDevices } from "../../src/telemetry/retention_service.ts";
import { purge } from "../../src/purge/purge_service.ts";
import { restoreByAdministrator } from "../../src/undo/undo_service.ts";
import { assertError, DENIED, execute, forEachApp, queryNumber } from "../helpers/http.ts";
import { bootstrap, type Deletion, invite, Person } from "../helpers/person.ts";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { addDevice } from "../every_operation/telemetry_requests.ts";
import { assertSoundGraph } from "../helpers/sound_graph.ts";
import { openTestApp, requestsTo, type TestApp } from "../helpers/test_app.ts";
import { DEFAULT_STORE_LIMITS } from "../../src/changes/store_limits.ts";
import { lastRevision, undo, worldOf } from "./undo_scene.ts";

const monitorsOf = (target: TestApp, deviceId: number): Promise<number> =>
  queryNumber(target, `SELECT max(id) FROM monitors WHERE device_id = ${deviceId}`);

/** A person whose requests go to a service with these dependencies changed. */
function through(target: TestApp, change: Partial<AppDeps>, { accessToken }: Person): Person {
  return new Person({ request: requestsTo(createApp({ ...target.deps, ...change })) }, accessToken);
}

interface Restored {
  readonly restored: Record<string, number>;
  readonly leftOut: Record<string, number>;
  readonly effect?: { readonly tag: string; readonly rights: Record<string, { gained: number }> };
}

/** Company -> region -> customer -> two sites below each other and side by side; a root below a site; devices. */
async function scene(target: TestApp) {
  const { admin, rootId } = await bootstrap(target);
  const region = await admin.create(rootId, "Region");
  const customer = await admin.create(region, "Customer");
  const north = await admin.create(customer, "North");
  const south = await admin.create(customer, "South", ALL, rights("viewManagement"));
  const roof = await admin.create(north, "Roof", rights("roleManagement", "deviceManagement"));
  await admin.put(`/v1/role/${south}/manages?childRoleId=${roof}`, rights("viewManagement"));
  // A role that survives, since the company manages it, too.
  const shared = await admin.create(rootId, "Shared");
  await admin.put(
    `/v1/role/${roof}/manages?childRoleId=${shared}`,
    rights("deviceManagement", "viewManagement"),
  );
  const alone = await addDevice(admin, roof, "alone");
  const both = await addDevice(admin, roof, "both");
  await admin.put(`/v1/role/${shared}/monitors?deviceId=${both}`);
  const bea = await invite(target, admin, customer, "bea@example.com");
  const until = new Date(target.clock.now() + 300_000).toISOString();
  await admin.put(`/v1/role/${roof}/member?userEmail=cy@example.com`, { rights: ALL, until });
  await admin.put(`/v1/role/${south}/member?userEmail=dee@example.com`);
  const relation = await admin.relationIdOf(region, customer);
  const remove = () => admin.delete<Deletion>(`/v1/role/${region}/manages/${relation}`);
  return { admin, bea, rootId, region, customer, north, south, roof, shared, alone, both, remove };
}

forEachApp("a deletion is restored with all that it took", async (target) => {
  const { admin, remove, bea, customer } = await scene(target);
  const before = await worldOf(target);
  await remove();
  const revision = await lastRevision(target);
  const deleted = await worldOf(target);
  const { body } = await undo(admin, revision, "?dryRun=true");
  const previewed = body as Restored;
  const restored = { roles: 4, devices: 1, relations: 6, monitors: 2, members: 3 };
  assert.deepEqual(previewed.restored, restored);
  assert.deepEqual(previewed.leftOut, { roles: 0, devices: 0, relations: 0, monitors: 0, members: 0 });
  // 16 pairs of restored roles and those above, and 4 with the shared role below.
  assert.equal(previewed.effect?.rights["viewManagement"]?.gained, 20);
  assert.deepEqual(await worldOf(target), deleted);
  const done = await admin.ask("POST", `/v1/change/${revision}/undo`, undefined, {
    headers: { "If-Effect": previewed.effect?.tag ?? "" },
  });
  assert.deepEqual([done.status, (done.body as Restored).restored], [200, restored]);
  assert.deepEqual(await worldOf(target), before);
  await assertSoundGraph(target);
  assert.deepEqual(await bea.holds(customer, "roleManagement"), [true]);
  assert.equal((await undo(admin, revision)).status, 409);
  await remove();
  assert.equal((await undo(admin, await lastRevision(target))).status, 200);
  assert.deepEqual(await worldOf(target), before);
});

forEachApp("what the caller could not make, and who lost access above, is left out", async (target) => {
  const { admin, region, rootId, remove, roof, shared, north } = await scene(target);
  const lead = await invite(target, admin, region, "lead@example.com");
  const dee = await admin.memberIdOf(rootId, "dee@example.com");
  assert.equal(dee, 0);
  await admin.put(`/v1/role/${region}/member?userEmail=dee@example.com`);
  await remove();
  const revision = await lastRevision(target);
  await admin.delete(`/v1/role/${region}/member/${await admin.memberIdOf(region, "dee@example.com")}`);
  const { body } = await undo(lead, revision);
  const { restored, leftOut } = body as Restored;
  // The region manages neither the shared role nor a role that monitors the shared device, and dee was dismissed.
  assert.deepEqual(restored, { roles: 4, devices: 1, relations: 5, monitors: 1, members: 2 });
  assert.deepEqual(leftOut, { roles: 0, devices: 0, relations: 1, monitors: 1, members: 1 });
  assert.equal(await admin.relationIdOf(roof, shared), 0);
  assert.deepEqual(await lead.holds(north, "roleManagement"), [true]);
  await assertSoundGraph(target);
});

forEachApp("a restore needs roleManagement above, and no membership outlives its end", async (target) => {
  const { admin, region, remove, shared } = await scene(target);
  const viewer = await invite(target, admin, shared, "viewer@example.com");
  await admin.put(`/v1/role/${region}/member?userEmail=um@example.com`, { rights: rights("userManagement") });
  await remove();
  const revision = await lastRevision(target);
  assertError(await undo(viewer, revision), 403, DENIED);
  target.clock.advance(301);
  const { body } = await undo(admin, revision);
  assert.equal((body as Restored).leftOut["members"], 1);
});

forEachApp("a deleted device returns from the trash to the role that detached it", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const site = await admin.create(rootId, "Site");
  const other = await admin.create(rootId, "Other");
  const id = await addDevice(admin, site, "meter");
  const before = await worldOf(target);
  const remove = async () => admin.delete(`/v1/role/${site}/monitors/${await monitorsOf(target, id)}`);
  await remove();
  const revision = await lastRevision(target);
  assertError(
    await admin.ask("POST", `/v1/device?roleId=${other}`, { properties: { nodeId: "meter" } }),
    409,
    "The nodeId belongs to another device",
  );
  assert.equal((await undo(admin, revision, "?dryRun=true")).status, 200);
  assert.equal((await undo(admin, revision)).status, 200);
  assert.deepEqual(await worldOf(target), before);
  await remove();
  const second = await lastRevision(target);
  // The same role may give the nodeId to another device, which ends the chance.
  await addDevice(admin, site, "meter");
  assert.equal((await undo(admin, second)).status, 409);
});

forEachApp("a permanent deletion leaves nothing to restore, and empties the trash", async (target) => {
  const { admin, bea, remove, region, customer, shared } = await scene(target);
  const relation = await admin.relationIdOf(region, customer);
  const path = `/v1/role/${region}/manages/${relation}?permanent=true`;
  await remove();
  const revision = await lastRevision(target);
  const viewer = await invite(target, admin, shared, "viewer@example.com");
  for (const person of [viewer, bea]) assertError(await person.ask("DELETE", path), 403, DENIED);
  const { deletedNodeIds } = await admin.delete<Deletion>(path);
  assert.equal(deletedNodeIds.length, 1);
  assertError(await admin.ask("DELETE", path), 403, DENIED);
  const { body } = await undo(admin, revision);
  assert.equal((body as Restored).leftOut["devices"], 1);
  await addDevice(admin, region, "alone");
  const again = await admin.relationIdOf(region, customer);
  await admin.delete(`/v1/role/${region}/manages/${again}?permanent=true`);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM gone_device WHERE purge_at > gone_at"), 0);
  await assertSoundGraph(target);
});

forEachApp("a device can be restored for 30 days, and its points are deleted then", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const id = await addDevice(admin, rootId, "meter");
  await admin.delete(`/v1/role/${rootId}/monitors/${await monitorsOf(target, id)}`);
  const revision = await lastRevision(target);
  const { deps, clock } = target;
  clock.advance(30 * 86_400 - 1);
  assert.equal(await forgetDeletedDevices(deps), 0);
  clock.advance(120);
  assert.equal(await forgetDeletedDevices(deps), 1);
  assert.equal(await restoreByAdministrator(deps, revision), undefined);
});

forEachApp("an administrator restores what costs too much for a request", async (target) => {
  const { admin, remove, region, customer } = await scene(target);
  const before = await worldOf(target);
  await remove();
  const revision = await lastRevision(target);
  const limited = through(target, { maxClosureChange: 50 }, admin);
  assert.equal((await undo(limited, revision)).status, 422);
  const members = { roles: 4, devices: 1, relations: 6, monitors: 2, members: 3 };
  assert.deepEqual((await restoreByAdministrator(target.deps, revision))?.restored, members);
  assert.deepEqual(await worldOf(target), before);
  await assertSoundGraph(target);
  assert.equal(await restoreByAdministrator(target.deps, revision), undefined);
  assert.ok(await admin.relationIdOf(region, customer) > 0);
});

forEachApp("a person whose access was ended above since does not return", async (target) => {
  const { admin, remove, region } = await scene(target);
  await remove();
  const revision = await lastRevision(target);
  await execute(
    target,
    `INSERT INTO change_log (op_id, at, actor_id, session_id, kind, decision, step, role_id, subject_id)
    SELECT 'ended', at, actor_id, session_id, 'access.end', 'ok', 'write', ${region},
      (SELECT id FROM user_account WHERE email = 'cy@example.com') FROM change_log WHERE rev = ${revision}`,
  );
  const { body } = await undo(admin, revision);
  assert.equal((body as Restored).leftOut["members"], 1);
});

forEachApp("without a trash, a device is deleted at once", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const id = await addDevice(admin, rootId, "meter");
  await admin.delete(`/v1/role/${rootId}/monitors/${await monitorsOf(target, id)}`);
  assert.equal((await undo(admin, await lastRevision(target))).status, 409);
  await addDevice(admin, rootId, "meter");
}, (kind) => openTestApp(kind, { storeLimits: { ...DEFAULT_STORE_LIMITS, trashDays: 0 } }));

forEachApp("nothing is undone of which the history is no longer kept", async (target) => {
  const { remove, rootId, region, shared, roof } = await scene(target);
  const adminId = await queryNumber(target, "SELECT min(id) FROM user_account");
  const admin = async (): Promise<Person> => new Person(target, await target.accessToken(adminId));
  const first = await admin();
  await first.delete(`/v1/role/${roof}/manages/${await first.relationIdOf(roof, shared)}`);
  const relation = await lastRevision(target);
  const meter = await addDevice(first, region, "sold");
  await first.delete(`/v1/role/${region}/monitors/${await monitorsOf(target, meter)}`);
  const detached = await lastRevision(target);
  await remove();
  const deletion = await lastRevision(target);
  target.clock.advance(10 * 86_400);
  await (await admin()).create(rootId, "Later");
  target.clock.advance(10 * 86_400);
  const before = await worldOf(target);
  await purge({ ...target.deps, historyDays: 7 });
  const last = await admin();
  for (const revision of [relation, detached, deletion]) {
    assertError(await undo(last, revision), 409, "CANNOT_UNDO");
    assert.equal(await restoreByAdministrator(target.deps, revision), undefined);
  }
  assert.deepEqual(await worldOf(target), before);
});

forEachApp("a role that has grown does not stop a restore that may not join it", async (target) => {
  const { admin, remove, region, shared } = await scene(target);
  const lead = await invite(target, admin, region, "lead@example.com");
  await remove();
  const revision = await lastRevision(target);
  for (let i = 0; i < 100; i++) await admin.create(shared, `shared ${i}`);
  const preview = (person: Person) =>
    undo(through(target, { maxClosureChange: 300 }, person), revision, "?dryRun=true");
  const { status, body } = await preview(lead);
  assert.deepEqual([status, (body as Restored).leftOut["relations"]], [200, 1]);
  assert.equal((await preview(admin)).status, 422);
});

forEachApp("a share of the quota is the limit of the first restore, too", async (target) => {
  const { admin, remove, region } = await scene(target);
  const lead = await invite(target, admin, region, "lead@example.com");
  await remove();
  const revision = await lastRevision(target);
  const storeLimits = { ...DEFAULT_STORE_LIMITS, roles: 24 };
  const restore = (person: Person) => undo(through(target, { storeLimits }, person), revision);
  assert.equal((await restore(lead)).status, 409);
  assert.equal((await restore(admin)).status, 200);
});

forEachApp("undoing a removal does not tell of dismissals in hidden roles above", async (target) => {
  const { admin, region, customer, bea } = await scene(target);
  for (const roleId of [region, customer]) {
    await admin.put(`/v1/role/${roleId}/member?userEmail=eve@example.com`);
  }
  await bea.delete(`/v1/role/${customer}/member/${await bea.memberIdOf(customer, "eve@example.com")}`);
  const revision = await lastRevision(target);
  assert.equal((await undo(bea, revision, "?dryRun=true")).status, 200);
  await admin.delete(`/v1/role/${region}/member/${await admin.memberIdOf(region, "eve@example.com")}`);
  assert.equal((await undo(bea, revision)).status, 200);
});
