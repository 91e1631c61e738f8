/** A check of the database reports each kind of wrong row, and a rebuild repairs the closure. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Database } from "../../src/db/database.ts";
import { CycleError } from "../../src/graph/closure/closure.ts";
import { rebuildClosure, verifyClosure } from "../../src/graph/closure/closure_service.ts";
import { GraphMovedError } from "../../src/graph/closure/graph_moved.ts";
import { RELATIONS_AFTER } from "../../src/graph/closure/verification_queries.ts";
import { scenario } from "../model/graph_operations.ts";
import { playScenario } from "../model/oracle_driver.ts";
import { execute, testApp } from "../helpers/http.ts";
import { ANY_KIND, testOn } from "../helpers/databases.ts";

testApp("the closure is correct after random changes", async (target) => {
  for (const played of fc.sample(scenario, { numRuns: 10, seed: 20_260_101 })) {
    await playScenario(target, played, new Map());
    const { differenceCount, unmanagedRoleIds, cycle } = await verifyClosure(target.database);
    assert.deepEqual([differenceCount, unmanagedRoleIds, cycle], [0, [], undefined]);
  }
});

const PLANT = [
  `INSERT INTO role (id, name, self_rights, is_root) VALUES (1, 'root', 63, 1), (2, 'a', 0, 0), (3, 'b', 0, 0), (4, 'c', 0, 0)`,
  `INSERT INTO manages (id, parent_id, child_id, rights) VALUES (1, 1, 2, 63), (2, 2, 3, 7), (3, 2, 4, 1), (4, 3, 4, 2)`,
  `INSERT INTO role_closure (descendant_id, ancestor_id, rights)
   VALUES (2, 1, 63), (3, 1, 7), (3, 2, 7), (4, 1, 3), (4, 2, 3), (4, 3, 2)`,
];

function run(database: Database, ...statements: string[]): Promise<void> {
  return execute({ database }, statements);
}

testOn(ANY_KIND, "missing, surplus and wrong rows are found and repaired", async (database) => {
  await run(database, ...PLANT);
  assert.deepEqual(await verifyClosure(database), {
    relations: 4,
    rows: 6,
    differences: [],
    differenceCount: 0,
    unmanagedRoleIds: [],
    looseRows: [],
    wrongHistory: [],
    wrongDemandIds: [],
    wrongUsage: [],
    cycle: undefined,
  });
  await run(
    database,
    "DELETE FROM role_closure WHERE descendant_id = 3 AND ancestor_id = 1",
    "INSERT INTO role_closure (descendant_id, ancestor_id, rights) VALUES (3, 3, 63), (9, 1, 0)",
    "UPDATE role_closure SET rights = 63 WHERE descendant_id = 4 AND ancestor_id = 2",
  );
  const { differences } = await verifyClosure(database);
  assert.deepEqual(differences, [
    { descendantId: 3, ancestorId: 1, kept: undefined, expected: 7 },
    { descendantId: 3, ancestorId: 3, kept: 63, expected: undefined },
    { descendantId: 4, ancestorId: 2, kept: 63, expected: 3 },
    { descendantId: 9, ancestorId: 1, kept: 0, expected: undefined },
  ]);
  const limited = await verifyClosure(database, { maxDifferences: 1 });
  assert.deepEqual([limited.differences.length, limited.differenceCount], [1, 4]);
  assert.deepEqual(await rebuildClosure(database), { relations: 4, rows: 6, repaired: 4 });
  assert.equal((await verifyClosure(database)).differenceCount, 0);
  assert.deepEqual(await rebuildClosure(database), { relations: 4, rows: 6, repaired: 0 });
});

testOn(ANY_KIND, "an empty closure is rebuilt in several pages and batches", async (database) => {
  const count = 5200;
  const relations = Array.from({ length: count }, (_, i) => [i + 1, 1 + (i >> 3), i + 2, i % 64]);
  await run(database, "INSERT INTO role (id, name, self_rights, is_root) VALUES (1, 'root', 63, 1)");
  await execute(
    { database },
    `INSERT INTO manages (id, parent_id, child_id, rights)
      SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(:relations)`,
    { relations: JSON.stringify(relations) },
  );
  let lastProgress: readonly number[] = [];
  const { rows, repaired } = await rebuildClosure(database, {
    onProgress: (done, total) => lastProgress = [done, total],
  });
  assert.ok(rows > 20_000, `${rows} rows`);
  assert.equal(repaired, rows);
  assert.deepEqual(lastProgress, [count, count]);
  assert.deepEqual((await verifyClosure(database)).differenceCount, 0);
});

testOn(ANY_KIND, "rows that refer to a deleted row are reported", async (database) => {
  await run(
    database,
    ...PLANT,
    "INSERT INTO manages (id, parent_id, child_id, rights) VALUES (20, 1, 99, 63)",
    "INSERT INTO user_account (id, email, created_at) VALUES (7, 'ada@example.com', 0)",
    "INSERT INTO member (id, role_id, user_id) VALUES (21, 1, 7), (22, 99, 7), (23, 1, 8), (27, 1, -27), (28, 1, -28)",
    "INSERT INTO role_key (id, role_id, name, prefix, secret_mac, created_at) VALUES (27, 1, '', '', '', 0), (29, 1, '', '', '', 0)",
    "INSERT INTO device (id, node_id, properties, updated_at) VALUES (30, 'a', '{}', 0), (31, 'b', '{}', 0)",
    "INSERT INTO monitors (id, role_id, device_id) VALUES (24, 1, 30), (25, 99, 30), (26, 1, 32)",
  );
  const { looseRows } = await verifyClosure(database);
  assert.deepEqual(looseRows.map(({ what, id }) => `${what} ${id}`).sort(), [
    "device 31",
    "key 29",
    "manages relation 20",
    "membership 22",
    "membership 23",
    "membership 28",
    "monitors relation 25",
    "monitors relation 26",
  ]);
});

testOn(ANY_KIND, "history that does not end with the stored state is reported", async (database) => {
  await run(
    database,
    ...PLANT,
    "INSERT INTO member (id, role_id, user_id, rights, ends_at) VALUES (21, 1, 7, 7, NULL), (22, 2, 7, 7, 5), (23, 3, 7, 7, 5)",
    "UPDATE role SET self_rights = 5, name = 'c' WHERE id = 2",
    "DELETE FROM manages WHERE id = 4",
  );
  assert.deepEqual((await verifyClosure(database)).wrongHistory, []);
  await run(
    database,
    "DELETE FROM role_history WHERE role_id = 4",
    "UPDATE role_history SET self_rights = 1 WHERE role_id = 3",
    "UPDATE manages_history SET parent_id = 9 WHERE relation_id = 3",
    "UPDATE manages_history SET to_rev = 9 WHERE relation_id = 2",
    "UPDATE member_history SET ends_at = 5 WHERE member_id = 21",
    "UPDATE member_history SET ends_at = NULL WHERE member_id = 22",
    `INSERT INTO member_history (member_id, role_id, user_id, rights, from_rev, to_rev)
     VALUES (30, 1, 7, 7, 0, ${Number.MAX_SAFE_INTEGER}), (31, 1, 7, 7, 0, 8)`,
    `INSERT INTO role_history (role_id, self_rights, from_rev, to_rev) VALUES (32, 1, 0, ${Number.MAX_SAFE_INTEGER})`,
    `INSERT INTO manages_history (relation_id, parent_id, child_id, rights, from_rev, to_rev)
     VALUES (33, 1, 2, 1, 0, ${Number.MAX_SAFE_INTEGER})`,
  );
  const { wrongHistory } = await verifyClosure(database);
  assert.deepEqual(wrongHistory.map(({ what, id }) => `${what} ${id}`).sort(), [
    "manages relation 2",
    "manages relation 3",
    "manages relation 33",
    "membership 21",
    "membership 22",
    "membership 30",
    "role 3",
    "role 32",
    "role 4",
  ]);
});

testOn(ANY_KIND, "memberships that do not say what their role demands are reported", async (database) => {
  await run(
    database,
    ...PLANT,
    "UPDATE role SET needs = 2, needs_before = 1, needs_from = 5 WHERE id = 2",
    "INSERT INTO member (id, role_id, user_id) VALUES (21, 1, 7), (22, 2, 7), (23, 2, 8), (24, 2, -24)",
  );
  assert.deepEqual((await verifyClosure(database)).wrongDemandIds, []);
  await run(
    database,
    "UPDATE member SET needs = 1 WHERE id IN (21, 24)",
    "UPDATE member SET needs_from = NULL WHERE id = 22",
  );
  assert.deepEqual((await verifyClosure(database)).wrongDemandIds.toSorted(), [21, 22, 24]);
});

testOn(ANY_KIND, "a cycle and a role without a manager are reported", async (database) => {
  await run(database, ...PLANT, "UPDATE manages SET rights = 6 WHERE id = 2");
  assert.deepEqual((await verifyClosure(database)).unmanagedRoleIds, [3]);
  await run(database, "INSERT INTO manages (id, parent_id, child_id, rights) VALUES (9, 4, 3, 0)");
  const { cycle } = await verifyClosure(database);
  assert.deepEqual(cycle?.toSorted(), [3, 4]);
  await assert.rejects(rebuildClosure(database), CycleError);
});

/** A database whose graph changes after the relations were read, `times` times. */
function withChangesMeanwhile(database: Database, times: number): Database {
  return {
    ...database,
    async read<T>(statement: Parameters<Database["read"]>[0]): Promise<T[]> {
      const rows = await database.read<T>(statement);
      if (statement.sql === RELATIONS_AFTER.sql && times-- > 0) {
        await run(database, "UPDATE manages SET rights = rights & 61 WHERE id = 1");
        await run(database, "UPDATE role_closure SET rights = rights & 61 WHERE ancestor_id = 1");
        await execute(
          { database },
          `INSERT INTO change_log (op_id, at, actor_id, session_id, kind, decision, step)
            VALUES (:opId, 0, 1, 's', 'manages.update', 'ok', 'shrink')`,
          { opId: crypto.randomUUID() },
        );
      }
      return rows;
    },
  };
}

