/** The store with a points' file: as every store, and with rights and points in two databases. */
import assert from "node:assert/strict";
import type { Database } from "../../src/db/database.ts";
import { createSqliteStore } from "../../src/telemetry/sqlite/sqlite_store.ts";
import { findKnown } from "../../src/telemetry/points/point.ts";
import { openTestPoints } from "../helpers/databases.ts";
import { execute, queryNumber } from "../helpers/http.ts";
import {
  countRows,
  everywhere,
  FILE_STORES,
  NAMESPACE,
  query,
  readRows,
  series,
  type TelemetryScene,
  testScene,
  type UnboundedStore,
  valuesFrom,
  withoutBudget,
} from "./telemetry_scene.ts";
import { testStore } from "./store_conformance.ts";
import { testPeriods } from "./telemetry_periods.ts";

const NOON = 1_767_268_800_000_000_000n;
const DAY = 86_400_000_000_000n;
const SLOT_NS = 120_000_000_000n;
const ONE_VALUE = new Map([[NOON, 1]]);

/** A points' file whose writes begin only once they are let through. */
interface HeldPoints extends AsyncDisposable {
  readonly database: Database;
  readonly store: UnboundedStore;
  /** Resolves when a write has come. */
  readonly arrived: Promise<void>;
  letThrough(): void;
}

