/** A deleted role takes the devices that no remaining role monitors. */
import assert from "node:assert/strict";
import { createDevice, rootMember } from "./device_people.ts";
import { execute, forEachApp, query, queryNumber, testApp } from "../helpers/http.ts";
import type { Deletion } from "../helpers/person.ts";
import { createRole } from "../every_operation/request_catalogue.ts";
import { openTestApp } from "../helpers/test_app.ts";

testApp("deleting a role deletes the devices that no remaining role monitors", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const estateId = await admin.create(rootId, "Estate");
  const homeId = await admin.create(estateId, "Home");
  const stayingId = await admin.create(rootId, "Staying");
  const relationId = await admin.relationIdOf(rootId, estateId);
  const homeRelationId = await admin.relationIdOf(estateId, homeId);
  const own = await createDevice(admin, homeId, "own");
  const within = await createDevice(admin, homeId, "within");
  const shared = await createDevice(admin, homeId, "shared");
  const attach = async (roleId: number, deviceId: number): Promise<number> => {
    const path = `/v1/role/${roleId}/monitors?deviceId=${deviceId}`;
    return (await admin.put<{ monitors: { id: number } }>(path)).monitors.id;
  };
  const withinEstateId = await attach(estateId, within.device.id);
  const keptId = await attach(stayingId, shared.device.id);
  await execute(target, "UPDATE device SET has_points = 1 WHERE node_id <> 'own'");

  const path = `/v1/role/${rootId}/manages/${relationId}`;
  const expected = {
    deletedNodeIds: [estateId, homeId, own.device.id, within.device.id],
    deletedRelationIds: [
      relationId,
      homeRelationId,
      own.monitors.id,
      within.monitors.id,
      shared.monitors.id,
      withinEstateId,
    ],
  };
  const { effect: _, ...planned } = await admin.delete<Deletion & { effect: unknown }>(`${path}?dryRun=true`);
  assert.deepEqual(planned, expected);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM device"), 3);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM monitors"), 5);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM gone_device"), 0);

  assert.deepEqual(await admin.delete<Deletion>(path), expected);
  assert.deepEqual(await query(target, "SELECT node_id AS nodeId FROM device"), [{ nodeId: "shared" }]);
  assert.deepEqual(await query(target, "SELECT id FROM monitors"), [{ id: keptId }]);
  const gone = "SELECT device_id AS id, node_id AS nodeId, has_points AS hasPoints FROM gone_device";
  assert.deepEqual(await query(target, gone), [
    { id: own.device.id, nodeId: "own", hasPoints: 0 },
    { id: within.device.id, nodeId: "within", hasPoints: 1 },
  ]);
  const [log] = await query<{ gone: string }>(
    target,
    "SELECT gone_device_ids AS gone FROM change_log ORDER BY rev DESC LIMIT 1",
  );
  assert.deepEqual(JSON.parse(log?.gone ?? "").sort(), [own.device.id, within.device.id]);
});

forEachApp("the cost of a deletion includes the deleted monitors relations", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const { roleId, relationId } = await createRole(target, admin.accessToken, rootId, "Home");
  for (let i = 0; i < 50; i++) await createDevice(admin, roleId, `meter ${i}`);
  const path = `/v1/role/${rootId}/manages/${relationId}`;
  for (const query of ["?dryRun=true", ""]) {
    const answer = await admin.ask("DELETE", path + query);
    assert.equal(answer.status, 422, answer.text);
  }
  assert.equal(await queryNumber(target, "SELECT count(*) FROM monitors"), 50);
  const { monitors } = await admin.post<{ monitors: { id: number }[] }>(`/v1/role/${roleId}/monitors/query`);
  for (const { id } of monitors.slice(0, 20)) await admin.delete(`/v1/role/${roleId}/monitors/${id}`);
  const deletion = await admin.delete<Deletion>(path);
  assert.equal(deletion.deletedNodeIds.length, 31);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM device"), 0);
}, (kind) => openTestApp(kind, { maxClosureChange: 150 }));
