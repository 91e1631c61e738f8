/** Operations on devices permit exactly the callers whose rights allow it, and reveal nothing to others. */
import assert from "node:assert/strict";
import {
  createDevice,
  DEVICE,
  type Device,
  gatherPeople,
  joinRoles,
  memberOf,
  type Monitors,
  rootMember,
  type Standing,
} from "./device_people.ts";
import { assertError, DENIED, dumpState, query, queryNumber, testApp } from "../helpers/http.ts";
import type { Person } from "../helpers/person.ts";
import { ALL } from "../every_operation/request_catalogue.ts";

/** Which standing may create a device for a role and detach one, attach one, update one, and read one. */
const TABLE: Readonly<Record<Standing, Record<"create" | "attach" | "update" | "read", boolean>>> = {
  "deviceManagement in the role": { create: true, attach: true, update: true, read: true },
  "roleManagement in the role": { create: false, attach: false, update: false, read: true },
  "deviceManagement from above": { create: true, attach: true, update: true, read: true },
  "roleManagement from above": { create: true, attach: false, update: true, read: true },
  "another right from above": { create: false, attach: false, update: false, read: true },
  "deviceManagement behind a relation": { create: false, attach: false, update: false, read: true },
  "no membership": { create: false, attach: false, update: false, read: false },
};

testApp("each operation on devices permits exactly the callers whose rights allow it", async (target) => {
  const { admin, by } = await gatherPeople(target);
  for (const [standing, { person, roleId }] of by) {
    const may = TABLE[standing];
    const { device, monitors } = await createDevice(admin, roleId, `of ${standing}`);
    const allowed = async (may: boolean, method: string, path: string, body?: unknown): Promise<void> => {
      const before = await dumpState(target);
      const answer = await person.ask(method, path, body);
      const context = `${standing}: ${method} ${path}`;
      if (may) return assert.equal(answer.status, 200, `${context}: ${answer.text}`);
      assertError(answer, 403, DENIED, context);
      assert.equal(await dumpState(target), before, `${context}: something changed`);
    };
    const properties = { nodeId: `by ${standing}` };
    await allowed(may.create, "POST", `/v1/device?roleId=${roleId}`, { properties });
    await allowed(may.update, "PUT", `/v1/device/${device.id}`, { properties: { name: "new" } });
    await allowed(may.attach, "PUT", `/v1/role/${roleId}/monitors?deviceId=${device.id}`);
    const seen = await person.post<{ device: Device[] }>("/v1/device/query", { filter: { id: [device.id] } });
    assert.deepEqual(
      seen.device.map(({ id, userRights }) => [id, userRights.monitorManagement]),
      may.read ? [[device.id, may.update]] : [],
      standing,
    );
    const relations = await person.post<{ monitors: Monitors[] }>(`/v1/role/${roleId}/monitors/query`, {
      filter: { id: [monitors.id] },
    });
    assert.deepEqual(relations.monitors, may.read ? [monitors] : [], standing);
    await allowed(may.create, "DELETE", `/v1/role/${roleId}/monitors/${monitors.id}`);
  }
});

testApp("all rights on one device give none on another, and do not reveal that it exists", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const oneId = await admin.create(rootId, "One", ALL, DEVICE);
  const twoId = await admin.create(rootId, "Two", ALL, DEVICE);
  const person = await memberOf(target, admin, oneId);
  const own = await createDevice(person, oneId, "own");
  const { device } = await createDevice(admin, twoId, "foreign");
  const before = await dumpState(target);
  const refused = [
    await person.ask("PUT", `/v1/device/${device.id}`, { properties: { name: "mine" } }),
    await person.ask("PUT", `/v1/role/${oneId}/monitors?deviceId=${device.id}`),
    await person.ask("POST", `/v1/device?roleId=${twoId}`, { properties: { nodeId: "foreign" } }),
    await person.ask("POST", `/v1/device?roleId=${twoId}`, { properties: { nodeId: "new" } }),
  ];
  for (const answer of refused) assertError(answer, 403, DENIED);
  assert.equal(await dumpState(target), before);
  for (const filter of [{}, { id: [own.device.id, device.id] }, { nodeId: ["own", "foreign"] }]) {
    const seen = await person.post<{ device: Device[] }>("/v1/device/query", { filter });
    assert.deepEqual(seen.device.map(({ id }) => id), [own.device.id], JSON.stringify(filter));
  }
});

