import assert from "node:assert/strict";
import type { Database } from "../../src/db/database.ts";
import { createLibsqlStore } from "../../src/telemetry/libsql/libsql_store.ts";
import { HOUR_NS } from "../../src/telemetry/points/slots.ts";
import {
  countingBudget,
  everywhere,
  LIBSQL_STORES,
  NAMESPACE,
  query,
  rowsOf,
  series,
  seriesOf,
  type TelemetryScene,
  testScene,
  type Value,
} from "./telemetry_scene.ts";

/** Points in blocks, beside those that lie elsewhere. */

const HOUR = BigInt(HOUR_NS);
const MINUTE = HOUR / 60n;

/** Writes a point into each of some hours from the present one on, and carries them into blocks. Returns their begin. */
async function writeBlocks(
  scene: TelemetryScene,
  store: Pick<TelemetryScene["store"], "write" | "carry">,
  field: string,
  values: readonly Value[],
): Promise<bigint> {
  const { clock } = scene.target;
  const write = (time: bigint, value: Value): Promise<void> => {
    const written = series({ nodeId: "meter", field }, new Map([[time, value]]));
    return store.write(scene.owner, NAMESPACE, [written]);
  };
  const begin = BigInt(clock.now()) * 1_000_000n / HOUR * HOUR;
  await store.carry?.();
  // A first write tells the store which hours take recent points.
  await write(0n, values[0] as Value);
  for (const [i, value] of values.entries()) {
    await write(begin + BigInt(i) * HOUR + MINUTE, value);
    clock.advance(i === 0 ? 4300 : 3600);
    await store.carry?.();
  }
  return begin;
}

for (const under of LIBSQL_STORES) {
  testScene(
    under,
    "texts of the same hour outside of the range do not refuse a numeric function",
    async (scene) => {
      const deviceId = await scene.addDevice("meter");
      const begin = await writeBlocks(scene, scene.store, "note", ["a", "b"]);
      const asked = (minutes: readonly [bigint, bigint]) => {
        const [from, to] = minutes.map((minute) => begin + minute * MINUTE);
        return query({ nodeId: "meter", deviceId, select: ["mean(note)"], from, to });
      };
      const [between, around] = await scene.store.read([asked([30n, 60n]), asked([30n, 61n])]);
      assert.deepEqual(between, { series: [] });
      assert.ok(around !== undefined && "invalid" in around);
    },
  );

  testScene(
    under,
    "a read towards the past ends where retention meanwhile deletes the hours that it comes to",
    async (scene) => {
      const { clock, database } = scene.target;
      const deviceId = await scene.addDevice("meter");
      const begin = await writeBlocks(scene, scene.store, "watts", [1, 2, 3, 4, 5, 6]);
      let turns = 0;
      const deleting: Database = {
        ...database,
        async read(statement) {
          turns++;
          const isDue = statement.args["at"] === String(begin / HOUR + 2n);
          if (isDue) await scene.store.deleteBefore(everywhere(begin + 4n * HOUR));
          return await database.read(statement);
        },
      };
      const limits = { turnValues: 1, pieceValues: 1 };
      const store = createLibsqlStore({ database: deleting, clock: clock.now, limits });
      const budget = { ...countingBudget(), scan: () => assert.ok(turns < 100, "the read does not end") };
      const [result] = await store.read([query({ nodeId: "meter", deviceId, descending: true })], budget);
      assert.ok(rowsOf(seriesOf(result)[0]).startsWith('["2026-01-01T05:01:00Z",6],'));
    },
  );
}
