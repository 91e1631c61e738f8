/** Importing and exporting a hierarchy: random graphs, interruptions, and lost responses of a server. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Database } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { exportHierarchy } from "../../src/transfer/roles/export_roles.ts";
import { formatRow, type HierarchyRow } from "../../src/transfer/roles/role_format.ts";
import { GraphReader, type ImportGraph } from "../../src/transfer/roles/role_graph.ts";
import {
  importHierarchy,
  ImportOutcomeUnknownError,
  ImportTooLargeError,
  MissingRoleError,
} from "../../src/transfer/roles/import_roles.ts";
import { createFaultyProxy, type Fault } from "../helpers/faulty_proxy.ts";
import { ANY_KIND, forEachDatabase, openTestDatabase, testKind, testOn } from "../helpers/databases.ts";
import { execute } from "../helpers/http.ts";
import { assertSoundGraph } from "../helpers/sound_graph.ts";
import { clear, read } from "./platform.ts";

const clock = (): number => 1_000;

function graphOf(rows: readonly HierarchyRow[], under = false): ImportGraph {
  const reader = new GraphReader();
  for (const [i, row] of rows.entries()) reader.add(i + 2, formatRow(row));
  const checked = reader.finish({ under });
  if ("problems" in checked) assert.fail(JSON.stringify(checked.problems));
  return checked.graph;
}

function row(key: string, parents: Record<string, number>, topRights?: number): HierarchyRow {
  return { key, name: `Role ${key}`, selfRights: 5, topRights, parents: new Map(Object.entries(parents)) };
}

async function exportRows(database: Database, underId?: number): Promise<HierarchyRow[]> {
  let rows: HierarchyRow[] = [];
  await exportHierarchy(database, {
    begin: () => Promise.resolve(void (rows = [])),
    write: (page) => Promise.resolve(void rows.push(...page)),
  }, { underId });
  return rows;
}

/** Replaces keys by positions, since an import keeps the order of roles but not their ids. */
function rename(rows: readonly HierarchyRow[]): unknown[] {
  const names = new Map(rows.map(({ key }, i) => [key, `k${i + 1}`]));
  return rows.map(({ key, parents, ...rest }) => ({
    ...rest,
    key: names.get(key),
    parents: [...parents].map(([parent, rights]) => [names.get(parent), rights]).sort(),
  }));
}

function run(database: Database, ...statements: string[]): Promise<void> {
  return execute({ database }, statements);
}

const LEFTOVERS = "SELECT (SELECT count(*) FROM import_chunk), (SELECT count(*) FROM role)";

