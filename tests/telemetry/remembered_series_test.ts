/**
 * Points arrive while devices are deleted, restored and made anew under the nodeId of an earlier one, and a process
 * remembers series.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { createApp } from "../../src/app.ts";
import { DAY_MS } from "../../src/core/clock.ts";
import { forgetDeletedDevices } from "../../src/telemetry/retention_service.ts";
import type { TelemetryStore } from "../../src/telemetry/store.ts";
import { collect, powerOf, valuesOf, writeLines } from "../every_operation/telemetry_requests.ts";
import { queryNumber } from "../helpers/http.ts";
import { Person } from "../helpers/person.ts";
import { readCount, SEQUENCES } from "../helpers/read_count.ts";
import { requestsTo } from "../helpers/test_app.ts";
import { everywhere, FILE_STORES, LIBSQL_STORES, testScene } from "./telemetry_scene.ts";

const SEED = readCount("ROLEGRID_SEED", 20_260_101);
const RUNS = {
  file: Math.ceil(SEQUENCES / 10),
  remote: Math.ceil(SEQUENCES / 100),
} as const;

const STEPS = fc.array(
  fc.constantFrom<string[]>(
    "write",
    "write",
    "write",
    "trash",
    "delete",
    "forget",
    "create",
    "undo",
    "age",
    "month",
  ),
  { minLength: 5, maxLength: 30 },
);
const EXAMPLES: [string[]][] = [
  [["write", "delete", "forget", "create", "write", "write"]],
  [["write", "trash", "undo", "write", "age", "write", "write"]],
];

/** Of a tenant that does nothing but write. They cost over 500 if they are not remembered. */
const SERIES = 100;
const REMEMBERED_COST = 300;

for (const under of [...LIBSQL_STORES, ...FILE_STORES]) {
  const runs = RUNS[under.kind];
  testScene(
    under,
    `all points arrive, and the deletion of a device costs no other tenant, in ${runs} runs, seed ${SEED}`,
    async ({ target, store, owner, stranger, roleOf }) => {
      const { clock } = target;
      const deps = { ...target.deps, telemetryStore: store as TelemetryStore };
      const service = { request: requestsTo(createApp(deps)) };
      const personOf = async ({ userId }: typeof owner): Promise<Person> =>
        new Person(service, await target.accessToken(userId));
      const create = async (actor: typeof owner, nodeId: string): Promise<number | undefined> => {
        const path = `/v1/device?roleId=${roleOf(actor)}`;
        const { status, body } = await (await personOf(actor)).ask("POST", path, { properties: { nodeId } });
        return status === 200 ? (body as { device: { id: number } }).device.id : undefined;
      };
      /** Another tenant's writes: by the first, the process learns what was deleted. Returns what the second costs. */
      const writeOther = async (): Promise<number> => {
        const person = await personOf(stranger);
        await writeLines(person, "m,nodeId=other a=1");
        const lines = Array.from({ length: SERIES }, (_, i) => `m,nodeId=other,n=${i} a=1`);
        const answer = await writeLines(person, lines);
        assert.equal(answer.status, 204, answer.text);
        return Number(answer.headers.get("X-RateLimit-Cost"));
      };
      await create(stranger, "other");

      let run = 0;
      let value = 0;
      let isRemembered = false;
      const holds = fc.asyncProperty(STEPS, async (steps) => {
        const nodeId = `meter ${++run}`;
        /** The points of each device that has had the nodeId. */
        const points = new Map<number, Map<number, number>>();
        let deviceId: number | undefined;
        let revision = 0;
        for (const step of ["create", ...steps]) {
          clock.advance(60);
          const person = await personOf(owner);
          if (step === "create") {
            deviceId = await create(owner, nodeId) ?? deviceId;
            if (deviceId !== undefined && !points.has(deviceId)) points.set(deviceId, new Map());
          } else if (step === "write") {
            const line = `energy,nodeId=${nodeId.replace(" ", "\\ ")} power=${++value} ${clock.now()}`;
            assert.equal((await writeLines(person, line)).status, deviceId === undefined ? 403 : 204);
            if (deviceId !== undefined) points.get(deviceId)?.set(clock.now(), value);
          } else if (step === "trash" || step === "delete") {
            if (deviceId === undefined) continue;
            const sql = `SELECT id FROM monitors WHERE device_id = ${deviceId}`;
            const path = `/v1/role/${roleOf(owner)}/monitors/${await queryNumber(target, sql)}`;
            await person.delete(step === "trash" ? path : `${path}?permanent=true`);
            deviceId = undefined;
            revision = await queryNumber(target, "SELECT max(rev) FROM change_log");
          } else if (step === "undo") {
            if ((await person.ask("POST", `/v1/change/${revision}/undo`)).status !== 200) continue;
            deviceId = await queryNumber(target, "SELECT max(id) FROM device");
          } else if (step === "forget") {
            clock.advance(60);
            await forgetDeletedDevices(deps);
          } else if (step === "age") {
            // Deletes all points, and with them all series that the process remembers.
            await store.deleteBefore(everywhere(BigInt(clock.now() + 2 * DAY_MS) * 1_000_000n));
            for (const ofDevice of points.values()) ofDevice.clear();
            isRemembered = false;
          } else clock.advance(30 * DAY_MS / 1000);
          if (step !== "age") {
            const cost = await writeOther();
            assert.ok(cost < REMEMBERED_COST || !isRemembered, `${step}: ${cost}`);
            isRemembered = true;
          }
          if (deviceId === undefined) continue;
          const [result] = await collect(await personOf(owner), [powerOf(nodeId)]);
          const expected = [...points.get(deviceId) ?? []];
          const read = result?.series === undefined ? [] : valuesOf(result);
          assert.deepEqual(read.map(([time, power]) => [Date.parse(String(time)), power]), expected, step);
        }
      });
      await fc.assert(holds, { numRuns: runs, seed: SEED, endOnFailure: true, examples: EXAMPLES });
    },
  );
}
