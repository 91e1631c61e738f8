/** Ids of other systems: who reads and sets them, where they are unique, and how they are found. */
import assert from "node:assert/strict";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import {
  type Answer,
  assertError,
  DENIED,
  execute,
  forEachApp,
  query,
  queryNumber,
  testApp,
} from "../helpers/http.ts";
import { type Member, Person, type Role } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { lastRevision, undo } from "./undo_scene.ts";
import { type CreatedDevice, type Device, joinRoles, memberOf, rootMember } from "../device/device_people.ts";

const TAKEN =
  "The externalId is that of another one below the same root role: give this one a different externalId";

type Identified<T> = T & { readonly externalId?: string };

const postRole = (person: Person, parentId: number, externalId?: string | null): Promise<Answer> =>
  person.ask("POST", `/v1/role?parentRoleId=${parentId}`, {
    manages: ALL,
    role: { name: "Site", selfRights: ALL, externalId },
  });

async function createRole(person: Person, parentId: number, externalId?: string | null): Promise<number> {
  const { body, text } = await postRole(person, parentId, externalId);
  const { role } = body as { role?: Identified<Role> };
  assert.ok(role, text);
  assert.equal(role.externalId, externalId?.trim());
  return role.id;
}

const putRole = (person: Person, roleId: number, body: object, query = ""): Promise<Answer> =>
  person.ask("PUT", `/v1/role/${roleId}${query}`, { name: "Site", selfRights: ALL, ...body });

const createDevice = (person: Person, roleId: number, nodeId: string, externalId?: string | null) =>
  person.post<CreatedDevice & { device: Identified<Device> }>(`/v1/device?roleId=${roleId}`, {
    properties: { nodeId },
    externalId,
  });

const putDevice = (person: Person, deviceId: number, body: object): Promise<Answer> =>
  person.ask("PUT", `/v1/device/${deviceId}`, { properties: {}, ...body });

/** The external ids of roles or devices that a filter finds, by id. */
async function found(
  person: Person,
  kind: "role" | "device",
  filter: object,
): Promise<[number, string | undefined][]> {
  const lists = await person.post<Record<string, Identified<{ id: number }>[]>>(`/v1/${kind}/query`, {
    filter,
  });
  return (lists[kind] ?? []).map(({ id, externalId }) => [id, externalId]);
}

/** A second root with a member of its own. */
async function otherRoot(target: TestApp): Promise<{ stranger: Person; otherId: number }> {
  const { userId, roleId } = await target.bootstrapRoot("other@example.com", "Other");
  return { stranger: new Person(target, await target.accessToken(userId)), otherId: roleId };
}

forEachApp("a role has the external id that a caller who may update it gives it", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const siteId = await createRole(admin, rootId, "  site 1 ");
  const plainId = await createRole(admin, rootId, null);
  const both = await found(admin, "role", { id: [siteId, plainId] });
  assert.deepEqual(both, [[siteId, "site 1"], [plainId, undefined]]);

  // Without it, it stays, and null removes it. What it is already changes nothing.
  const shown = async (body: object): Promise<string | undefined> => {
    const answer = await putRole(admin, siteId, body);
    assert.equal(answer.status, 200, answer.text);
    return (answer.body as { role: Identified<Role> }).role.externalId;
  };
  assert.equal(await shown({}), "site 1");
  const changes = (): Promise<number> =>
    queryNumber(target, "SELECT count(*) FROM change_log WHERE decision = 'ok'");
  const before = await changes();
  assert.equal(await shown({ externalId: "site 1" }), "site 1");
  assert.equal(await changes(), before);
  const preview = await putRole(admin, siteId, { externalId: "site 2" }, "?dryRun=true");
  assert.equal((preview.body as { role: Identified<Role> }).role.externalId, "site 2");
  assert.deepEqual(await found(admin, "role", { externalId: ["site 1", "site 2"] }), [[siteId, "site 1"]]);
  assert.equal(await shown({ externalId: "site 2" }), "site 2");
  assert.equal(await shown({ externalId: null }), undefined);
  assert.deepEqual(await found(admin, "role", { externalId: ["site 1", "site 2"] }), []);
  assert.deepEqual(await query(target, "SELECT id FROM role WHERE external_root IS NOT NULL"), []);
});

