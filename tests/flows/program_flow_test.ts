/** A program uses the service with a key, wherever a user could. */
import assert from "node:assert/strict";
import {
  addDevice,
  collect,
  minute,
  powerOf,
  valuesOf,
  writeLines,
  writeMinutes,
} from "../every_operation/telemetry_requests.ts";
import type { Device } from "../device/device_people.ts";
import { rights } from "../every_operation/request_catalogue.ts";
import { assertError, DENIED, forEachApp, query, queryNumber, testApp, UNVERIFIED } from "../helpers/http.ts";
import { bootstrap, invite, Person } from "../helpers/person.ts";
import { makeProgram } from "../key/key_scene.ts";

const GATEWAY = rights("deviceManagement", "viewManagement");

forEachApp("a gateway registers its meters, writes their points and reads them", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const otherId = await admin.create(rootId, "Other site");
  await addDevice(admin, otherId, "foreign");
  const { key, program } = await makeProgram(target, admin, siteId, { rights: GATEWAY });
  const deviceId = await addDevice(program, siteId, "meter");
  await addDevice(program, siteId, "spare");
  await writeMinutes(program, "meter", 3);
  const [mine, foreign] = await collect(program, [powerOf("meter"), powerOf("foreign")]);
  assert.deepEqual(valuesOf(mine).map(([, power]) => power), [1, 2, 3]);
  assert.equal(foreign?.series, undefined);
  const { status, body } = await writeLines(program, `energy,nodeId=foreign power=1 ${minute(0)}`);
  const { message, details } = body as { message: string; details: { nodeId: string }[] };
  assert.deepEqual([status, message, details.map(({ nodeId }) => nodeId)], [403, DENIED, ["foreign"]]);
  await program.put(`/v1/device/${deviceId}`, { properties: { nodeId: "meter", room: "cellar" } });
  const filter = { id: [deviceId] };
  const { device } = await program.post<{ device: Device[] }>("/v1/device/query", { filter });
  assert.deepEqual(device.map(({ properties }) => properties), [{ nodeId: "meter", room: "cellar" }]);

  // Only the keys of its role are charged.
  const buckets = await query(target, "SELECT user_id AS id FROM rate_bucket");
  assert.deepEqual(buckets.map(({ id }) => id), [-siteId]);

  await admin.delete(`/v1/role/${siteId}/key/${key.id}`);
  const before = await queryNumber(target, "SELECT count(*) FROM point");
  const checks = [{ roleId: siteId, right: "viewManagement" }];
  const refusals = [
    await writeLines(program, `energy,nodeId=meter power=9 ${minute(9)}`),
    await program.ask("POST", "/v1/telemetry/query", [powerOf("meter")]),
    await program.ask("PUT", `/v1/device/${deviceId}`, { properties: { nodeId: "meter" } }),
    await program.ask("POST", "/v1/rights/check", { checks }),
  ];
  for (const refused of refusals) assertError(refused, 401, UNVERIFIED);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM point"), before);
});

forEachApp("a key and a user with the same number as id share nothing", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const siteId = await admin.create(rootId, "Site");
  const { key, program } = await makeProgram(target, admin, siteId);
  let user: Person | undefined;
  for (let i = 2; i <= key.id; i++) user = await invite(target, admin, siteId, `user${i}@example.com`);
  assert.ok(user);
  assert.equal(await queryNumber(target, "SELECT max(id) FROM user_account"), key.id);

  // Each has idempotency keys of their own.
  const headers = { "Idempotency-Key": "first" };
  const create = (person: Person, nodeId: string) =>
    person.ask("POST", `/v1/device?roleId=${siteId}`, { properties: { nodeId } }, { headers });
  const [one, other] = [await create(program, "a"), await create(user, "b")];
  assert.deepEqual([one.status, other.status], [200, 200]);
  assert.equal((await create(program, "a")).text, one.text);
  assert.equal((await create(user, "b")).text, other.text);
  assert.equal((await create(program, "b")).status, 422);

  // Each has refusals and a bucket of their own.
  for (const person of [program, user]) {
    assertError(await person.ask("DELETE", `/v1/role/${rootId}/manages/1`), 403, DENIED);
    await collect(person, [powerOf("a")]);
  }
  const refusals = await query(
    target,
    "SELECT actor_id AS id, attempts FROM change_log WHERE decision = 'denied' ORDER BY actor_id",
  );
  assert.deepEqual(refusals.map((row) => ({ ...row })), [
    { id: -key.id, attempts: 1 },
    { id: key.id, attempts: 1 },
  ]);
  const buckets = await query(target, "SELECT user_id AS id FROM rate_bucket ORDER BY user_id");
  assert.deepEqual(buckets.map(({ id }) => id), [-siteId, key.id]);

  // The membership of one is not that of the other.
  await user.delete(
    `/v1/role/${siteId}/member/${await program.memberIdOf(siteId, `user${key.id}@example.com`)}`,
  );
  assert.deepEqual(await program.roleIds(), [siteId]);
  assert.deepEqual(await user.roleIds(), []);
});

testApp("the log names a key by its id, and never as a user", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const { key, program } = await makeProgram(target, admin, rootId);
  await addDevice(admin, rootId, "taken");
  const before = target.logLines.length;
  await program.roleIds();
  await program.ask("POST", `/v1/device?roleId=${rootId}`, { properties: { nodeId: "taken" } });
  const lines = target.logLines.slice(before).map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(lines.map(({ event, keyId, userId }) => ({ event, keyId, userId })), [
    { event: "request", keyId: key.id, userId: undefined },
    { event: "device.node_id_taken", keyId: key.id, userId: undefined },
    { event: "request", keyId: key.id, userId: undefined },
  ]);
});

testApp("a key may send bodies as long as a user's, and a forged key is refused", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const { program, secret } = await makeProgram(target, admin, rootId);
  const checks = Array.from({ length: 1000 }, () => ({ roleId: rootId, right: "viewManagement" }));
  assert.equal((await program.ask("POST", "/v1/rights/check", { checks })).status, 200);
  const forged = new Person(target, `${secret.slice(0, -1)}${secret.endsWith("0") ? 1 : 0}`);
  assertError(await forged.ask("POST", "/v1/rights/check", { checks }), 401, UNVERIFIED);
});

forEachApp("a key makes no change after its end, even among concurrent requests", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const { key, program } = await makeProgram(target, admin, rootId);
  const answers = await Promise.all([
    ...Array.from({ length: 10 }, () => program.askToCreate(rootId, "New")),
    admin.ask("DELETE", `/v1/role/${rootId}/key/${key.id}`),
    ...Array.from({ length: 10 }, () => program.askToCreate(rootId, "New")),
  ]);
  const made = answers.filter(({ status }) => status === 200).length - 1;
  assert.equal(answers.filter(({ status }) => status === 401).length, 20 - made);
  const last = await query<{ rev: number; kind: string }>(
    target,
    "SELECT rev, kind FROM change_log WHERE decision = 'ok' ORDER BY rev DESC LIMIT 1",
  );
  assert.equal(last[0]?.kind, "key.delete");
  assert.equal(await queryNumber(target, "SELECT count(*) FROM role WHERE name = 'New'"), made);
});
