/** Devices that many roles monitor, about which statements ask in parts, have limits and whole results. */
import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import type { Database } from "../../src/db/database.ts";
import { createSqliteStore } from "../../src/telemetry/sqlite/sqlite_store.ts";
import { DENIED, execute, queryNumber, testApp } from "../helpers/http.ts";
import type { Person } from "../helpers/person.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { createDevice, DEVICE, type Device, memberOf, type Monitors, rootMember } from "./device_people.ts";
import { ALL } from "../every_operation/request_catalogue.ts";
import { COLLECT, minute, powerOf, WRITE, writeLines } from "../every_operation/telemetry_requests.ts";

const ADD_ROLES = `INSERT INTO role (id, name, self_rights)
  WITH RECURSIVE numbered(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbered WHERE n < :count)
  SELECT 1000000 + n, 'role ' || n, 63 FROM numbered`;
const ADD_MONITORS = `INSERT INTO monitors (id, role_id, device_id)
  SELECT 2000000 + device.value * 1000 + role.id - 1000000, role.id, device.value
  FROM json_each(:deviceIds) device CROSS JOIN role WHERE role.id > 1000000`;

async function userIdOf(target: TestApp, person: Person): Promise<number> {
  return (await target.deps.accessTokens.verify(person.accessToken)).userId;
}

testApp("a device accepts up to 100 monitoring roles, and works with more from before", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const { device } = await createDevice(admin, rootId, "meter");
  await execute(target, ADD_ROLES, { count: 98 });
  await execute(target, ADD_MONITORS, { deviceIds: JSON.stringify([device.id]) });
  const lastId = await admin.create(rootId, "Last", ALL, DEVICE);
  const nextId = await admin.create(rootId, "Next");
  const attach = (roleId: number) => admin.ask("PUT", `/v1/role/${roleId}/monitors?deviceId=${device.id}`);
  const last = await attach(lastId);
  assert.equal(last.status, 200, last.text);
  const refused = await attach(nextId);
  assert.equal(refused.status, 409, refused.text);
  assert.match(
    refused.text,
    /100 roles monitor the device already, or 200 have: delete one of these relations/,
  );
  // An existing relation is no change.
  assert.deepEqual((await attach(lastId)).body, last.body);
  const { monitors } = last.body as { monitors: Monitors };
  await admin.delete(`/v1/role/${lastId}/monitors/${monitors.id}`);
  assert.equal((await attach(nextId)).status, 200);
  // A device from before the limit works, and accepts no further role.
  await execute(
    target,
    `INSERT INTO monitors (id, role_id, device_id) VALUES (1999999, :roleId, :deviceId)`,
    { roleId: lastId, deviceId: device.id },
  );
  assert.equal((await attach(lastId)).status, 200);
  assert.equal((await attach(await admin.create(rootId, "Further"))).status, 409);
  assert.equal((await admin.post<{ device: unknown[] }>("/v1/device/query")).device.length, 1);
});

