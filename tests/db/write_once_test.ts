/** A refusal whose response is lost is decided again if its row was merged into a newer one meanwhile. */
import assert from "node:assert/strict";
import type { Database } from "../../src/db/database.ts";
import { ServerUnreachableError } from "../../src/db/sql_errors.ts";
import { runChange } from "../../src/changes/change_service.ts";
import type { DecisionRow } from "../../src/changes/decision.ts";
import { UPDATE_ROLE } from "../../src/role/role_queries.ts";
import { query, testApp } from "../helpers/http.ts";

/** A database on a server that loses the response to its first write, and then lets others act. */
function loseFirstResponse(database: Database, meanwhile: () => Promise<void>, calls: number[]): Database {
  return {
    ...database,
    kind: "remote",
    decides: false,
    write: async (statements) => {
      calls.push(statements.length);
      // After the repetition was refused, and before its row is read back.
      if (calls.length === 3) await meanwhile();
      const result = await database.write(statements);
      if (calls.length === 1) throw new ServerUnreachableError("the response was lost");
      return result;
    },
  };
}

testApp(
  "a refusal is decided again if its row was merged into a newer one before it was read back",
  async (target) => {
    const { userId } = await target.createUser("ada@example.com");
    const { sessionId } = await target.openSession(userId);
    const calls: number[] = [];
    const { clock } = target;
    const refuse = (database: Database): Promise<DecisionRow | undefined> =>
      runChange(
        { database, clock: clock.now, storeLimits: target.deps.storeLimits },
        { userId, sessionId },
        UPDATE_ROLE.make,
        { roleId: 1, name: "Mine", selfRights: 0, externalId: null, externalIds: null, setsExternalId: 0 },
      );
    const database = loseFirstResponse(target.database, async () => {
      assert.equal((await refuse(target.database))?.decision, "denied");
    }, calls);
    assert.equal((await refuse(database))?.decision, "denied");
    assert.deepEqual(calls, [5, 5, 1, 5], "sent, sent again, read back, sent once more");
    const rows = await query<{ attempts: number }>(target, "SELECT attempts FROM change_log");
    assert.deepEqual(rows.map(({ attempts }) => attempts), [3]);
  },
);
