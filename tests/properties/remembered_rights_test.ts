/**
 * What a process remembers of earlier writes of telemetry changes no decision: after every step of a history, writes get
 * the same answers from a service that has written before as from one that has just begun, and their points lie in the
 * same series.
 */
import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { bind } from "../../src/db/statement.ts";
import { createSqliteStore } from "../../src/telemetry/sqlite/sqlite_store.ts";
import type { TelemetryStore } from "../../src/telemetry/store.ts";
import { WRITE } from "../every_operation/telemetry_requests.ts";
import type { TestApp } from "../helpers/test_app.ts";
import { execute } from "../helpers/http.ts";
import { defineStatement } from "../helpers/text_statement.ts";
import type { Tally, Watch } from "../model/oracle_driver.ts";
import { tokenOf } from "../model/oracle_http.ts";
import type { GraphRun } from "../model/oracle_run.ts";
import { askersOf, assertMet, forRandomScenarios } from "./random_runs.ts";

/** Users and keys that write after each step. */
const WRITERS = 5;

/** Demands change without a revision here; the service logs them. What sessions meet changes without one anyway. */
const DEMAND = [
  "UPDATE role SET needs = iif(:step % 2 = 0, (id + :step) % 3, 0)",
  "UPDATE session SET meets = (:step / 2) % 3",
];
/** The numbers of points and of their devices at a time. */
const COUNT = defineStatement(`SELECT count(*) AS points, max(tag_set.device_id) AS deviceId
  FROM point JOIN series ON series.id = point.series_id JOIN tag_set ON tag_set.id = series.tag_set_id
  WHERE point.time = :time`);

const tally: Tally = new Map();

type Write = (run: GraphRun, path: string, line: string, userId: number) => Promise<string>;

/** Returns writes to a service of its own over the database of the target. */
function writerOf({ deps }: TestApp, telemetryStore: TelemetryStore): Write {
  const app = createApp({ ...deps, telemetryStore, telemetryBucket: { capacity: 1e12, drainSeconds: 1 } });
  return async (run, path, line, userId) => {
    const headers = { "Authorization": `Bearer ${tokenOf(run, userId)}`, "Content-Type": "text/plain" };
    const init = { method: "POST", headers, body: line };
    const answer = await app.request(path, init, { remoteAddr: { hostname: "192.0.2.1" } });
    return `${answer.status} ${await answer.text()}`;
  };
}

function watch(target: TestApp): Watch {
  const { deps } = target;
  const experienced = createSqliteStore(deps);
  let uses = 0;
  const counted: TelemetryStore = {
    ...experienced,
    write: (actor, destination, series) => {
      if (series.every(({ known }) => known !== undefined)) uses++;
      return experienced.write(actor, destination, series);
    },
  };
  const write = writerOf(target, counted);
  const writeAsNew = writerOf(target, {
    ...experienced,
    recall: (actor, destination) => createSqliteStore(deps).recall(actor, destination),
    write: (actor, destination, series) => createSqliteStore(deps).write(actor, destination, series),
  });
  let step = 0;
  /** Times in the past of all periods, and in the present ones. */
  let past = 1n;
  let present = 0n;

  async function writeBoth(run: GraphRun, userId: number, n: number): Promise<void> {
    const devices = [...run.world.devices.values()];
    const device = devices[n % Math.min(2, devices.length)];
    if (device === undefined) return;
    const roleIds = [...run.world.roles.keys()];
    const roleId = n % 3 === 0 ? `&roleId=${roleIds[Math.floor(n / 3) % roleIds.length]}` : "";
    const { nodeId } = device.properties;
    present++;
    const time = n % 2 === 0 ? ++past : BigInt(deps.clock()) * 1_000_000n + present;
    const line = `m,nodeId=${String(nodeId).replaceAll(" ", "\\ ")} f=1 ${time}`;
    const before = uses;
    const first = await write(run, `${WRITE}${roleId}`, line, userId);
    const fresh = await writeAsNew(run, `${WRITE}${roleId}`, line, userId);
    const what = `${line} for ${userId}${roleId} in step ${step}`;
    assert.equal(first, fresh, what);
    const status = first.slice(0, 3);
    tally.set(`${status}${uses > before ? " remembered" : ""}${roleId && " for a role"}`, 1);
    if (status !== "204") return;
    const rows = await deps.database.read(bind(COUNT, { time }));
    const newest = Math.max(...devices.filter((one) => one.properties.nodeId === nodeId).map(({ id }) => id));
    assert.deepEqual(rows, [{ points: 1, deviceId: newest }], what);
  }

  return {
    afterEach: async (run) => {
      step++;
      await execute(target, DEMAND, { step });
      if (step % 7 === 0) {
        await createSqliteStore(deps).deleteBefore({ others: { time: past + 1n }, named: [] });
      }
      // For some steps the same ones, so that they are remembered.
      for (const [i, userId] of askersOf(run).slice(0, WRITERS).entries()) {
        await writeBoth(run, userId, i + Math.floor(step / 6));
      }
      await execute(target, "UPDATE role SET needs = 0");
    },
    atEnd: () => Promise.resolve(),
  };
}

forRandomScenarios("what a service remembers of earlier writes changes no answer", watch, {
  atEnd: (histories) =>
    assertMet(tally, histories, [
      "204",
      "204 remembered",
      "204 remembered for a role",
      "403 remembered",
    ]),
});
