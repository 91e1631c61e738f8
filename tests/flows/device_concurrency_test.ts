import assert from "node:assert/strict";
import { assertError, DENIED, forEachApp, queryNumber } from "../helpers/http.ts";
import { bootstrap } from "../helpers/person.ts";
import {
  addDevice,
  collect,
  minute,
  powerOf,
  valuesOf,
  WRITE,
} from "../every_operation/telemetry_requests.ts";
import { fifty, statusesOf } from "./concurrency_services.ts";

const TIMES = 20;

function pointAt(i: number, power: unknown): object {
  return { measurement: "energy", time: minute(i), tags: { nodeId: "meter" }, fields: { power } };
}

forEachApp("fifty concurrent creations with one nodeId create one device", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const body = { properties: { nodeId: "meter" } };
  const answers = await fifty(() => admin.ask("POST", `/v1/device?roleId=${rootId}`, body));
  assert.deepEqual(statusesOf(answers), { 200: 1, 409: 49 });
  assert.equal(await queryNumber(target, "SELECT count(*) FROM device"), 1);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM monitors"), 1);
});

forEachApp(
  "fifty equal concurrent PUTs make one monitors relation and get equal responses",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    const roleId = await admin.create(rootId, "Role");
    const deviceId = await addDevice(admin, rootId, "meter");
    const path = `/v1/role/${roleId}/monitors?deviceId=${deviceId}`;
    const answers = await fifty(() => admin.ask("PUT", path, {}));
    for (const answer of answers) assert.deepEqual([answer.status, answer.text], [200, answers[0]?.text]);
    assert.equal(await queryNumber(target, "SELECT count(*) FROM monitors"), 2);
    const made = "SELECT count(*) FROM change_log WHERE kind = 'monitors.add' AND decision = 'ok'";
    assert.equal(await queryNumber(target, made), 1);
  },
);

forEachApp(
  "of fifty concurrent removals of the last monitors relation one succeeds and deletes the device",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    const deviceId = await addDevice(admin, rootId, "meter");
    const id = await queryNumber(target, "SELECT id FROM monitors");
    const answers = await fifty(() => admin.ask("DELETE", `/v1/role/${rootId}/monitors/${id}`));
    const [winner, ...more] = answers.filter(({ status }) => status === 200);
    assert.deepEqual(more, []);
    assert.deepEqual(winner?.body, { deletedNodeIds: [deviceId], deletedRelationIds: [id] });
    for (const answer of answers) if (answer !== winner) assertError(answer, 403, DENIED);
  },
);

forEachApp(
  "of fifty concurrent writes of the same points one counts, for all points",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    await addDevice(admin, rootId, "meter");
    const points = (value: number) => Array.from({ length: TIMES }, (_, i) => pointAt(i, value));
    const answers = await fifty((i) => admin.ask("POST", WRITE, points(i)));
    assert.deepEqual(statusesOf(answers), { 204: 50 });
    const [result] = await collect(admin, [powerOf("meter")]);
    const values = valuesOf(result).map(([, value]) => value);
    assert.deepEqual([values.length, new Set(values).size], [TIMES, 1]);
    assert.equal(await queryNumber(target, "SELECT count(*) FROM series"), 1);
  },
);

forEachApp("a field that is written concurrently as two types keeps one type", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await addDevice(admin, rootId, "meter");
  const answers = await fifty((i) => admin.ask("POST", WRITE, [pointAt(i, i % 2 === 0 ? i : String(i))]));
  assert.deepEqual(statusesOf(answers), { 204: 25, 422: 25 });
  assert.equal(await queryNumber(target, "SELECT count(*) FROM series"), 1);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM point"), 25);
  assert.equal(await queryNumber(target, "SELECT count(DISTINCT typeof(value)) FROM point"), 1);
});
