/** The job that carries points over mends what a run with a wrong clock did. */
import assert from "node:assert/strict";
import { HOUR_MS } from "../../src/telemetry/points/slots.ts";
import { carry } from "./moving_points.ts";
import { countRows, LIBSQL_STORES, query, rowsOf, series, seriesOf, testScene } from "./telemetry_scene.ts";

const TEN_YEARS_MS = 10 * 365 * 24 * HOUR_MS;
const MINUTE_NS = 60_000_000_000n;

for (const under of LIBSQL_STORES) {
  testScene(under, "the delay shows a run of ten years ahead until the next one mends it", async (scene) => {
    const { clock, database } = scene.target;
    const meter = await scene.addMeter();
    const begin = BigInt(clock.now()) * 1_000_000n;
    const write = (minute: number, value = minute, field = "watts"): Promise<void> => {
      const time = begin + BigInt(minute) * MINUTE_NS;
      return scene.write([series({ ...meter, field }, new Map([[time, value]]))]);
    };
    const recents = (): Promise<number> => countRows(scene.target, "recent_point");
    await scene.store.carry?.();
    // The first write tells the store which hours take recent points.
    for (const minute of [-600, 0, 2, 4]) await write(minute);
    assert.deepEqual([await recents(), await scene.store.carryDelay?.()], [3, 0]);
    const carryAhead = (more = 0): Promise<void> =>
      carry(database, () => clock.now() + TEN_YEARS_MS + more, 1000);
    await carryAhead();
    assert.equal(await countRows(scene.target, "block"), 1);
    assert.ok((await scene.store.carryDelay?.() ?? 0) > TEN_YEARS_MS - 2 * HOUR_MS);
    await write(6);
    assert.equal(await recents(), 0);
    // Points with times of that clock.
    const later = TEN_YEARS_MS / 60_000;
    for (const minute of [later, later + 60]) await write(minute, 1, "volts");
    await carryAhead(HOUR_MS * 1.5);
    assert.deepEqual([await recents(), await countRows(scene.target, "block")], [1, 2]);

    await scene.store.carry?.();
    assert.equal(await scene.store.carryDelay?.(), 0);
    // One written over, and new ones, in the hour that has a block.
    await write(6, 16);
    await write(2, 12);
    await write(8, 18);
    await write(10, 20, "volts");
    assert.equal(await recents(), 4);
    const read = async (field: string): Promise<number[]> => {
      const [result] = await scene.store.read([query({ ...meter, select: [field], from: begin })]);
      return [...rowsOf(seriesOf(result)[0]).matchAll(/,(\d+)\]/g)].map(([, value]) => Number(value));
    };
    const expected = [[0, 12, 4, 16, 18], [20, 1, 1]];
    assert.deepEqual([await read("watts"), await read("volts")], expected);
    clock.advance(2 * 3600);
    await scene.store.carry?.();
    assert.equal(await recents(), 1);
    assert.deepEqual([await read("watts"), await read("volts")], expected);
  });
}