testOn(ANY_KIND, "a graph that changes while it is read is read again, not repaired", async (database) => {
  await run(database, ...PLANT);
  assert.equal((await verifyClosure(withChangesMeanwhile(database, 2))).differenceCount, 0);
  await run(database, "UPDATE manages SET rights = 63 WHERE id = 1");
  await run(database, "UPDATE role_closure SET rights = 63 WHERE descendant_id = 2");
  const { repaired } = await rebuildClosure(withChangesMeanwhile(database, 1));
  assert.equal(repaired, 0);
  assert.equal((await verifyClosure(database)).differenceCount, 0);
});

testOn(ANY_KIND, "a graph that never stops changing ends the check with an error", async (database) => {
  await run(database, ...PLANT);
  const restless = withChangesMeanwhile(database, Infinity);
  await assert.rejects(verifyClosure(restless), GraphMovedError);
  await assert.rejects(rebuildClosure(restless), GraphMovedError);
});

testOn(ANY_KIND, "wrong counts of the stored rows below a root are reported", async (database) => {
  await run(
    database,
    ...PLANT,
    "INSERT INTO role (id, name, self_rights, counted_to, counted_for) VALUES (50, 'e', 1, 1, '7'), (51, 'f', 1, 1, NULL)",
    "INSERT INTO device (id, node_id, properties, updated_at, counted_to) VALUES (52, 'n', '{}', 0, 1)",
    "DELETE FROM role WHERE id = 51",
  );
  assert.deepEqual((await verifyClosure(database)).wrongUsage, []);
  await run(
    database,
    "UPDATE root_usage SET roles = 2 WHERE branch = '7'",
    "DELETE FROM root_usage WHERE branch = ''",
  );
  const { wrongUsage } = await verifyClosure(database);
  assert.deepEqual(wrongUsage.map(({ rootId, branch }) => [rootId, branch]), [[1, ""], [1, "7"]]);
});
