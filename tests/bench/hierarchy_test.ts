import assert from "node:assert/strict";
import { closureOf } from "../helpers/oracle_rights.ts";
import { closureRows, generateHierarchy } from "./hierarchy.ts";

const OPTIONS = { seed: 5, levels: 3, rootId: 1, firstRoleId: 11, firstRelationId: 21 };

Deno.test("a generated hierarchy's closure is the one that the model computes", () => {
  const hierarchy = generateHierarchy(OPTIONS);
  const role = (id: number) =>
    [id, { id, name: "", selfRights: 0, isRoot: id === 1, password: null }] as const;
  const closure = closureOf({
    users: new Map(),
    members: new Map(),
    roles: new Map([1, ...hierarchy.levels.flat()].map(role)),
    relations: new Map(hierarchy.relations.map((r) => [r.id, { ...r, byPassword: false }])),
    devices: new Map(),
    monitors: new Map(),
  });
  const expected = new Set<string>();
  for (const [ancestorId, reached] of closure) {
    for (const [descendantId, rights] of reached) expected.add(`${descendantId} ${ancestorId} ${rights}`);
  }
  assert.deepEqual(new Set(Array.from(closureRows(hierarchy), (row) => row.join(" "))), expected);
});

Deno.test("a generated hierarchy has roles with one, two and three parents, and the root manages them all", () => {
  const hierarchy = generateHierarchy(OPTIONS);
  assert.deepEqual(hierarchy.levels.map((level) => level.length), [10, 100, 1000]);
  const parents = new Map<number, number>();
  for (const { childId } of hierarchy.relations) parents.set(childId, (parents.get(childId) ?? 0) + 1);
  assert.deepEqual(new Set(parents.values()), new Set([1, 2, 3]));
  const managed = Array.from(closureRows(hierarchy)).filter(([, ancestorId, rights]) =>
    ancestorId === 1 && rights & 1
  );
  assert.equal(managed.length, 1110);
});

Deno.test("the same seed generates the same hierarchy, another seed another one", () => {
  assert.deepEqual(generateHierarchy(OPTIONS), generateHierarchy(OPTIONS));
  assert.notDeepEqual(generateHierarchy({ ...OPTIONS, seed: 6 }), generateHierarchy(OPTIONS));
});
