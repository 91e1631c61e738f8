/** What a user may do in a role although their membership is dormant, and what a refusal asks for. */
import assert from "node:assert/strict";
import { formatRow } from "../../src/transfer/roles/role_format.ts";
import { GraphReader } from "../../src/transfer/roles/role_graph.ts";
import { importHierarchy } from "../../src/transfer/roles/import_roles.ts";
import { ADMIN, ALL, rights } from "../every_operation/request_catalogue.ts";
import { assertError, DENIED, query, succeed } from "../helpers/http.ts";
import { sudoTokenFor } from "../helpers/sudo.ts";
import { collect, powerOf } from "../every_operation/telemetry_requests.ts";
import { demand, limitedMembership, meet, STEP_UP, SUBJECT } from "./membership_scene.ts";

const PASSWORD = "a long role password";

limitedMembership("a dormant member may leave, but not as the last who keeps a root", async (scene) => {
  const { siteId, rootId, rootMemberId, admin, join, person } = scene;
  await demand(scene, siteId, "phishing-resistant");
  const { id } = await join(siteId, SUBJECT);
  const subject = await person(SUBJECT);
  assert.equal((await subject.ask("DELETE", `/v1/role/${siteId}/member/${id}`)).status, 200);
  await demand(scene, rootId, "required");
  await meet(scene, ADMIN, 0);
  const last = await admin.ask("DELETE", `/v1/role/${rootId}/member/${rootMemberId}`);
  assertError(last, 409, "The root role would be left without a member");
});

limitedMembership("with proof, a maker deletes keys of roles in which they are dormant", async (scene) => {
  const { target, siteId, join, person, inMs } = scene;
  await join(siteId, SUBJECT);
  const subject = await person(SUBJECT);
  await subject.post(`/v1/role/${siteId}/key`, { name: "Meter", expiresAt: inMs(86_400_000) });
  await demand(scene, siteId, "required");
  const [key] = await query(target, "SELECT id FROM role_key");
  const one = await subject.ask("DELETE", `/v1/role/${siteId}/key/${key?.["id"]}`);
  assertError(one, 401, STEP_UP);
  const token = await sudoTokenFor(target.deps, subject.accessToken);
  await succeed(target, "DELETE", "/user/session?keys=true", { token });
  assert.deepEqual(await query(target, "SELECT id FROM role_key"), []);
  const [logged] = await query(
    target,
    "SELECT via_role_id AS via FROM change_log WHERE kind = 'key.delete' AND decision = 'ok'",
  );
  assert.equal(logged?.["via"], siteId);
});

limitedMembership("right or wrong, a role's password asks for a step-up, and counts none", async (scene) => {
  const { target, siteId, rootId, lowId, admin, join, person } = scene;
  const childId = await admin.create(rootId, "Elsewhere");
  const given = rights("viewManagement");
  await admin.put(`/v1/role/${childId}/password`, { password: PASSWORD, rights: given });
  await join(siteId, SUBJECT);
  await demand(scene, siteId, "required");
  const subject = await person(SUBJECT);
  const connect = (parentId: number, password: string) =>
    subject.ask("PUT", `/v1/role/${parentId}/manages?childRoleId=${childId}`, given, {
      headers: { "X-Child-Role-Password": password },
    });
  for (const password of ["a wrong role password", PASSWORD]) {
    assertError(await connect(siteId, password), 401, STEP_UP);
    assert.deepEqual(await query(target, "SELECT * FROM throttle WHERE scope LIKE 'role_password%'"), []);
  }
  // The manager of the parent who is awake there, but dormant where they may give the right.
  await join(lowId, SUBJECT, { rights: rights("roleManagement") });
  assertError(await connect(lowId, "a wrong role password"), 403, DENIED);
  target.clock.advance(60);
  assertError(await connect(lowId, PASSWORD), 401, STEP_UP);
  await meet(scene, SUBJECT, 1);
  assert.equal((await connect(lowId, PASSWORD)).status, 200);
});

limitedMembership("roles that are imported below a role begin with its demand", async (scene) => {
  const { target, siteId } = scene;
  await demand(scene, siteId, "phishing-resistant");
  const reader = new GraphReader();
  reader.add(2, formatRow({ key: "a", name: "Imported", selfRights: 63, topRights: 63, parents: new Map() }));
  const checked = reader.finish({ under: true });
  assert.ok("graph" in checked);
  await importHierarchy(target.deps, checked.graph, { underId: siteId });
  const demands = await query(target, "SELECT needs FROM role WHERE name IN ('Imported', 'Site')");
  assert.deepEqual(demands, [{ needs: 2 }, { needs: 2 }]);
});

