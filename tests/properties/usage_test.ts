/** The counts of roles and devices that roots are charged for stay exact through any history. */
import assert from "node:assert/strict";
import { bind } from "../../src/db/statement.ts";
import { query } from "../helpers/http.ts";
import { forRandomScenarios } from "./random_runs.ts";
import { WRONG_USAGE } from "../../src/graph/closure/verification_queries.ts";

const COUNTED = `
  SELECT (SELECT total(roles) FROM root_usage WHERE branch = '') AS roles,
    (SELECT total(devices) FROM root_usage WHERE branch = '') AS devices,
    (SELECT count(*) FROM role WHERE counted_to IS NOT NULL) AS countedRoles,
    (SELECT count(*) FROM device WHERE counted_to IS NOT NULL)
      + (SELECT count(*) FROM gone_device WHERE counted_to IS NOT NULL) AS countedDevices,
    (SELECT count(*) FROM role WHERE counted_to NOT IN (SELECT id FROM role WHERE is_root)) AS elsewhere`;

let counted = 0;

forRandomScenarios(
  "the roots are charged for exactly the created roles and devices that exist, or lie in the trash",
  () => ({
    atEnd: async ({ target }) => {
      assert.deepEqual(await target.database.read(bind(WRONG_USAGE, { limit: 10 })), []);
      const [row = {}] = await query<Record<string, number>>(target, COUNTED);
      const { roles = 0, devices = 0, countedRoles, countedDevices, elsewhere } = row;
      assert.deepEqual([roles, devices, elsewhere], [countedRoles, countedDevices, 0]);
      counted += roles + devices;
    },
  }),
  { atEnd: () => assert.ok(counted > 0, "nothing was counted in any history") },
);
