/** Generated hierarchies have the shapes that benchmarks say, and the closure that the model finds. */
import assert from "node:assert/strict";
import { openTestDatabase } from "../tests/helpers/databases.ts";
import { closureOf, EMPTY_WORLD } from "../tests/model/oracle_rights.ts";
import { verifyClosure } from "../src/graph/closure/closure_service.ts";
import { closureRows, generateHierarchy, type Hierarchy, seedHierarchy } from "./hierarchy.ts";
import { SHAPES } from "./shapes.ts";

const OPTIONS = { seed: 5, levels: 3, rootId: 1, firstRoleId: 11, firstRelationId: 21 };
const ROLE_MANAGEMENT = 1;

/** The closure, computed by the tests' model from the relations alone. */
function expectedRows(hierarchy: Hierarchy): Set<string> {
  const role = (id: number) =>
    [id, { id, name: "", selfRights: 0, isRoot: id === 1, password: null }] as const;
  const closure = closureOf({
    ...EMPTY_WORLD,
    roles: new Map([1, ...hierarchy.levels.flat()].map(role)),
    relations: new Map(hierarchy.relations.map((r) => [r.id, { ...r, byPassword: false }])),
  });
  const expected = new Set<string>();
  for (const [ancestorId, reached] of closure) {
    for (const [descendantId, rights] of reached) expected.add(`${descendantId} ${ancestorId} ${rights}`);
  }
  return expected;
}

function countParents({ relations }: Hierarchy): Map<number, number> {
  const parents = new Map<number, number>();
  for (const { childId } of relations) parents.set(childId, (parents.get(childId) ?? 0) + 1);
  return parents;
}

for (const shape of SHAPES) {
  Deno.test(`the closure of a generated hierarchy matches the model: ${shape}`, () => {
    const hierarchy = generateHierarchy({ ...OPTIONS, shape });
    const rows = Array.from(closureRows(hierarchy), (row) => row.join(" "));
    assert.deepEqual(new Set(rows), expectedRows(hierarchy));
    assert.equal(new Set(rows).size, rows.length, "a pair of roles has two rows");
  });

  Deno.test(`a generated hierarchy has ids without gaps, and the root manages all its roles: ${shape}`, async () => {
    await using opened = await openTestDatabase("file");
    const { database } = opened;
    const sql = "INSERT INTO role (id, name, self_rights, is_root) VALUES (1, 'root', 63, 1)";
    await database.write([{ sql, args: {} }]);
    const hierarchy = generateHierarchy({ ...OPTIONS, shape });
    const rows = await seedHierarchy(database, hierarchy);
    const ids = hierarchy.levels.flat().sort((a, b) => a - b);
    assert.deepEqual(ids, Array.from(ids, (_, i) => OPTIONS.firstRoleId + i));
    const managed = Array.from(closureRows(hierarchy)).filter(([, ancestorId, rights]) =>
      ancestorId === 1 && rights & ROLE_MANAGEMENT
    );
    assert.equal(managed.length, ids.length);
    const report = await verifyClosure(database, { maxDifferences: 1 });
    assert.equal(report.rows, rows.closureRows);
    assert.equal(report.differenceCount, 0);
    assert.deepEqual(report.unmanagedRoleIds, []);
    assert.deepEqual(report.looseRows, []);
  });
}

Deno.test("a generated DAG has roles with one, two and three parents, a tree with one", () => {
  const dag = generateHierarchy(OPTIONS);
  assert.deepEqual(dag.levels.map((level) => level.length), [10, 100, 1000]);
  assert.deepEqual(new Set(countParents(dag).values()), new Set([1, 2, 3]));
  const tree = generateHierarchy({ ...OPTIONS, shape: "tree" });
  assert.deepEqual(tree.levels.map((level) => level.length), [10, 100, 1000]);
  assert.deepEqual(new Set(countParents(tree).values()), new Set([1]));
});

Deno.test("generated chains have 30 levels of one parent each, and lattices two parents below their first level", () => {
  const chains = generateHierarchy({ ...OPTIONS, shape: "chains" });
  assert.deepEqual(chains.levels.map((level) => level.length), Array(30).fill(37));
  assert.deepEqual(new Set(countParents(chains).values()), new Set([1]));
  const lattices = generateHierarchy({ ...OPTIONS, shape: "lattices" });
  assert.deepEqual(lattices.levels.map((level) => level.length), Array(8).fill(17 * 8));
  const parents = countParents(lattices);
  const [top = [], ...below] = lattices.levels;
  assert.deepEqual(new Set(top.map((id) => parents.get(id))), new Set([1]));
  assert.deepEqual(new Set(below.flat().map((id) => parents.get(id))), new Set([2]));
});

Deno.test("the same seed generates the same hierarchy, and another seed another one", () => {
  assert.deepEqual(generateHierarchy(OPTIONS), generateHierarchy(OPTIONS));
  assert.notDeepEqual(generateHierarchy({ ...OPTIONS, seed: 6 }), generateHierarchy(OPTIONS));
});
