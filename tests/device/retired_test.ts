/** Devices after a transfer: what former owners keep, and what becomes of it when the new one leaves. */
import assert from "node:assert/strict";
import { assertError, forEachApp, queryNumber } from "../helpers/http.ts";
import { Person } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { lastRevision, undo } from "../flows/undo_scene.ts";
import { createDevice, rootMember } from "./device_people.ts";

const MONTH = 31 * 86_400;

async function scene(target: TestApp) {
  const { admin, rootId } = await rootMember(target);
  const seller = await admin.create(rootId, "Seller");
  const parent = await admin.create(rootId, "Parent");
  const buyer = await admin.create(parent, "Buyer");
  const stranger = await admin.create(rootId, "Stranger");
  const { device } = await createDevice(admin, seller, "meter");
  target.clock.advance(100);
  await admin.post(`/v1/device/${device.id}/transfer?toRoleId=${buyer}`);
  target.clock.advance(MONTH);
  const again = new Person(target, await target.accessToken(1));
  const relationOf = (roleId: number) =>
    queryNumber(target, `SELECT id FROM monitors WHERE role_id = ${roleId} AND device_id = ${device.id}`);
  return { admin: again, rootId, seller, parent, buyer, stranger, deviceId: device.id, relationOf };
}

const take = (person: Person, roleId: number) =>
  person.ask("POST", `/v1/device?roleId=${roleId}`, { properties: { nodeId: "meter" } });

forEachApp("a device detached by its new owner keeps its nodeId for a month", async (target) => {
  const { admin, buyer, stranger, relationOf } = await scene(target);
  const relation = await relationOf(buyer);
  await admin.delete(`/v1/role/${buyer}/monitors/${relation}`);
  const revision = await lastRevision(target);
  assertError(await take(admin, stranger), 409, "The nodeId belongs to another device");
  assert.equal((await undo(admin, revision)).status, 200);
  assert.equal(await relationOf(buyer), relation);
  await admin.delete(`/v1/role/${buyer}/monitors/${relation}`);
  const second = await lastRevision(target);
  target.clock.advance(MONTH);
  const later = new Person(target, await target.accessToken(1));
  assert.equal((await take(later, stranger)).status, 200);
  assert.equal((await undo(later, second)).status, 403);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM monitors WHERE valid_until IS NULL"), 1);
});

forEachApp("a restored role monitors its sold devices again, and reads their past", async (target) => {
  const { admin, rootId, seller, parent, buyer, stranger, relationOf } = await scene(target);
  const ids = [await relationOf(seller), await relationOf(buyer)];
  for (const [above, role] of [[rootId, seller], [parent, buyer]] as const) {
    await admin.delete(`/v1/role/${above}/manages/${await admin.relationIdOf(above, role)}`);
    const { status, body } = await undo(admin, await lastRevision(target));
    assert.equal(status, 200);
    assert.equal((body as { restored: { monitors: number } }).restored.monitors, 1);
  }
  assert.deepEqual([await relationOf(seller), await relationOf(buyer)], ids);
  // Not if another device has the nodeId by then.
  await admin.delete(`/v1/role/${parent}/manages/${await admin.relationIdOf(parent, buyer)}`);
  const revision = await lastRevision(target);
  target.clock.advance(MONTH);
  const later = new Person(target, await target.accessToken(1));
  assert.equal((await take(later, stranger)).status, 200);
  const { body } = await undo(later, revision);
  assert.equal((body as { leftOut: { monitors: number } }).leftOut.monitors, 1);
});

forEachApp("deleting the past of a retired device frees its nodeId", async (target) => {
  const { admin, seller, buyer, relationOf } = await scene(target);
  await admin.delete(`/v1/role/${buyer}/monitors/${await relationOf(buyer)}`);
  target.clock.advance(MONTH);
  const later = new Person(target, await target.accessToken(1));
  await later.delete(`/v1/role/${seller}/monitors/${await relationOf(seller)}`);
  assert.equal((await take(later, buyer)).status, 200);
});

forEachApp("a transfer is made only if it ends the relations that its preview showed", async (target) => {
  const { admin, parent, stranger, deviceId } = await scene(target);
  const path = `/v1/device/${deviceId}/transfer?toRoleId=${stranger}`;
  const { effect } = await admin.post<{ effect: { tag: string } }>(`${path}&dryRun=true`);
  await admin.put(`/v1/role/${parent}/monitors?deviceId=${deviceId}`);
  const sent = { headers: { "If-Effect": effect.tag } };
  assertError(await admin.ask("POST", path, undefined, sent), 409, "EFFECT_CHANGED");
});

forEachApp("managers of each role that loses a device by a transfer learn who took it", async (target) => {
  const { admin, seller, buyer, parent } = await scene(target);
  const { device } = await createDevice(admin, seller, "battery");
  await admin.put(`/v1/role/${parent}/monitors?deviceId=${device.id}`);
  const agent = await target.createUser("agent@example.com");
  const boss = await target.createUser("boss@example.com");
  for (const roleId of [seller, parent, buyer]) {
    await admin.put(`/v1/role/${roleId}/member?userEmail=agent@example.com`);
  }
  await admin.put(`/v1/role/${seller}/member?userEmail=boss@example.com`);
  await new Person(target, agent.accessToken).post(`/v1/device/${device.id}/transfer?toRoleId=${buyer}`);
  const filter = { actorEmail: "agent@example.com", kind: "monitors.end" };
  const read = async (person: Person): Promise<unknown[][]> => {
    const { change } = await person.post<{ change: Record<string, unknown>[] }>("/v1/change/query", {
      filter,
    });
    return change.map((row) => [row["roleId"], row["viaRoleId"], row["nodeId"]]);
  };
  assert.deepEqual(await read(new Person(target, boss.accessToken)), [[seller, seller, "battery"]]);
  assert.deepEqual(await read(admin), [[seller, seller, "battery"], [parent, parent, "battery"]]);
});