limitedMembership("device changes ask for a step-up where a dormant membership is missing", async (scene) => {
  const { rootId, admin, join, person, inMs } = scene;
  const [a = 0, b = 0, c = 0, x = 0, y = 0] = await Array.fromAsync(
    "ABCXY",
    (name) => admin.create(rootId, name),
  );
  for (const [parent, child] of [[x, a], [x, c], [y, b], [y, c]]) {
    await admin.put(`/v1/role/${parent}/manages?childRoleId=${child}`, ALL);
  }
  const { device } = await admin.post<{ device: { id: number } }>(`/v1/device?roleId=${a}`, {
    properties: { nodeId: "another meter" },
  });
  await admin.put(`/v1/role/${b}/monitors?deviceId=${device.id}`, {});
  await admin.put(`/v1/role/${a}/monitors?deviceId=${device.id}`, { until: inMs(86_400_000) });
  await join(x, SUBJECT);
  await join(y, SUBJECT);
  await demand(scene, y, "required");
  const subject = await person(SUBJECT);
  const transfer = () => subject.ask("POST", `/v1/device/${device.id}/transfer?toRoleId=${a}`);
  const monitor = () => subject.ask("PUT", `/v1/role/${c}/monitors?deviceId=${device.id}`, { until: null });
  for (const change of [transfer, monitor]) assertError(await change(), 401, STEP_UP);
  await meet(scene, SUBJECT, 1);
  for (const change of [monitor, transfer]) assert.equal((await change()).status, 200);
});

limitedMembership("who meets what a role demands now may cancel what is planned", async (scene) => {
  const { topId, join, person, inMs } = scene;
  await join(scene.rootId, SUBJECT);
  const planned = { secondFactor: "phishing-resistant", from: inMs(86_400_000) };
  await meet(scene, ADMIN, 2);
  const subject = await person(SUBJECT);
  const policy = `/v1/role/${topId}/authentication-policy`;
  await scene.admin.put(policy, planned);
  assert.equal((await subject.ask("PUT", policy, { secondFactor: "none" })).status, 200);
  await scene.admin.put(policy, { secondFactor: "required" });
  await scene.admin.put(policy, planned);
  assertError(await subject.ask("PUT", policy, { secondFactor: "none" }), 401, STEP_UP);
  await meet(scene, SUBJECT, 1);
  assert.equal((await subject.ask("PUT", policy, { secondFactor: "none" })).status, 200);
});

limitedMembership("telemetry tells which queries a step-up would let run", async (scene) => {
  const { siteId, join, person } = scene;
  await join(siteId, SUBJECT);
  await demand(scene, siteId, "phishing-resistant");
  const subject = await person(SUBJECT);
  const ask = async (nodeId: string) => (await collect(subject, [powerOf(nodeId)]))[0]?.error;
  assert.deepEqual([await ask("meter"), await ask("no meter")], [STEP_UP, "Unauthorized"]);
  await meet(scene, SUBJECT, 2);
  assert.equal(await ask("meter"), undefined);
});

limitedMembership("AuthZEN judges the asker by their session, whatever the context says", async (scene) => {
  const { topId, siteId, join, person } = scene;
  await join(topId, SUBJECT, { rights: rights("userManagement") });
  await join(siteId, SUBJECT);
  await demand(scene, siteId, "phishing-resistant");
  const asker = await person(SUBJECT);
  const question = {
    action: { name: "viewManagement" },
    resource: { type: "role", id: String(siteId) },
    context: { acr: "phr", aal: 2 },
  };
  const asked = { ...question, subject: { type: "user", id: SUBJECT } };
  const { decision } = await asker.post<{ decision: boolean }>("/access/v1/evaluation", asked);
  const users = { ...question, subject: { type: "user" } };
  const { results } = await asker.post<{ results: { id: string }[] }>("/access/v1/search/subject", users);
  const { id: own } = await asker.get<{ id: number }>("/user");
  assert.deepEqual([decision, results.some(({ id }) => id === String(own))], [false, false]);
});