forEachApp("only those who may update a role or device read or set its external id", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const siteId = await createRole(admin, rootId, "site");
  const { device: { id: deviceId } } = await createDevice(admin, siteId, "meter", "device");
  const viewerId = await admin.create(rootId, "Viewer", ALL, rights());
  await joinRoles(admin, viewerId, siteId, rights("viewManagement"));
  const managerId = await admin.create(rootId, "Manager", ALL, rights());
  await joinRoles(admin, managerId, siteId, rights("roleManagement"));
  const manager = await memberOf(target, admin, managerId);
  assert.deepEqual(await found(manager, "role", { externalId: ["site"] }), [[siteId, "site"]]);
  assert.deepEqual(await found(manager, "role", {}), [[siteId, "site"], [managerId, undefined]]);
  assert.deepEqual(await found(manager, "device", { externalId: ["device"] }), [[deviceId, "device"]]);

  const viewer = await memberOf(target, admin, viewerId);
  // A direct member has roleManagement, but no role updates itself. They manage its devices.
  const direct = await memberOf(target, admin, siteId);
  for (const person of [viewer, direct]) {
    for (const filter of [{ id: [siteId] }, { name: ["Site"] }, { ancestorRoleId: [viewerId] }, {}]) {
      const roles = await found(person, "role", filter);
      assert.ok(roles.every(([, externalId]) => externalId === undefined), JSON.stringify(filter));
    }
    assert.deepEqual(await found(person, "role", { externalId: ["site"] }), []);
    assert.deepEqual(await found(person, "role", { externalId: ["site"], id: [siteId] }), []);
    for (const externalId of ["site", "new", null]) {
      assertError(await putRole(person, siteId, { externalId }), 403, DENIED);
    }
  }
  assert.deepEqual(await found(direct, "device", { externalId: ["device"] }), [[deviceId, "device"]]);
  for (const filter of [{}, { id: [deviceId] }, { nodeId: ["meter"] }, { roleId: [siteId] }]) {
    assert.deepEqual(await found(viewer, "device", filter), [[deviceId, undefined]]);
    assert.deepEqual(await found(viewer, "device", { ...filter, externalId: ["device"] }), []);
    const seen = await found(direct, "device", { ...filter, externalId: ["device"] });
    assert.deepEqual(seen, [[deviceId, "device"]]);
  }
  for (const externalId of ["device", "new", null]) {
    assertError(await putDevice(viewer, deviceId, { externalId }), 403, DENIED);
  }
});