/** An acyclic hierarchy whose order of relations differs from the file's order. Roots may have parents. */
const hierarchy: fc.Arbitrary<HierarchyRow[]> = fc.array(
  fc.record({
    place: fc.nat(),
    selfRights: fc.nat({ max: 63 }),
    name: fc.stringMatching(/^[a-z,"|=; é]{1,8}$/).filter((name) => name.trim() !== ""),
    isTop: fc.boolean(),
    topRights: fc.nat({ max: 63 }),
    relations: fc.array(fc.tuple(fc.nat(), fc.nat({ max: 63 })), { maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 14 },
).map((drafts) => {
  const ordered = drafts.map((draft, i) => ({ ...draft, key: `k ${i}` }));
  const rows = ordered.map(({ key, name, selfRights, isTop, topRights, relations }, i): HierarchyRow => {
    const parents = new Map<string, number>();
    for (const [n, [pick, rights]] of (i === 0 ? [] : relations).entries()) {
      parents.set(`k ${pick % i}`, n === 0 ? rights | 1 : rights);
    }
    const top = isTop || parents.size === 0 ? topRights | 1 : undefined;
    // Of several relations to one parent the last counts, and it may lack roleManagement.
    const managed = top !== undefined || [...parents.values()].some((rights) => rights & 1);
    return { key, name: name.trim(), selfRights, parents, topRights: managed ? top : topRights | 1 };
  });
  return rows.map((value, i) => ({ value, place: ordered[i]?.place ?? 0 })).sort((a, b) => a.place - b.place)
    .map(({ value }) => value);
});

testOn(ANY_KIND, "importing an export gives the same graph, for random graphs", async (database) => {
  await fc.assert(
    fc.asyncProperty(hierarchy, async (rows) => {
      await clear(database);
      await importHierarchy({ database, clock }, graphOf(rows));
      const first = await exportRows(database);
      // An export gives a root all rights at the top, since no relation enters it there.
      const told = rows.map((r) => r.topRights === undefined ? r : { ...r, topRights: 63 });
      assert.deepEqual(rename(first), rename(told));
      await clear(database);
      await importHierarchy({ database, clock }, graphOf(first));
      assert.deepEqual(rename(await exportRows(database)), rename(first));
      await assertSoundGraph({ database });
    }),
    { numRuns: 40 },
  );
});

testOn(ANY_KIND, "an import under a role is exported from there unchanged", async (database) => {
  await fc.assert(
    fc.asyncProperty(hierarchy, hierarchy, async (above, rows) => {
      await clear(database);
      const { firstRoleId = 0 } = await importHierarchy({ database, clock }, graphOf(above));
      const underId = firstRoleId + above.length - 1;
      const before = await exportRows(database, underId);
      const report = await importHierarchy({ database, clock }, graphOf(rows, true), { underId });
      const after = await exportRows(database, underId);
      assert.deepEqual(rename(after.slice(before.length)), rename(rows));
      await assertSoundGraph({ database });
      const [[closureRows] = []] = await read(database, "SELECT count(*) FROM role_closure");
      assert.ok(report.closureRows <= Number(closureRows));
    }),
    { numRuns: 30 },
  );
});

testOn(ANY_KIND, "an import takes consecutive ids and writes one row to the log", async (database) => {
  await run(database, "UPDATE id_sequence SET last_id = CASE name WHEN 'node' THEN 40 ELSE 70 END");
  const rows = [row("b", { a: 63 }), row("a", {}, 63)];
  const report = await importHierarchy({ database, clock }, graphOf(rows));
  assert.deepEqual(report, { roles: 2, relations: 1, closureRows: 1, firstRoleId: 41 });
  const relation = "SELECT id, parent_id, child_id, rights FROM manages";
  assert.deepEqual(await read(database, relation), [[71, 42, 41, 63]]);
  assert.deepEqual(await read(database, "SELECT last_id FROM id_sequence ORDER BY name"), [[42], [71]]);
  const log = "SELECT kind, decision, substr(session_id, 1, 7), cost, details FROM change_log";
  const logged = ["hierarchy.import", "ok", "import:", 4, '{"roles":2,"relations":1}'];
  assert.deepEqual(await read(database, log), [logged]);
  assert.deepEqual(await read(database, LEFTOVERS), [[0, 2]]);
});

testOn(ANY_KIND, "a refused import changes nothing and leaves nothing staged", async (database) => {
  const rows = [row("a", {}, 63), row("b", { a: 63 })];
  await assert.rejects(
    importHierarchy({ database, clock }, graphOf(rows), { maxRows: 3 }),
    (error) => error instanceof ImportTooLargeError && /4 rows.*--under/.test(error.message),
  );
  const under = graphOf(rows, true);
  for (const dryRun of [false, true]) {
    const options = { underId: 9, dryRun };
    await assert.rejects(importHierarchy({ database, clock }, under, options), MissingRoleError);
  }
  const dry = await importHierarchy({ database, clock }, graphOf(rows), { dryRun: true });
  assert.deepEqual(dry, { roles: 2, relations: 1, closureRows: 1, firstRoleId: undefined });
  assert.deepEqual(await read(database, LEFTOVERS), [[0, 0]]);
  assert.deepEqual(await read(database, "SELECT sum(last_id) FROM id_sequence"), [[0]]);
});

/** Runs another client's statements after the rows are staged and before the last batch. */
function interrupted(database: Database, ...statements: string[]): Database {
  return {
    ...database,
    async write(batch): Promise<Awaited<ReturnType<Database["write"]>>> {
      if (batch.length > 1) await run(database, ...statements.splice(0));
      return await database.write(batch);
    },
  };
}

function addRootAbove(roleId: number): string[] {
  return [
    "INSERT INTO role (id, name, self_rights, is_root) VALUES (50, 'new root', 63, 1)",
    `INSERT INTO manages (id, parent_id, child_id, rights) VALUES (50, 50, ${roleId}, 3)`,
    `INSERT INTO role_closure (descendant_id, ancestor_id, rights) VALUES (${roleId}, 50, 3)`,
  ];
}

forEachDatabase("an import uses the graph as it is at its last batch", async (database) => {
  const { firstRoleId: rootId = 0 } = await importHierarchy({ database, clock }, graphOf([row("r", {}, 63)]));
  const meanwhile = interrupted(
    database,
    "UPDATE id_sequence SET last_id = last_id + 100",
    ...addRootAbove(rootId),
  );
  const [graph, options] = [graphOf([row("a", {}, 7)], true), { underId: rootId }];
  const report = await importHierarchy({ database: meanwhile, clock }, graph, options);
  assert.deepEqual(report, { roles: 1, relations: 1, closureRows: 2, firstRoleId: rootId + 101 });
  await assertSoundGraph({ database });
  const gone = interrupted(database, `DELETE FROM role WHERE id = ${rootId}`);
  await assert.rejects(importHierarchy({ database: gone, clock }, graph, options), MissingRoleError);
  const purged = interrupted(database, "DELETE FROM import_chunk");
  const lost = importHierarchy({ database: purged, clock }, graphOf([row("z", {}, 7)]));
  await assert.rejects(lost, { name: "StagingLostError" });
  assert.deepEqual(await read(database, LEFTOVERS), [[0, 2]]);
});

forEachDatabase("an import that becomes too large while it is staged changes nothing", async (database) => {
  const { firstRoleId: rootId = 0 } = await importHierarchy({ database, clock }, graphOf([row("r", {}, 63)]));
  const deps = { database: interrupted(database, ...addRootAbove(rootId)), clock };
  const graph = graphOf([row("a", {}, 7)], true);
  await assert.rejects(importHierarchy(deps, graph, { underId: rootId, maxRows: 3 }), ImportTooLargeError);
  assert.deepEqual(await read(database, "SELECT count(*) FROM role"), [[2]]);
  await assertSoundGraph({ database });
});

/** Runs an import whose last batch meets these faults one by one. Returns its outcome and the rows it left. */
async function importThrough(
  ...faults: (Fault | { code: string })[]
): Promise<{ error: unknown; left: unknown[] | undefined }> {
  await using target = await openTestDatabase("remote");
  const proxy = createFaultyProxy();
  const database = await openDatabase(target.url, { fetch: proxy.fetch });
  const last: Database = {
    ...database,
    write(batch): Promise<Awaited<ReturnType<Database["write"]>>> {
      if (batch.length > 2) proxy.setPlan(() => faults.shift());
      return database.write(batch);
    },
  };
  try {
    const graph = graphOf([row("a", {}, 63), row("b", { a: 63 })]);
    const error: unknown = await importHierarchy({ database: last, clock }, graph)
      .then(() => undefined, (reason) => reason);
    const [[opId] = []] = await read(target.database, "SELECT op_id FROM change_log");
    // The message names the row to look for.
    if (error instanceof ImportOutcomeUnknownError) assert.ok(error.message.includes(`'${opId}'`));
    return { error, left: (await read(target.database, LEFTOVERS))[0] };
  } finally {
    await database.close();
  }
}

const ENDINGS: readonly (readonly [string, (Fault | { code: string })[], string | undefined, number[]])[] = [
  [
    "response is lost and whose server stays away has an unknown outcome",
    ["answer_lost", "refused", "refused"],
    "ImportOutcomeUnknownError",
    [0, 2],
  ],
  ["response is lost succeeds, since the log has its row", ["answer_lost"], undefined, [0, 2]],
  ["request is lost fails as too large", ["refused"], "ImportTooLargeError", [0, 0]],
  ["time runs out fails as too large", [{ code: "TRANSACTION_TIMEOUT" }], "ImportTooLargeError", [0, 0]],
  ["database is full does not fail as too large", [{ code: "SQLITE_FULL" }], "AppError", [0, 0]],
  ["access is blocked does not fail as too large", [{ code: "BLOCKED" }], "AppError", [0, 0]],
];

for (const [what, faults, name, left] of ENDINGS) {
  testKind("remote", `an import whose ${what}`, async () => {
    const outcome = await importThrough(...faults);
    assert.equal(outcome.error instanceof Error ? outcome.error.name : undefined, name);
    assert.deepEqual(outcome.left, left);
  });
}

Deno.test("an export restarts if the graph changes between pages, and fails if it never stops changing", async () => {
  await using file = await openTestDatabase("file");
  const { database } = file;
  const rows = [row("r", {}, 63), ...Array.from({ length: 2500 }, (_, i) => row(`c${i}`, { r: 63 }))];
  await importHierarchy({ database, clock }, graphOf(rows));
  const restless = (times: number): Database => ({
    ...database,
    async readAll(statements): Promise<Awaited<ReturnType<Database["readAll"]>>> {
      const results = await database.readAll(statements);
      if (times-- > 0) {
        await run(
          database,
          `INSERT INTO change_log (op_id, at, actor_id, session_id, kind, decision, step)
            VALUES ('${crypto.randomUUID()}', 0, 1, 's', 'role.update', 'ok', 'write')`,
          "UPDATE role SET name = 'moved' WHERE id IN (1, 2501)",
        );
      }
      return results;
    },
  });
  const exported = await exportRows(restless(1));
  assert.equal(exported.length, 2501);
  assert.deepEqual([exported[0]?.name, exported.at(-1)?.name], ["moved", "moved"]);
  await assert.rejects(exportRows(restless(Infinity)), { name: "GraphMovedError" });
});
