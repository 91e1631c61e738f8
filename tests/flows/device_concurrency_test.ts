/** Points that fifty requests write at once are stored once, with one type. */
import assert from "node:assert/strict";
import { forEachApp, queryNumber } from "../helpers/http.ts";
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

forEachApp("of fifty concurrent writes of the same points one counts, for all points", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await addDevice(admin, rootId, "meter");
  const points = (value: number) => Array.from({ length: TIMES }, (_, i) => pointAt(i, value));
  const answers = await fifty((i) => admin.ask("POST", WRITE, points(i)));
  assert.deepEqual(statusesOf(answers), { 204: 50 });
  const [result] = await collect(admin, [powerOf("meter")]);
  const values = valuesOf(result).map(([, value]) => value);
  assert.deepEqual([values.length, new Set(values).size], [TIMES, 1]);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM series"), 1);
});

forEachApp("a field that is written concurrently as two types keeps one type", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await addDevice(admin, rootId, "meter");
  const answers = await fifty((i) => admin.ask("POST", WRITE, [pointAt(i, i % 2 === 0 ? i : String(i))]));
  assert.deepEqual(statusesOf(answers), { 204: 25, 422: 25 });
  assert.equal(await queryNumber(target, "SELECT count(*) FROM series"), 1);
  assert.equal(await queryNumber(target, "SELECT count(*) FROM point"), 25);
  assert.equal(await queryNumber(target, "SELECT count(DISTINCT typeof(value)) FROM point"), 1);
});