forEachApp("an external id is unique below a root, and a conflict reveals no other", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const { stranger, otherId } = await otherRoot(target);
  const [one, two] = [await createRole(admin, rootId, "x"), await createRole(admin, rootId)];
  const { device } = await createDevice(admin, one, "meter", "x");
  const { device: second } = await createDevice(admin, two, "second");
  // A role and a device may have the same, and so may those of another root.
  const theirs = await createRole(stranger, otherId, "x");
  const { device: their } = await createDevice(stranger, theirs, "their meter", "x");

  assertError(await postRole(admin, two, "x"), 409, TAKEN);
  assertError(await putRole(admin, two, { externalId: " x" }), 409, TAKEN);
  assertError(await putRole(admin, two, { externalId: "x" }, "?dryRun=true"), 409, TAKEN);
  const newDevice = { properties: { nodeId: "third" }, externalId: "x" };
  for (const dryRun of ["", "&dryRun=true"]) {
    assertError(await admin.ask("POST", `/v1/device?roleId=${two}${dryRun}`, newDevice), 409, TAKEN);
  }
  assertError(await putDevice(admin, second.id, { externalId: "x", properties: { more: 1 } }), 409, TAKEN);
  // Who may not change it learns nothing of that.
  assertError(await postRole(stranger, two, "x"), 403, DENIED);
  assertError(await stranger.ask("POST", `/v1/device?roleId=${two}`, newDevice), 403, DENIED);
  assertError(await putDevice(stranger, second.id, { externalId: "x" }), 403, DENIED);
  assertError(await putRole(stranger, two, { externalId: "x" }), 403, DENIED);

  assert.deepEqual(await found(admin, "role", { externalId: ["x"] }), [[one, "x"]]);
  assert.deepEqual(await found(stranger, "role", { externalId: ["x", "y"] }), [[theirs, "x"]]);
  assert.deepEqual(await found(admin, "device", { externalId: ["x"] }), [[device.id, "x"]]);
  assert.deepEqual(await found(stranger, "device", { externalId: ["x"] }), [[their.id, "x"]]);

  // A device that both monitor: each learns only of the root by whose role they manage it.
  await execute(
    target,
    "INSERT INTO monitors (id, role_id, device_id) VALUES (100000, :roleId, :deviceId)",
    { roleId: theirs, deviceId: second.id },
  );
  assertError(await putDevice(stranger, second.id, { externalId: "x" }), 409, TAKEN);
  await createDevice(admin, one, "fourth", "y");
  const set = await putDevice(stranger, second.id, { externalId: "y" });
  assert.equal(set.status, 200, set.text);
  assert.deepEqual(await found(stranger, "device", { externalId: ["y"] }), [[second.id, "y"]]);
});

forEachApp("of several callers who give the same external id at once, one succeeds", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const roleIds: number[] = [];
  const devices: number[] = [];
  for (let i = 0; i < 3; i++) {
    roleIds.push(await createRole(admin, rootId));
    devices.push((await createDevice(admin, rootId, `meter ${i}`)).device.id);
  }
  const bodies = await Promise.all([
    ...roleIds.map((id) => putRole(admin, id, { externalId: "won" })),
    ...roleIds.map((id) => postRole(admin, id, "won")),
    ...devices.map((id) => putDevice(admin, id, { externalId: "won" })),
    ...devices.map((id) =>
      admin.ask("POST", `/v1/device?roleId=${rootId}`, {
        properties: { nodeId: `new ${id}` },
        externalId: "won",
      })
    ),
  ]);
  const statuses = bodies.map(({ status }) => status);
  for (const some of [statuses.slice(0, 6), statuses.slice(6)]) {
    assert.deepEqual(some.toSorted(), [200, 409, 409, 409, 409, 409]);
  }
  assert.equal((await found(admin, "role", { externalId: ["won"] })).length, 1);
  assert.equal((await found(admin, "device", { externalId: ["won"] })).length, 1);
});

forEachApp("a device has its external id among its fields, and a change counts as one", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const { device } = await createDevice(admin, rootId, "meter", "a");
  assert.deepEqual(device.externalId, "a");
  const fields = async (...names: string[]): Promise<string[]> => {
    const { device: [only] } = await admin.post<{ device: object[] }>("/v1/device/query", { fields: names });
    return Object.keys(only ?? {});
  };
  assert.deepEqual(await fields("externalId"), ["id", "externalId"]);
  assert.deepEqual(await fields("properties"), ["id", "properties"]);
  assert.deepEqual(await fields("nodeId"), ["id", "externalId", "properties", "lastUpdate", "userRights"]);
  const updated = async (body: object): Promise<Identified<Device>> => {
    const answer = await putDevice(admin, device.id, body);
    assert.equal(answer.status, 200, answer.text);
    return (answer.body as { device: Identified<Device> }).device;
  };
  const same = await updated({ externalId: "a" });
  assert.equal(same.lastUpdate, device.lastUpdate);
  const kept = await updated({ properties: { color: "red" } });
  assert.equal(kept.externalId, "a");
  const changed = await updated({ externalId: "b" });
  assert.equal(changed.externalId, "b");
  assert.ok(changed.lastUpdate > kept.lastUpdate);
  assert.deepEqual(changed.properties, { nodeId: "meter", color: "red" });
  const removed = await updated({ externalId: null });
  assert.equal(Object.hasOwn(removed, "externalId"), false);
});

