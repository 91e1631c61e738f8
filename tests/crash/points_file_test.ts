/** Requests that write points are whole after a kill at any moment, also between the two files that they go to. */
import { IS_LONG } from "../helpers/read_count.ts";
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { requireSafeSqlite } from "../../src/db/safe_sqlite.ts";
import { createSqliteStore } from "../../src/telemetry/sqlite/sqlite_store.ts";
import { openPointsFile } from "../../src/telemetry/sqlite/points_file.ts";
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
const ROUNDS = Number(ORDERED_ROUNDS ?? (IS_LONG ? 5 : 2));
/** On a busy machine, a round may be killed before it has kept an hour. Then more follow. */
const MOST_ROUNDS = 20;
const MAX_DELAY_MS = 200;
/** More than the clock of a writer goes in a round. */
const ROUND_MS = 3 * 3_600_000;
/** More than the requests of a round. */
const ROUND_REQUESTS = 100_000;
const COLUMNS_AT_ONCE = 50;

interface NamedDevice {
  readonly nodeId: string;
  readonly deviceId: number;
}

/** Functions of all points of a device, of those that still have one. */
async function resultsOf(
  store: UnboundedStore,
  device: NamedDevice,
  select: readonly string[],
): Promise<unknown[]> {
  const [result] = await store.read([query({ ...device, select })]);
  const [row = []] = JSON.parse(`[${rowsOf(seriesOf(result)[0])}]`) as unknown[][];
  return row.slice(1).filter((value) => value !== null);
}

/** Which of the requests have a point of the device's. */
async function foundOf(
  store: UnboundedStore,
  device: NamedDevice,
  requests: readonly number[],
): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let i = 0; i < requests.length; i += COLUMNS_AT_ONCE) {
    const part = requests.slice(i, i + COLUMNS_AT_ONCE);
    found.push(...await resultsOf(store, device, part.map((request) => `last(${fieldOf(request)})`)));
  }
  return found;
}

forEachKind(
  "after kill -9 between the writes of rights and of points, or while points are carried over or hours are kept, each acknowledged request is there once, and all are whole",
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
    const found: number[] = [];
    const openHours: number[] = [];
    let [hours, unfinished] = [0, 0];
    const isTelling = (): boolean => unfinished > 0 && hours > 0 && new Set(openHours).size > 1;
    for (let round = 1; round <= ROUNDS || round <= MOST_ROUNDS && !isTelling(); round++) {
      const first = round * ROUND_REQUESTS;
      const now = clock.now() + round * ROUND_MS;
      const order: PointsOrder = { url, pointsUrl, actor, now, first };
      const writer = startHelper("../crash/write_points_until_killed.ts", [JSON.stringify(order)]);
      acknowledged.add(Number(await writer.nextLine()));
      await delay(Math.random() * MAX_DELAY_MS);
      for (const line of await writer.kill()) acknowledged.add(Number(line));

      const points = await openPointsFile(pointsUrl, { database });
      assert.ok(points);
      const store = withoutBudget(createSqliteStore({ ...scene.target.deps, points }));
      const registered = await database.read({
        sql: "SELECT DISTINCT field FROM series WHERE field LIKE 'request %' ORDER BY id",
        args: {},
      });
      const latest = registered.map(({ field }) => Number(String(field).split(" ")[1]))
        .filter((request) => request >= first);
      const [left, right] = await Promise.all(devices.map((device) => foundOf(store, device, latest)));
      assert.deepEqual(left, right, "half a request");
      found.push(...left as number[]);
      assert.deepEqual([...acknowledged].filter((request) => !found.includes(request)), [], "one is lost");
      const expected = [found.length, found.reduce((sum, request) => sum + request, 0)];
      for (const device of devices) {
        const total = await resultsOf(store, device, ["count(watts)", "sum(watts)"]);
        assert.deepEqual(total, expected, "half a request, or one twice");
      }
      assert.equal(await store.deleteOrphans?.(), 0);
      openHours.push(await queryNumber({ database: points }, "SELECT max(hour) FROM carry_state"));
      hours = await queryNumber({ database: points }, "SELECT count(*) FROM hour_summary");
      await points.close();
      const series = await queryNumber(scene.target, "SELECT count(*) FROM series");
      unfinished = (series - devices.length) / devices.length - found.length;
    }
    assert.ok(unfinished > 0, "no crash came between the two writes of a request");
    assert.ok(new Set(openHours).size > 1, "no hour was carried over");
    assert.ok(hours > 0, "no hours were kept");
    if (ORDERED_ROUNDS !== undefined) {
      const line = `${ROUNDS} rounds: ${acknowledged.size} requests acknowledged, ${found.length} found, ` +
        `${unfinished} registered without points, ${
          new Set(openHours).size
        } open hours, ${hours} hours kept\n`;
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
