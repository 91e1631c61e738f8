import assert from "node:assert/strict";
import { bind, type Statement } from "../../src/db/statement.ts";
import { CLEAR_BATCH, FORGET_DEVICE } from "../../src/telemetry/libsql/store_queries.ts";
import { forEachDatabase } from "../helpers/databases.ts";
import { defineStatement } from "../helpers/text_statement.ts";

/** One series of device 1, with one point more than a batch deletes. */
const FILL: readonly Statement[] = [
  `INSERT INTO tag_set (id, device_id, measurement, database, retention_policy, tags)
    VALUES (1, 1, 'energy', 'd', 'p', '{}')`,
  "INSERT INTO series (id, tag_set_id, field, kind) VALUES (1, 1, 'power', 'number')",
  `WITH RECURSIVE counted(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counted WHERE n < ${CLEAR_BATCH})
    INSERT INTO point (series_id, time, value) SELECT 1, n, 1 FROM counted`,
].map(defineStatement);

forEachDatabase(
  "forgetting a device deletes at most one batch per statement, so that other writes wait briefly",
  async (database) => {
    await database.write(FILL.map((statement) => bind(statement, {})));
    const [forget] = FORGET_DEVICE;
    assert.ok(forget);
    await database.write([bind(forget, { deviceId: 1 })]);
    const [left] = await database.read<{ n: number }>({ sql: "SELECT count(*) AS n FROM point", args: {} });
    assert.equal(left?.n, 1);
  },
);