testApp("an external id has up to 128 characters, none of them a control character", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const siteId = await createRole(admin, rootId);
  const { device } = await createDevice(admin, siteId, "meter");
  for (const good of ["\u{1d7d8}".repeat(128), "'\"\\%_|=;,", "a\u2028b", "0", `  ${"a".repeat(128)}\t`]) {
    const role = await putRole(admin, siteId, { externalId: good });
    assert.equal((role.body as { role: Identified<Role> }).role.externalId, good.trim());
    assert.equal((await putDevice(admin, device.id, { externalId: good })).status, 200);
    assert.deepEqual(await found(admin, "role", { externalId: [good.trim()] }), [[siteId, good.trim()]]);
    assert.deepEqual(await found(admin, "device", { externalId: [good.trim()] }), [[device.id, good.trim()]]);
  }
  for (const bad of ["", " ", "a".repeat(129), "a\0", "a\nb", "a\u0085a", "\ud800", 1, true, ["a"], {}]) {
    const context = JSON.stringify(bad);
    assert.equal((await putRole(admin, siteId, { externalId: bad })).status, 400, context);
    assert.equal((await putDevice(admin, device.id, { externalId: bad })).status, 400, context);
  }
});

forEachApp("a deleted role or device returns with its external id if that is free", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const siteId = await createRole(admin, rootId, "site");
  const lowerId = await createRole(admin, siteId, "lower");
  const { device, monitors } = await createDevice(admin, lowerId, "meter", "device");
  const relation = `/v1/role/${rootId}/manages/${await admin.relationIdOf(rootId, siteId)}`;
  await admin.delete(relation);
  const gone = await lastRevision(target);
  // While they are deleted, others may have their ids.
  const newId = await createRole(admin, rootId, "lower");
  const { device: other } = await createDevice(admin, newId, "other", "device");
  await admin.post(`/v1/change/${gone}/undo`);
  const returned = await found(admin, "role", { id: [siteId, lowerId] });
  assert.deepEqual(returned, [[siteId, "site"], [lowerId, undefined]]);
  assert.deepEqual(await found(admin, "device", { id: [device.id] }), [[device.id, undefined]]);
  assert.deepEqual(
    await query(target, "SELECT id FROM device WHERE (external_id IS NULL) <> (external_root IS NULL)"),
    [],
  );

  assert.equal((await putDevice(admin, other.id, { externalId: "another" })).status, 200);
  assert.equal((await putDevice(admin, device.id, { externalId: "device" })).status, 200);
  await admin.delete(`/v1/role/${lowerId}/monitors/${monitors.id}`);
  const detached = await lastRevision(target);
  assert.deepEqual(await found(admin, "device", { externalId: ["device"] }), []);
  await admin.post(`/v1/change/${detached}/undo`);
  assert.deepEqual(await found(admin, "device", { externalId: ["device"] }), [[device.id, "device"]]);
  // What is no longer in the trash keeps no id.
  await admin.delete(`/v1/role/${lowerId}/monitors/${monitors.id}?permanent=true`);
  assert.deepEqual(
    await query(target, "SELECT external_id FROM gone_device WHERE external_id IS NOT NULL"),
    [],
  );
});

forEachApp("undoing an update puts the external id back, unless it has changed since", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const siteId = await createRole(admin, rootId, "first");
  const change = async (body: object): Promise<number> => {
    const { status, headers } = await putRole(admin, siteId, body);
    assert.equal(status, 200);
    return Number(headers.get("X-Rolegrid-Revision"));
  };
  const externalId = async (): Promise<string | undefined> =>
    (await found(admin, "role", { id: [siteId] }))[0]?.[1];

  const removal = await change({ externalId: null });
  assert.equal((await undo(admin, removal)).status, 200);
  assert.equal(await externalId(), "first");
  const setting = await change({ externalId: "second" });
  await change({ externalId: "between" });
  assertError(await undo(admin, setting), 409, "CHANGED_SINCE");
  await change({ externalId: "second" });
  // Another change of the name alone is no obstacle to undoing that of the id, and stays.
  const renaming = await change({ externalId: "second", name: "Renamed" });
  await change({ externalId: "third", name: "Renamed" });
  assert.equal((await undo(admin, renaming)).status, 200);
  assert.equal(await externalId(), "third");
  const other = await change({ externalId: "fourth" });
  await createRole(admin, rootId, "third");
  assertError(await undo(admin, other), 409, TAKEN);
  assert.equal(await externalId(), "fourth");
});

