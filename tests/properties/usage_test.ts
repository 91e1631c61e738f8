import assert from "node:assert/strict";
import { WRONG_USAGE } from "../../src/role/usage_queries.ts";
import { bind } from "../../src/db/statement.ts";
import { playScenario } from "../model/oracle_driver.ts";
import { defineStatement } from "../helpers/text_statement.ts";
import { forRandomScenarios } from "./random_runs.ts";

const COUNTED = defineStatement(`
  SELECT (SELECT total(roles) FROM root_usage WHERE payer = '') AS roles,
    (SELECT total(devices) FROM root_usage WHERE payer = '') AS devices,
    (SELECT count(*) FROM role WHERE counted_to IS NOT NULL) AS countedRoles,
    (SELECT count(*) FROM device WHERE counted_to IS NOT NULL) AS countedDevices,
    (SELECT count(*) FROM role WHERE counted_to NOT IN (SELECT id FROM role WHERE is_root)) AS elsewhere`);

let counted = 0;

forRandomScenarios(
  "the roots are charged for exactly the created roles and devices that exist",
  async (target, scenario) => {
    await playScenario(target, scenario, new Map(), {
      atEnd: async () => {
        assert.deepEqual(await target.database.read(bind(WRONG_USAGE, { limit: 10 })), []);
        const [row] = await target.database.read<Record<string, number>>(bind(COUNTED, {}));
        assert.deepEqual([row?.["roles"], row?.["devices"], row?.["elsewhere"]], [
          row?.["countedRoles"],
          row?.["countedDevices"],
          0,
        ]);
        counted += (row?.["roles"] ?? 0) + (row?.["devices"] ?? 0);
      },
    });
  },
  { atEnd: () => assert.ok(counted > 0, "nothing was counted in any history") },
);
