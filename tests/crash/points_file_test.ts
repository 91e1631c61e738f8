import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { requireSafeSqlite } from "../../src/db/safe_sqlite.ts";
import { createFileStore } from "../../src/telemetry/file/file_store.ts";
import { openPointsFile } from "../../src/telemetry/file/points_file.ts";
import { forEachKind } from "../helpers/databases.ts";
import { queryNumber } from "../helpers/http.ts";
import { startHelper } from "../helpers/processes.ts";
import {
  openTelemetryScene,
  query,
  rowsOf,
  seriesOf,
  type UnboundedStore,
  withoutBudget,
} from "../telemetry/telemetry_scene.ts";
import { fieldOf, type PointsOrder } from "./write_points_until_killed.ts";

const ORDERED_ROUNDS = Deno.env.get("ROLEGRID_CRASH_ROUNDS");
const ROUNDS = Number(ORDERED_ROUNDS ?? 5);
const MAX_DELAY_MS = 200;
/** More than the clock of a writer goes in a round. */
const ROUND_MS = 3 * 3_600_000;
/** More than the requests of a round. */
const ROUND_REQUESTS = 100_000;
const COLUMNS_AT_ONCE = 50;

/** The values of fields of a device, in order of time, without those that a row lacks. */
async function valuesOf(
  store: UnboundedStore,
  device: { readonly nodeId: string; readonly deviceId: number },
  fields: readonly string[],
): Promise<unknown[]> {
  const [result] = await store.read([query({ ...device, select: fields })]);
  const rows = JSON.parse(`[${rowsOf(seriesOf(result)[0])}]`) as unknown[][];
  return rows.flatMap(([, ...values]) => values.filter((value) => value !== null));
}

forEachKind(
  "after kill -9 between the writes of rights and of points, or while points are carried over, each acknowledged request is there once, and all are whole",
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
    const devices: { nodeId: string; deviceId: number }[] = [];
    for (const nodeId of ["left", "right"]) devices.push({ nodeId, deviceId: await scene.addDevice(nodeId) });
    const acknowledged = new Set<number>();
    let found: unknown[] = [];
    let blocks = 0;
    for (let round = 1; round <= ROUNDS; round++) {
      const first = round * ROUND_REQUESTS;
      const now = clock.now() + round * ROUND_MS;
      const order: PointsOrder = { url, pointsUrl, actor, now, first };
      const writer = startHelper("../crash/write_points_until_killed.ts", [JSON.stringify(order)]);
      acknowledged.add(Number(await writer.nextLine()));
      await delay(Math.random() * MAX_DELAY_MS);
      for (const line of await writer.kill()) acknowledged.add(Number(line));

      const points = await openPointsFile(pointsUrl, { database });
      assert.ok(points);
      const store = withoutBudget(createFileStore({ ...scene.target.deps, points }));
      const [left, right] = await Promise.all(devices.map((device) => valuesOf(store, device, ["watts"])));
      assert.deepEqual(left, right, "half a request, or one twice");
      found = left ?? [];
      assert.equal(new Set(found).size, found.length, "a request is there twice");
      assert.deepEqual([...acknowledged].filter((request) => !found.includes(request)), [], "one is lost");
      const latest = found.filter((request) => Number(request) >= first);
      for (let i = 0; i < latest.length; i += COLUMNS_AT_ONCE) {
        const requests = latest.slice(i, i + COLUMNS_AT_ONCE);
        for (const device of devices) {
          const fields = requests.map((request) => fieldOf(Number(request)));
          assert.deepEqual(await valuesOf(store, device, fields), requests, "half a request");
        }
      }
      assert.equal(await store.deleteOrphans?.(), 0);
      blocks = await queryNumber({ database: points }, "SELECT count(*) FROM block");
      await points.close();
    }
    const registered = await queryNumber(scene.target, "SELECT count(*) FROM series");
    const unfinished = (registered - devices.length) / devices.length - found.length;
    assert.ok(unfinished > 0, "no crash came between the two writes of a request");
    assert.ok(blocks > 0, "no points were carried over");
    if (ORDERED_ROUNDS !== undefined) {
      const line = `${ROUNDS} rounds: ${acknowledged.size} requests acknowledged, ${found.length} found, ` +
        `${unfinished} registered without points, ${blocks} blocks\n`;
      await Deno.stdout.write(new TextEncoder().encode(line));
    }
    await Deno.remove(directory, { recursive: true });
  },
  // The older runtime of the checks opens no file.
  { ignore: !isSafeSqlite() },
);

function isSafeSqlite(): boolean {
  try {
    requireSafeSqlite();
    return true;
  } catch {
    return false;
  }
}