forEachApp("members are found by the external ids of imported accounts", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const { stranger, otherId } = await otherRoot(target);
  const siteId = await createRole(admin, rootId);
  const { userId, accessToken } = await target.createUser("ada@example.com");
  await execute(target, "UPDATE user_account SET external_id = 'p 1' WHERE id = :userId", { userId });
  const ada = new Person(target, accessToken);
  assert.equal((await ada.get<{ externalId: string }>("/user")).externalId, "p 1");
  const exported = await ada.get<{ account: { externalId: string } }>("/user/export");
  assert.equal(exported.account.externalId, "p 1");
  assert.equal(Object.hasOwn(await admin.get<object>("/user"), "externalId"), false);

  await execute(target, "INSERT INTO member (id, role_id, user_id) VALUES (100000, :siteId, :userId)", {
    siteId,
    userId,
  });
  const found = async (person: Person, filter: object) => {
    const path = "/v1/role/*/member/query";
    const { member } = await person.post<{ member: Identified<Member>[] }>(path, { filter });
    return member.map(({ roleId, externalId }) => [roleId, externalId]);
  };
  for (const more of [{}, { id: [100000] }, { userEmail: ["ada@example.com"] }]) {
    const filter = { ...more, externalId: ["p 1", "p 2"] };
    assert.deepEqual(await found(admin, filter), [[siteId, "p 1"]], JSON.stringify(filter));
    assert.deepEqual(await found(ada, filter), [[siteId, "p 1"]]);
    assert.deepEqual(await found(stranger, filter), []);
    assert.deepEqual(await found(admin, { ...filter, externalId: ["p 2"] }), []);
  }
  // A caller who adds an address does not learn whether it has an account already, or of which import.
  await stranger.put(`/v1/role/${otherId}/member?userEmail=ada@example.com`);
  assert.deepEqual(await found(stranger, { externalId: ["p 1"] }), []);
  assert.deepEqual((await found(stranger, {})).map(([, externalId]) => externalId), [undefined, undefined]);
  assert.deepEqual(await found(ada, { externalId: ["p 1"] }), [[otherId, "p 1"], [siteId, "p 1"]].toSorted());
});

forEachApp("devices of a list have their own external ids, and refusals name the taken", async (target) => {
  const { admin, rootId } = await rootMember(target);
  await createDevice(admin, rootId, "first", "a");
  const ask = (externalIds: (string | null | undefined)[]): Promise<Answer> =>
    admin.ask(
      "POST",
      `/v1/device?roleId=${rootId}`,
      externalIds.map((externalId, i) => ({ properties: { nodeId: `n ${i}` }, externalId })),
      { headers: { "X-Error-Details": "true" } },
    );
  const refused = await ask(["b", "a", null]);
  assert.equal(refused.status, 409, refused.text);
  const { message, details } = refused.body as { message: string; details: { path: string }[] };
  assert.deepEqual([message, details.map(({ path }) => path)], [TAKEN, ["body.1.externalId"]]);
  const twice = await ask(["b", undefined, " b"]);
  assert.equal(twice.status, 400);
  assert.match(twice.text, /body\.2\.externalId/);
  const made = await ask(["b", undefined, "c", null]);
  assert.equal(made.status, 200, made.text);
  const shown = (made.body as { device: Identified<Device> }[]).map(({ device }) => device.externalId);
  assert.deepEqual(shown, ["b", undefined, "c", undefined]);
  const listed = await found(admin, "device", { externalId: ["a", "b", "c"] });
  assert.deepEqual(listed.map(([, externalId]) => externalId), ["a", "b", "c"]);
});
