import assert from "node:assert/strict";
import type { Database } from "../../src/db/database.ts";
import { ServerUnreachableError } from "../../src/db/sql_errors.ts";
import { runChange } from "../../src/role/change/change_service.ts";
import type { DecisionRow } from "../../src/role/change/decision.ts";
import { UPDATE_ROLE } from "../../src/role/role_queries.ts";
import { query, testApp } from "../helpers/http.ts";

/** A database on a server that loses the response to its first write. `calls` gets the number of statements of each. */
function loseFirstResponse(database: Database, calls: number[]): Database {
  return {
    ...database,
    kind: "remote",
    decides: false,
    write: async (statements) => {
      calls.push(statements.length);
      const result = await database.write(statements);
      if (calls.length === 1) throw new ServerUnreachableError("the response was lost");
      return result;
    },
  };
}

testApp(
  "a refusal whose response was lost is read back, and decided again if its row was merged into an earlier one",
  async (target) => {
    const { userId } = await target.createUser("ada@example.com");
    const { sessionId } = await target.openSession(userId);
    const { clock } = target;
    const refuse = async (): Promise<number[]> => {
      const calls: number[] = [];
      const row = await runChange<DecisionRow>(
        {
          database: loseFirstResponse(target.database, calls),
          clock: clock.now,
          storeLimits: target.deps.storeLimits,
        },
        { userId, sessionId },
        UPDATE_ROLE.make,
        { roleId: 1, name: "Mine", selfRights: 0, externalId: null, externalIds: null, setsExternalId: 0 },
      );
      assert.equal(row?.decision, "denied");
      return calls;
    };
    assert.deepEqual(await refuse(), [7, 7, 1], "sent, sent again, read back");
    assert.deepEqual(await refuse(), [7, 7], "sent, and sent again");
    const rows = await query<{ attempts: number }>(target, "SELECT attempts FROM change_log");
    assert.deepEqual(rows.map(({ attempts }) => attempts), [3]);
  },
);