testApp("results about devices with thousands of relations are complete and in order", async (target) => {
  const { admin, rootId } = await rootMember(target);
  await execute(target, ADD_ROLES, { count: 100 });
  const sharedId = await admin.create(rootId, "Shared", ALL, DEVICE);
  const member = await memberOf(target, admin, sharedId);
  const deviceIds: number[] = [];
  // Every third is the member's, too; some of them lie behind the first part.
  for (let i = 0; i < 60; i++) {
    deviceIds.push((await createDevice(admin, i % 3 === 0 ? sharedId : rootId, `meter${i}`)).device.id);
  }
  await execute(target, ADD_MONITORS, { deviceIds: JSON.stringify(deviceIds) });
  const mine = deviceIds.filter((_, i) => i % 3 === 0);
  const listed = await member.post<{ device: Device[] }>("/v1/device/query", { filter: { id: deviceIds } });
  assert.deepEqual(listed.device.map(({ id }) => id), mine);
  assert.ok(listed.device.every(({ userRights }) => userRights.monitorManagement));
  const evaluations = deviceIds.map((id) => ({ resource: { type: "device", id: String(id) } }));
  const subject = { type: "user", id: String(await userIdOf(target, member)) };
  const asked = { subject, action: { name: "write" } };
  const decided = await member.post<{ evaluations: { decision: boolean }[] }>("/access/v1/evaluations", {
    ...asked,
    evaluations,
  });
  const areMine = deviceIds.map((id) => mine.includes(id));
  assert.deepEqual(decided.evaluations.map(({ decision }) => decision), areMine);
  const ofDevices = { ...asked, resource: { type: "device" } };
  const found = await member.post<{ results: { id: string }[] }>("/access/v1/search/resource", ofDevices);
  assert.deepEqual(found.results.map(({ id }) => Number(id)), mine);
  const questions = deviceIds.map((_, i) => powerOf(`meter${i}`));
  const results = await member.post<{ error?: string }[]>(COLLECT, questions);
  assert.deepEqual(results.map(({ error }) => error === undefined), areMine);
  const write = (nodeIds: readonly string[]) =>
    writeLines(member, nodeIds.map((nodeId) => `energy,nodeId=${nodeId} power=1`).join("\n"));
  const own = mine.map((id) => `meter${deviceIds.indexOf(id)}`);
  assert.equal((await write(own)).status, 204);
  const { status, body } = await write([...own, "meter59"]);
  const { message, details } = body as { message: string; details: { nodeId: string }[] };
  assert.deepEqual([status, message, details.map(({ nodeId }) => nodeId)], [403, DENIED, ["meter59"]]);
});

/** The database, which runs a change once it has found grants. */
function changingAfterGrants(database: Database, change: () => string): Database {
  return {
    ...database,
    async read(statement) {
      const rows = await database.read(statement);
      if (statement.sql.includes("requested_device") && statement.sql.includes("acting_id")) {
        await execute({ database }, change());
      }
      return rows as never;
    },
  };
}

testApp("rights that end after they were found and before their use permit nothing", async (target) => {
  const { admin, rootId } = await rootMember(target);
  const { device, monitors } = await createDevice(admin, rootId, "meter");
  const line = (time: number) => `energy,nodeId=meter power=1 ${time}`;
  const send = (who: typeof admin, app: typeof target.app, path: string, type: string, body: string) =>
    app.request(path, {
      method: "POST",
      headers: { "Authorization": `Bearer ${who.accessToken}`, "Content-Type": type },
      body,
    }, { remoteAddr: { hostname: "192.0.2.1" } });
  assert.equal((await send(admin, target.app, WRITE, "text/plain", line(minute(0)))).status, 204);
  const reader = await memberOf(target, admin, rootId);
  const writer = await memberOf(target, admin, rootId);
  const endOf = async (person: Person) =>
    `UPDATE member SET ends_at = 1 WHERE user_id = ${await userIdOf(target, person)}`;
  let change = "";
  const database = changingAfterGrants(target.database, () => change);
  const telemetryStore = createSqliteStore({ database, clock: target.deps.clock });
  const app = createApp({ ...target.deps, database, telemetryStore });
  const otherId = await admin.create(rootId, "Other");
  const put = (values: string) => `UPDATE monitors SET ${values} WHERE id = ${monitors.id}`;
  const asBefore = put(
    `role_id = ${rootId}, device_id = ${device.id}, valid_from = NULL, valid_until = NULL`,
  );
  // A relation that was deleted and restored has the same id.
  const changes = ["valid_from = 1", "valid_until = 4102444800000", `role_id = ${otherId}`, "device_id = -1"]
    .map(put);
  for (change of [...changes, await endOf(reader)]) {
    await execute(target, asBefore);
    const answer = await send(reader, app, COLLECT, "application/json", JSON.stringify([powerOf("meter")]));
    assert.deepEqual(await answer.json(), [{ statement_id: 0, error: "Unauthorized" }], change);
  }
  change = await endOf(writer);
  assert.equal((await send(writer, app, WRITE, "text/plain", line(minute(1)))).status, 403);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM point"), 1);
});
