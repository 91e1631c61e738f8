/** Each step of the job that carries points over does little, since other writes wait for it. */
import assert from "node:assert/strict";
import type { Database } from "../../src/db/database.ts";
import { carryPoints } from "../../src/telemetry/carry/carry_service.ts";
import { HOUR_MS, SLOT_NS, SLOTS_PER_HOUR } from "../../src/telemetry/points/slots.ts";
import { forEachApp, queryNumber } from "../helpers/http.ts";

/** A point for each of some series in each of some slots. */
interface Part {
  readonly series: number;
  readonly slots: number;
  readonly from?: number;
}

const SHAPES: readonly (readonly [what: string, steps: number, parts: readonly Part[]])[] = [
  ["all points in one slot", 5, [{ series: 5000, slots: 1 }]],
  ["as many points in each slot", 3, [{ series: 400, slots: SLOTS_PER_HOUR }]],
  ["one full slot, and a last series in all", 6, [
    { series: 5000, slots: 1 },
    { series: 1, slots: SLOTS_PER_HOUR, from: 6000 },
  ]],
];

for (const [what, steps, parts] of SHAPES) {
  forEachApp(`a step copies up to 4,000 points and 1,000 series: ${what}`, async (target) => {
    const { clock, database } = target;
    await carryPoints({ points: database, clock: clock.now });
    const slot = Math.floor(clock.now() / HOUR_MS) * SLOTS_PER_HOUR;
    for (const { series, slots, from = 1 } of parts) {
      await database.write([{
        sql: `WITH RECURSIVE id(n) AS (SELECT :from UNION ALL SELECT n + 1 FROM id WHERE n < :until),
            slot(n) AS (SELECT :slot UNION ALL SELECT n + 1 FROM slot WHERE n < :last)
          INSERT INTO recent_point (slot, series_id, time, value)
          SELECT slot.n, id.n, slot.n * ${SLOT_NS}, 1 FROM slot CROSS JOIN id`,
        args: { from, until: from + series - 1, slot, last: slot + slots - 1 },
      }]);
    }
    const copied: number[] = [];
    const watched: Database = {
      ...database,
      async write(statements) {
        const before = await queryNumber(target, "SELECT count(*) FROM block");
        const results = await database.write(statements);
        const blocks = await queryNumber(target, "SELECT count(*) FROM block") - before;
        if (blocks > 0) copied.push(blocks);
        return results;
      },
    };
    clock.advance(80 * 60);
    await carryPoints({ points: watched, clock: clock.now });
    assert.equal(copied.length, steps, `${copied}`);
    assert.ok(Math.max(...copied) <= 1000, `${copied}`);
    assert.equal(await queryNumber(target, "SELECT count(*) FROM recent_point"), 0);
  });
}
