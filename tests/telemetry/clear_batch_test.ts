/** Deletions of points take one batch at a time, and whole hours of blocks. */
import assert from "node:assert/strict";
import { bind, type Statement } from "../../src/db/statement.ts";
import {
  CLEAR_BATCH,
  CLEAR_BLOCKS,
  CLEAR_POINTS,
  CLEAR_RECENT,
  HAS_MORE_BLOCKS,
} from "../../src/telemetry/clear/clear_queries.ts";
import { clearAll, clearOld } from "../../src/telemetry/clear/clear_service.ts";
import { BLOCKS_PER_HOUR, HOUR_NS } from "../../src/telemetry/points/slots.ts";
import { forEachDatabase } from "../helpers/databases.ts";
import { queryNumber } from "../helpers/http.ts";
import { defineStatement } from "../helpers/text_statement.ts";

/** More hours than a batch clears. */
const HOURS = 600;
const COUNTED =
  `WITH RECURSIVE counted(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counted WHERE n < ${CLEAR_BATCH})`;
/** Series 1 with a point more than a batch deletes, and 2 with blocks. Series 3 has some of each. */
const FILL: readonly Statement[] = [
  `${COUNTED} INSERT INTO point (series_id, time, value) SELECT 1, n, 1 FROM counted`,
  `${COUNTED} INSERT INTO recent_point (slot, series_id, time, value) SELECT n / 10, 1, n, 1 FROM counted`,
  `${COUNTED} INSERT INTO block (id, points) SELECT n * ${BLOCKS_PER_HOUR} + 2, '0\t1' FROM counted WHERE n < ${HOURS}`,
  "INSERT INTO point (series_id, time, value) VALUES (3, 5, 1)",
  "INSERT INTO recent_point (slot, series_id, time, value) VALUES (5, 3, 5, 1)",
  `INSERT INTO block (id, points) VALUES (7 * ${BLOCKS_PER_HOUR} + 3, '0\t1')`,
  `INSERT INTO block_range (series_id, first_hour, last_hour) VALUES (2, 0, ${HOURS - 1}), (3, 7, 7)`,
].map((text) => defineStatement(text));

forEachDatabase("a statement deletes up to a batch, so that other writes wait briefly", async (database) => {
  const count = (table: string): Promise<number> =>
    queryNumber({ database }, `SELECT count(*) FROM ${table}`);
  await database.write(FILL.map((statement) => bind(statement, {})));
  const before = "[[1,9223372036854775807],[2,9223372036854775807]]";
  await database.write([CLEAR_POINTS, CLEAR_RECENT, ...CLEAR_BLOCKS].map((one) => bind(one, { before })));
  assert.deepEqual([await count("point"), await count("recent_point")], [2, 2]);
  assert.equal(await count("block"), HOURS - 250 + 1);
  await clearAll(database, "[1,2]");
  for (const table of ["point", "recent_point", "block", "block_range"]) {
    assert.equal(await count(table), 1, table);
  }
  assert.deepEqual(await database.read(bind(HAS_MORE_BLOCKS, { before })), [{ hasMore: 0 }]);
});

forEachDatabase("of blocks, whole hours before a time are deleted", async (database) => {
  await database.write(FILL.map((statement) => bind(statement, {})));
  const hours = 300n;
  const time = hours * BigInt(HOUR_NS) + 1n;
  await clearOld(database, `[[2,"number",${time},${time}]]`);
  const [row] = await database.read({
    sql:
      `SELECT min(id / ${BLOCKS_PER_HOUR}) AS first, count(*) AS n FROM block WHERE id % ${BLOCKS_PER_HOUR} = 2`,
    args: {},
  });
  assert.deepEqual(row, { first: 300, n: HOURS - 300 });
  assert.equal(
    await queryNumber({ database }, "SELECT first_hour FROM block_range WHERE series_id = 2"),
    300,
  );
});