testApp("one role must hold deviceManagement on both sides of a new monitors relation", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const oneId = await admin.create(rootId, "One", ALL, DEVICE);
  const twoId = await admin.create(rootId, "Two", ALL, DEVICE);
  const person = await memberOf(target, admin, oneId, twoId);
  const { device } = await createDevice(person, oneId, "meter");
  const attach = (who: Person, roleId: number): ReturnType<Person["ask"]> =>
    who.ask("PUT", `/v1/role/${roleId}/monitors?deviceId=${device.id}`);
  assertError(await attach(person, twoId), 403, DENIED);
  const bothId = await admin.create(rootId, "Both", ALL, DEVICE);
  for (const childId of [oneId, twoId]) await joinRoles(admin, bothId, childId, DEVICE);
  const installer = await memberOf(target, admin, bothId);
  const added = await attach(installer, twoId);
  assert.equal(added.status, 200, added.text);
  assert.deepEqual((await attach(installer, twoId)).body, added.body);
  // Now their second role monitors the device itself.
  assert.deepEqual((await attach(person, twoId)).body, added.body);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM monitors"), 2);
});

testApp("a role has rights on a device only while it monitors the device", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const [oneId, twoId] = [await admin.create(rootId, "One"), await admin.create(rootId, "Two", ALL, DEVICE)];
  const { device, monitors } = await createDevice(admin, oneId, "meter");
  const person = await memberOf(target, admin, twoId);
  const update = (): ReturnType<Person["ask"]> =>
    person.ask("PUT", `/v1/device/${device.id}`, { properties: { name: "mine" } });
  assertError(await update(), 403, DENIED);
  const added = await admin.put<{ monitors: Monitors }>(`/v1/role/${twoId}/monitors?deviceId=${device.id}`);
  assert.equal((await update()).status, 200);
  assert.deepEqual(await admin.delete(`/v1/role/${twoId}/monitors/${added.monitors.id}`), {
    deletedNodeIds: [],
    deletedRelationIds: [added.monitors.id],
  });
  assertError(await update(), 403, DENIED);
  assert.deepEqual(await admin.delete(`/v1/role/${oneId}/monitors/${monitors.id}`), {
    deletedNodeIds: [device.id],
    deletedRelationIds: [monitors.id],
  });
  assert.deepEqual(await admin.post("/v1/device/query"), { device: [] });
});

testApp("the log has the reason for each refused operation on a device", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const stranger = await memberOf(target, admin);
  const { device } = await createDevice(admin, rootId, "meter");
  await stranger.ask("PUT", `/v1/device/${device.id}`, { properties: {} });
  await stranger.ask("POST", `/v1/device?roleId=${rootId}`, { properties: { nodeId: "meter" } });
  await admin.ask("POST", `/v1/device?roleId=${rootId}`, { properties: { nodeId: "meter" } });
  await admin.ask("PUT", `/v1/device/${device.id}`, { properties: { nodeId: "another" } });
  const sql = "SELECT kind, decision, step FROM change_log WHERE kind LIKE 'device.%' ORDER BY rev";
  assert.deepEqual((await query(target, sql)).map((row) => Object.values(row)), [
    ["device.create", "ok", "write"],
    ["device.update", "denied", "none"],
    ["device.create", "denied", "none"],
    ["device.create", "node_id_taken", "none"],
    ["device.update", "node_id_fixed", "none"],
  ]);
});