async function openHeld({ target: { database, deps } }: TelemetryScene): Promise<HeldPoints> {
  const opened = await openTestPoints(database);
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const { promise: opening, resolve: letThrough } = Promise.withResolvers<void>();
  const held: Database = {
    ...opened.database,
    async write(statements) {
      arrive();
      await opening;
      return await opened.database.write(statements);
    },
  };
  return {
    database: opened.database,
    store: withoutBudget(createSqliteStore({ database, points: held, clock: deps.clock })),
    arrived,
    letThrough,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

for (const under of FILE_STORES) {
  testStore(under);
  testPeriods(under);

  testScene(under, "points that arrive once their device is gone are unseen and deleted", async (scene) => {
    await using held = await openHeld(scene);
    const { store, database: points } = held;
    const meter = await scene.addMeter();
    const writing = store.write(scene.owner, NAMESPACE, [series(meter, ONE_VALUE)]);
    await held.arrived;
    // Another process deletes the device, and finds no points yet.
    const other = createSqliteStore({ ...scene.target.deps, points });
    await execute(scene.target, "DELETE FROM device");
    assert.equal(await other.forget([meter.deviceId]), true);
    held.letThrough();
    await writing;
    assert.equal(await countRows(held, "point"), 1);

    const heir = await scene.addMeter();
    await store.write(scene.owner, NAMESPACE, [series(meter, new Map([[NOON + 1n, 2]]))]);
    assert.deepEqual(await store.read([query(meter)]), [{ series: [] }]);
    assert.equal(await readRows(store, query(heir)), '["2026-01-01T12:00:00.000000001Z",2]');
    assert.equal(await store.deleteOrphans?.(), 1);
    assert.equal(await countRows(held, "point"), 1);
    assert.equal(await store.deleteOrphans?.(), 0);
  });

  testScene(under, "a long write of points delays no write of rights nor another's rights", async (scene) => {
    await using held = await openHeld(scene);
    await scene.addDevice("meter");
    await scene.addDevice("other");
    const writing = held.store.write(scene.owner, NAMESPACE, [series({ nodeId: "meter" }, ONE_VALUE)]);
    await held.arrived;
    await scene.target.bootstrapRoot("late@plant.example", "Late");
    const foreign = held.store.write(scene.stranger, NAMESPACE, [series({ nodeId: "other" }, ONE_VALUE)]);
    await assert.rejects(foreign, { code: "FORBIDDEN" });
    held.letThrough();
    await writing;
  });

  testScene(under, "a refused write leaves no point, and an interrupted one no part of it", async (scene) => {
    await using opened = await openTestPoints(scene.target.database);
    const broken: Database = {
      ...opened.database,
      write: (statements) =>
        opened.database.write([...statements, { sql: "INSERT INTO point VALUES (1, NULL, 1)", args: {} }]),
    };
    const store = createSqliteStore({ ...scene.target.deps, points: broken });
    const meter = await scene.addMeter();
    const writes = [series(meter, valuesFrom(NOON, 2))];
    await assert.rejects(store.write(scene.owner, NAMESPACE, writes), /NOT NULL/);
    await assert.rejects(store.write(scene.stranger, NAMESPACE, writes), { code: "FORBIDDEN" });
    assert.equal(await countRows(opened, "point"), 0);
    // Its series is registered, and has no points: the repeated write finds it.
    const whole = withoutBudget(createSqliteStore({ ...scene.target.deps, points: opened.database }));
    assert.deepEqual(await whole.read([query(meter)]), [{ series: [] }]);
    await whole.write(scene.owner, NAMESPACE, writes);
    assert.deepEqual([await countRows(scene.target, "series"), await countRows(opened, "point")], [1, 2]);
  });

  testScene(under, "the day of a series' newest point is noted once, until a later day", async (scene) => {
    await using opened = await openTestPoints(scene.target.database);
    const noted: unknown[] = [];
    const watched: Database = {
      ...scene.target.database,
      write(statements) {
        // One statement notes the days, and another one reads the roots of these series.
        const listed = statements.flatMap(({ args: { lastDays } }) =>
          lastDays === undefined ? [] : [lastDays]
        );
        noted.push(...listed.slice(0, 1));
        return scene.target.database.write(statements);
      },
    };
    const store = createSqliteStore({ ...scene.target.deps, database: watched, points: opened.database });
    await scene.addDevice("meter");
    const today = NOON / DAY;
    for (const day of [today, today, today, today - 1n, today + 1n, today + 1n]) {
      const one = series({ nodeId: "meter" }, new Map([[day * DAY, 1]]));
      const known = findKnown(store.recall(scene.owner, NAMESPACE).recall("meter"), one.field);
      await store.write(scene.owner, NAMESPACE, [{ ...one, text: "meter", known }]);
    }
    // The second write is the first one that knows the series.
    const written = [today, today, undefined, undefined, today + 1n, undefined];
    assert.deepEqual(noted, written.map((day) => day === undefined ? "[]" : `[[1,${day}]]`));
    assert.equal(await queryNumber(scene.target, "SELECT last_day FROM series"), Number(today + 1n));
  });

  testScene(under, "recent points without a series are deleted once they are carried over", async (scene) => {
    await using opened = await openTestPoints(scene.target.database);
    const store = createSqliteStore({ ...scene.target.deps, points: opened.database });
    await store.carry?.();
    const time = BigInt(scene.target.clock.now()) * 1_000_000n;
    const slot = time / SLOT_NS;
    await execute(opened, "INSERT INTO recent_point VALUES (:slot, 7, :time, 1)", { time, slot });
    assert.equal(await store.deleteOrphans?.(), 0);
    scene.target.clock.advance(3 * 3600);
    await store.carry?.();
    assert.equal(await countRows(opened, "block"), 1);
    assert.equal(await store.deleteOrphans?.(), 1);
    const left = ["recent_point", "block", "block_range"].map((table) => countRows(opened, table));
    assert.deepEqual(await Promise.all(left), [0, 0, 0]);
  });

  testScene(under, "deletions go through many series in pages, and delete in batches", async (scene) => {
    await using opened = await openTestPoints(scene.target.database);
    let most = 0;
    let batches = 0;
    const counting: Database = {
      ...opened.database,
      async write(statements) {
        const rows = await opened.database.write(statements);
        batches++;
        most = Math.max(most, ...rows.map(({ length }) => length));
        return rows;
      },
    };
    const store = withoutBudget(createSqliteStore({ ...scene.target.deps, points: counting }));
    const meter = await scene.addMeter();
    const many = Array.from(
      { length: 5000 },
      (_, i) => series({ ...meter, field: `${i}` }, new Map([[1n, i], [2n, i], [NOON, i]])),
    );
    await store.write(scene.owner, NAMESPACE, many);
    batches = 0;
    assert.equal(await store.deleteBefore(everywhere(NOON)), 10_000);
    assert.ok(batches >= 3 && most <= 5000, `${batches} batches of up to ${most} points`);
    assert.equal(await countRows(scene.target, "series"), 5000);
    await execute(
      opened,
      "INSERT INTO point SELECT series_id + 1000000, time, value FROM point WHERE series_id % 2 = 0",
    );
    assert.equal(await store.deleteOrphans?.(), 2500);
    assert.equal(await store.deleteOrphans?.(AbortSignal.abort()), 0);
    assert.equal(await store.forget([meter.deviceId], AbortSignal.abort()), false);
    const left = async () => [await countRows(opened, "point"), await countRows(scene.target, "series")];
    assert.deepEqual(await left(), [5000, 5000]);
    assert.equal(await store.forget([meter.deviceId]), true);
    assert.deepEqual(await left(), [0, 0]);
  });
}
