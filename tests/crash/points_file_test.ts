import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { createFileStore } from "../../src/telemetry/file/file_store.ts";
import { openPointsFile } from "../../src/telemetry/file/points_file.ts";
import { forEachKind } from "../helpers/databases.ts";
import { startHelper } from "../helpers/processes.ts";
import { openTelemetryScene, query, rowsOf, seriesOf, withoutBudget } from "../telemetry/telemetry_scene.ts";
import { pointsOf, type PointsOrder } from "./write_points_until_killed.ts";

const ORDERED_ROUNDS = Deno.env.get("ROLEGRID_CRASH_ROUNDS");
const ROUNDS = Number(ORDERED_ROUNDS ?? 5);
const MAX_DELAY_MS = 200;
/** Far above the requests of a round. */
const ROUND_TIMES = 1_000_000;
const POINTS_OF_REQUEST = pointsOf(0).length;

forEachKind(
  "after kill -9 between the writes of rights and of points, all acknowledged points are there, and each request is whole",
  async (kind) => {
    const directory = await Deno.makeTempDir();
    const pointsUrl = `file:${directory}/points.db`;
    await using scene = await openTelemetryScene({
      label: "",
      kind,
      onDisk: true,
      open: ({ deps }) => Promise.resolve(deps.telemetryStore),
    });
    const { target: { url, database, clock }, owner: actor } = scene;
    const devices = new Map<string, number>();
    for (const nodeId of ["left", "right"]) devices.set(nodeId, await scene.addDevice(nodeId));
    let acknowledged = 0;
    let unfinished = 0;
    for (let round = 1; round <= ROUNDS; round++) {
      const begin = round * ROUND_TIMES;
      const order: PointsOrder = { url, pointsUrl, actor, now: clock.now(), begin };
      const writer = startHelper("../crash/write_points_until_killed.ts", [JSON.stringify(order)]);
      const told = [await writer.nextLine()];
      await delay(Math.random() * MAX_DELAY_MS);
      told.push(...await writer.kill());

      const points = await openPointsFile(pointsUrl, { database });
      assert.ok(points);
      const store = withoutBudget(createFileStore({ ...scene.target.deps, points }));
      const stored = await points.read<{ time: number; n: number; wrong: number }>({
        sql: `SELECT time, count(*) AS n, sum(value <> time) AS wrong FROM point
          WHERE time >= ${begin} GROUP BY time`,
        args: {},
      });
      assert.deepEqual(
        stored.filter(({ n, wrong }) => n !== POINTS_OF_REQUEST || wrong > 0),
        [],
        "half a request",
      );
      const times = new Set(stored.map(({ time }) => String(time)));
      assert.deepEqual(told.filter((time) => !times.has(time)), [], "an acknowledged request is lost");
      assert.equal(await store.deleteOrphans?.(), 0);
      // Readers find them by their series.
      for (const [nodeId, deviceId] of devices) {
        const asked = query({ nodeId, deviceId, select: ["count(watts)"], from: BigInt(begin) });
        const [result] = await store.read([asked]);
        assert.match(rowsOf(seriesOf(result)[0]), new RegExp(`",${times.size}\\]$`));
      }
      acknowledged += told.length;
      const [row] = await database.read<{ n: number }>({
        sql: "SELECT count(*) AS n FROM series WHERE field <> 'watts'",
        args: {},
      });
      const [held] = await points.read<{ n: number }>({
        sql: "SELECT count(DISTINCT series_id) AS n FROM point",
        args: {},
      });
      unfinished = Number(row?.n) + devices.size - Number(held?.n);
      await points.close();
    }
    assert.ok(acknowledged > ROUNDS, `${acknowledged} requests`);
    assert.ok(unfinished > 0, "no crash came between the two writes of a request");
    if (ORDERED_ROUNDS !== undefined) {
      const line =
        `${ROUNDS} rounds: ${acknowledged} requests acknowledged, ${unfinished} series without their points\n`;
      await Deno.stdout.write(new TextEncoder().encode(line));
    }
    await Deno.remove(directory, { recursive: true });
  },
);
