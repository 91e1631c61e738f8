/** The computed closure is the union over all paths, in every shape and size of graph. */
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type ClosureRow,
  computeClosure,
  CycleError,
  type Relation,
} from "../../src/graph/closure/closure.ts";
import { closureByPaths, EMPTY_WORLD, type World } from "../model/oracle_rights.ts";

const MAX_ROLE = 12;

/** Relations lead from a lower position to a higher one, so there is no cycle. Ids are in a different order. */
const acyclicRelations: fc.Arbitrary<Relation[]> = fc.tuple(
  fc.uniqueArray(fc.integer({ min: 1, max: 9_000_000_000_000 }), {
    minLength: MAX_ROLE,
    maxLength: MAX_ROLE,
  }),
  fc.uniqueArray(
    fc.tuple(
      fc.nat({ max: MAX_ROLE - 1 }),
      fc.nat({ max: MAX_ROLE - 1 }),
      fc.nat({ max: 63 }),
    ).filter(([from, to]) => from < to),
    { selector: ([from, to]) => from * MAX_ROLE + to, maxLength: 30 },
  ),
).map(([ids, edges]) =>
  edges.map(([from, to, rights]) => ({ parentId: ids[from] ?? 0, childId: ids[to] ?? 0, rights }))
);

function worldOf(relations: readonly Relation[]): World {
  const roleIds = relations.flatMap(({ parentId, childId }) => [parentId, childId]);
  return {
    ...EMPTY_WORLD,
    roles: new Map(roleIds.map((id) => [id, { id, name: "", selfRights: 0, isRoot: false, password: null }])),
    relations: new Map(relations.map((relation, id) => [id, { id, ...relation, byPassword: false }])),
  };
}

function rowsByPaths(relations: readonly Relation[]): ClosureRow[] {
  const rows: ClosureRow[] = [];
  for (const [ancestorId, reached] of closureByPaths(worldOf(relations))) {
    for (const [descendantId, rights] of reached) rows.push({ descendantId, ancestorId, rights });
  }
  return rows.sort((a, b) => a.descendantId - b.descendantId || a.ancestorId - b.ancestorId);
}

Deno.test("the computed closure is the union over all paths, ordered by the table's key", () => {
  fc.assert(
    fc.property(acyclicRelations, (relations) => {
      const closure = computeClosure(relations);
      const rows = [...closure.rows()];
      assert.deepEqual(rows, rowsByPaths(relations));
      assert.equal(closure.size, rows.length);
    }),
    { numRuns: 300 },
  );
});

Deno.test("a chain of 20,000 roles needs no deep recursion", () => {
  // The full closure would have 200 million rows, but the cycle is found first.
  const chain = Array.from({ length: 20_000 }, (_, i) => ({ parentId: i + 2, childId: i + 1, rights: 0 }));
  assert.throws(() => computeClosure([...chain, { parentId: 1, childId: 20_001, rights: 0 }]), CycleError);
});

Deno.test("a closure with more rows than allowed is refused", () => {
  const chain = [1, 2, 3].map((id) => ({ parentId: id, childId: id + 1, rights: 63 }));
  assert.equal(computeClosure(chain, { maxRows: 6 }).size, 6);
  const error = { name: "ClosureTooLargeError", message: "The closure has more than 5 rows", maxRows: 5 };
  assert.throws(() => computeClosure(chain, { maxRows: 5 }), error);
});

Deno.test("a CycleError lists the roles of the cycle in order, each managing the next", () => {
  const relations = [[1, 2], [2, 3], [3, 4], [4, 2], [3, 5]].map(([parentId = 0, childId = 0]) => {
    return { parentId, childId, rights: 63 };
  });
  assert.throws(() => computeClosure(relations), (error) => {
    assert.ok(error instanceof CycleError);
    const start = error.roleIds.indexOf(2);
    assert.deepEqual([...error.roleIds.slice(start), ...error.roleIds.slice(0, start)], [2, 3, 4]);
    assert.equal(error.name, "CycleError");
    assert.equal(error.message, "The relations form a cycle of 3 roles");
    return true;
  });
});

Deno.test("a closure larger than its initial arrays keeps every row", () => {
  // A chain of 60 has 1770 rows. The role with 3000 parents needs more than twice the current capacity.
  const chain = Array.from({ length: 59 }, (_, i) => ({ parentId: i + 1, childId: i + 2, rights: 63 }));
  const broad = Array.from(
    { length: 3000 },
    (_, i) => ({ parentId: 1000 + i, childId: 9000, rights: i % 64 }),
  );
  const rows = [...computeClosure([...chain, ...broad]).rows()];
  assert.equal(rows.length, 1770 + 3000);
  assert.deepEqual(rows, [
    ...Array.from({ length: 59 }, (_, i) => i + 2).flatMap((descendantId) =>
      Array.from({ length: descendantId - 1 }, (_, i) => ({ descendantId, ancestorId: i + 1, rights: 63 }))
    ),
    ...broad.map(({ parentId, rights }) => ({ descendantId: 9000, ancestorId: parentId, rights })),
  ]);
});

Deno.test("a role with several parents is computed after all its parents", () => {
  const relations = [[1, 4, 3], [2, 4, 5], [4, 5, 63], [1, 5, 8], [3, 2, 4]].map(
    ([parentId = 0, childId = 0, rights = 0]) => ({ parentId, childId, rights }),
  );
  const rows = Array.from(
    computeClosure(relations).rows(),
    ({ descendantId, ancestorId, rights }) => [descendantId, ancestorId, rights],
  );
  assert.deepEqual(rows, [[2, 3, 4], [4, 1, 3], [4, 2, 5], [4, 3, 4], [5, 1, 11], [5, 2, 5], [5, 3, 4], [
    5,
    4,
    63,
  ]]);
});

Deno.test("a graph without relations has an empty closure", () => {
  const closure = computeClosure([]);
  assert.deepEqual([closure.size, [...closure.rows()]], [0, []]);
});
