/** Rights and ends of memberships pass down the relations of the past as far as these carry them. */
import { randomNumbers, shuffled } from "../helpers/random_numbers.ts";
import assert from "node:assert/strict";
import { carryEnds, carryRights, type LineageRelation } from "../../src/graph/history/lineage.ts";

Deno.test("rights pass down a path as far as every relation carries them", () => {
  // 1 -> 2 -> 4, 1 -> 3 -> 4, 5 -> 4, 4 -> 6
  const relations: LineageRelation[] = [
    [10, 4, 6, 0b111111],
    [11, 1, 2, 0b000111],
    [12, 2, 4, 0b001001],
    [13, 1, 3, 0b010000],
    [14, 3, 4, 0b111111],
    [15, 5, 4, 0b111111],
  ];
  const carry = (...held: [number, number][]): [number, number][] =>
    [...carryRights(relations, new Map(held))].sort(([a], [b]) => a - b);
  assert.deepEqual(carry([1, 63]), [[2, 0b111], [3, 0b010000], [4, 0b010001], [6, 0b010001]]);
  assert.deepEqual(carry([1, 0b1]), [[2, 1], [3, 0], [4, 1], [6, 1]], "a membership that carries less");
  assert.deepEqual(carry([1, 0]), [[2, 0], [3, 0], [4, 0], [6, 0]], "reached without a right");
  assert.deepEqual(carry([6, 63]), [], "nothing is carried upwards, or to the role itself");
  assert.deepEqual(carry([7, 63]), [], "a role outside");
  assert.deepEqual(carry([2, 63], [5, 0b100000]), [[4, 0b101001], [6, 0b101001]], "several memberships");
  assert.deepEqual(carryRights([], new Map([[1, 63]])), new Map());
});

Deno.test("the rights carried down are the union over all paths, in random graphs", () => {
  const random = randomNumbers(11);
  for (let run = 0; run < 300; run++) {
    const inOrder: LineageRelation[] = [];
    for (let child = 1; child < 8; child++) {
      for (let parent = 0; parent < child; parent++) {
        if (random(3) === 0) inOrder.push([inOrder.length, parent, child, random(64)]);
      }
    }
    const relations = shuffled(inOrder, random);
    const held = new Map(Array.from({ length: 1 + random(3) }, () => [random(8), random(64)]));
    const expected = new Map<number, number>();
    const follow = (roleId: number, rights: number): void => {
      for (const [, parent, child, mask] of relations) {
        if (parent !== roleId) continue;
        expected.set(child, (expected.get(child) ?? 0) | (rights & mask));
        follow(child, rights & mask);
      }
    };
    for (const [roleId, rights] of held) follow(roleId, rights);
    const sorted = (map: Map<number, number>): unknown => [...map].sort(([a], [b]) => a - b);
    assert.deepEqual(sorted(carryRights(relations, held)), sorted(expected));
  }
});

Deno.test("a lattice with countless paths is walked at once", () => {
  const relations: LineageRelation[] = [];
  for (let layer = 0; layer < 20; layer++) {
    for (let i = 0; i < 10; i++) {
      for (let j = 0; j < 10; j++) {
        relations.push([relations.length, layer * 10 + i, layer * 10 + 10 + j, 63]);
      }
    }
  }
  assert.equal(carryRights(relations, new Map([[0, 5]])).get(205), 5);
});

Deno.test("a walk ends even with a cycle, which only a damaged database has", () => {
  assert.deepEqual(
    carryRights([[1, 1, 2, 63], [2, 2, 1, 3]], new Map([[1, 63]])),
    new Map([[2, 63], [1, 3]]),
  );
});

Deno.test("an access ends with the latest of its memberships, even where no right is carried", () => {
  // 1 -> 2 -> 4, 3 -> 4, 4 -> 5
  const relations: LineageRelation[] = [[10, 4, 5, 0], [11, 1, 2, 0], [12, 2, 4, 63], [13, 3, 4, 1]];
  const ends = (...held: [number, number | null][]): [number, number | null][] =>
    [...carryEnds(relations, new Map(held))].sort(([a], [b]) => a - b);
  assert.deepEqual(ends([1, 20], [3, 30]), [[1, 20], [2, 20], [3, 30], [4, 30], [5, 30]]);
  assert.deepEqual(ends([1, 40], [3, 30]), [[1, 40], [2, 40], [3, 30], [4, 40], [5, 40]]);
  assert.deepEqual(ends([3, 30], [1, null], [5, 50]), [[1, null], [2, null], [3, 30], [4, null], [5, null]]);
  assert.deepEqual(ends([1, null], [3, null]), [1, 2, 3, 4, 5].map((id) => [id, null]));
  assert.deepEqual(ends([4, 10], [5, 20], [9, 5]), [[4, 10], [5, 20], [9, 5]]);
  assert.deepEqual(ends(), []);
});
