/** The ways of an explanation are the best of all ways, and are found at once in any graph. */
import assert from "node:assert/strict";
import { findWays, type Lineage, type Membership, type Way } from "../../src/explain/why/ways.ts";
import { randomNumbers, shuffled } from "../helpers/random_numbers.ts";
import type { LineageRelation } from "../../src/graph/history/lineage.ts";

const RIGHT = 4;

function member(roleId: number, rights = 63): Membership {
  return { id: 1000 + roleId, roleId, rights, endsAt: null };
}

/** A way as text: membership, relations, and what it loses. */
function show({ membership, relations, lostAt, isLostAtMember, isLostAtRole }: Way): string {
  const lost = [
    ...lostAt.map(([id]) => id),
    ...(isLostAtMember ? ["member"] : []),
    ...(isLostAtRole ? ["role"] : []),
  ];
  return `${membership.roleId}: ${relations.map(([id]) => id).join(",")}` +
    (lost.length === 0 ? "" : ` lost ${lost.join(",")}`);
}

function waysOf(lineage: Lineage): { open: string[]; blocked: string[] } {
  const { open, blocked } = findWays(lineage, RIGHT);
  return { open: open.map(show), blocked: blocked.map(show) };
}

Deno.test("open ways come shortest first, and blocked ways by their number of losses", () => {
  // 1 -> 2 -> 4, 1 -> 3 -> 4, 1 -> 4
  const relations: LineageRelation[] = [
    [14, 1, 2, 63],
    [13, 2, 4, RIGHT],
    [12, 1, 3, 0],
    [11, 3, 4, 1],
    [10, 1, 4, 1],
  ];
  const lineage = { roleId: 4, selfRights: RIGHT, relations, memberships: [member(1), member(4), member(9)] };
  assert.deepEqual(waysOf(lineage), {
    open: ["4: ", "1: 14,13"],
    blocked: ["1: 10 lost 10", "1: 12,11 lost 12,11"],
  });
  assert.deepEqual(
    waysOf({ ...lineage, selfRights: 0, memberships: [member(1, 0), member(4, 1), member(2, 1)] }),
    {
      open: [],
      blocked: [
        "2: 13 lost member",
        "1: 14,13 lost member",
        "4:  lost member,role",
        "1: 10 lost 10,member",
        "1: 12,11 lost 12,11,member",
      ],
    },
  );
  assert.deepEqual(waysOf({ ...lineage, memberships: [] }), { open: [], blocked: [] });
  assert.deepEqual(waysOf({ ...lineage, relations: [] }), { open: ["4: "], blocked: [] });
});

Deno.test("the ways found are the best of all ways, in random graphs", () => {
  const random = randomNumbers(5);
  let mostWays = 0;
  for (let run = 0; run < 1500; run++) {
    const size = 3 + random(6);
    const relations: LineageRelation[] = [];
    for (let child = 1; child < size; child++) {
      for (let parent = 0; parent < child; parent++) {
        if (random(3) > 0) {
          relations.push([relations.length, parent, child, random(4) > 0 ? 63 : 63 & ~RIGHT]);
        }
      }
    }
    const memberships = Array.from({ length: size }, (_, roleId) => member(roleId, random(4) > 0 ? 63 : 1))
      .filter(() => random(3) === 0);
    const lineage = {
      roleId: size - 1,
      selfRights: random(2) * RIGHT,
      relations: shuffled(relations, random),
      memberships,
    };
    const all = enumerate(lineage);
    mostWays = Math.max(mostWays, all.length);
    const { open, blocked } = findWays(lineage, RIGHT);
    for (const [kind, found] of Object.entries({ open, blocked })) {
      const expected = all.filter((way) => (lossesOf(way) === 0) === (kind === "open"))
        .sort((a, b) => costOf(a) - costOf(b)).slice(0, 10);
      const context = `run ${run}, ${kind}: ${JSON.stringify(lineage)}`;
      assert.deepEqual(found.map(costOf), expected.map(costOf), context);
      assert.equal(new Set(found.map(show)).size, found.length, context);
      const known = new Set(all.map(show));
      for (const way of found) assert.ok(known.has(show(way)), context);
    }
    if (open.length > 0) continue;
    // What the first blocked way loses is a smallest set whose widening opens a way.
    const least = blocked[0] === undefined ? Infinity : lossesOf(blocked[0]);
    assert.equal(least, Math.min(...all.map(lossesOf)));
  }
  assert.ok(mostWays > 50);
});

/** All ways from every membership, by following every relation. */
function enumerate({ roleId, selfRights, relations, memberships }: Lineage): Way[] {
  const lost = (rights: number): boolean => (rights & RIGHT) === 0;
  const found: Way[] = [];
  const follow = (membership: Membership, at: number, path: readonly LineageRelation[]): void => {
    if (at === roleId) {
      found.push({
        membership,
        relations: path,
        lostAt: path.filter(([, , , rights]) => lost(rights)),
        isLostAtMember: lost(membership.rights),
        isLostAtRole: path.length === 0 && lost(selfRights),
      });
    }
    for (const relation of relations) {
      if (relation[1] === at) follow(membership, relation[2], [...path, relation]);
    }
  };
  for (const membership of memberships) follow(membership, membership.roleId, []);
  return found;
}

function lossesOf({ lostAt, isLostAtMember, isLostAtRole }: Way): number {
  return lostAt.length + Number(isLostAtMember) + Number(isLostAtRole);
}

function costOf(way: Way): number {
  return lossesOf(way) * 1000 + way.relations.length;
}

/** 21 layers of ten roles, each managed by all of the layer above. */
function lattice(rightsOf: (layer: number, i: number, j: number) => number): LineageRelation[] {
  const relations: LineageRelation[] = [];
  for (let layer = 0; layer < 20; layer++) {
    for (let i = 0; i < 10; i++) {
      for (let j = 0; j < 10; j++) {
        relations.push([relations.length, layer * 10 + i, layer * 10 + 10 + j, rightsOf(layer, i, j)]);
      }
    }
  }
  return relations;
}

Deno.test("a lattice with countless ways is searched at once", () => {
  const relations = lattice((_, i, j) => (i + j) % 3 && 63);
  for (let i = 0; i < 10; i++) relations.push([relations.length, 200 + i, 210, 63]);
  const memberships = [member(3), member(57)];
  const { open, blocked } = findWays({ roleId: 210, selfRights: 0, relations, memberships }, RIGHT);
  assert.deepEqual(
    open.map(({ membership, relations }) => [membership.roleId, relations.length]),
    Array(10).fill([57, 16]),
  );
  assert.equal(new Set(open.map(show)).size, 10);
  assert.deepEqual(blocked.map(lossesOf), Array(10).fill(1));
  assert.deepEqual(blocked.map(({ relations }) => relations.length), Array(10).fill(16));
});

Deno.test("ten ways are shown where all ways lose the right at their start", () => {
  const relations = lattice((layer) => layer === 0 ? 0 : 63);
  const lineage = { roleId: 205, selfRights: 0, relations, memberships: [member(3)] };
  const { open, blocked } = findWays(lineage, RIGHT);
  assert.deepEqual(open, []);
  assert.equal(blocked.length, 10);
});

Deno.test("ways of equal cost are ordered by the ids of their relations, from the role upwards", () => {
  const relations: LineageRelation[] = [];
  for (let i = 0; i < 12; i++) relations.push([100 + i * 7 % 12, 0, i + 1, 63], [i * 5 % 12, i + 1, 50, 63]);
  const lineage = { roleId: 50, selfRights: 63, relations, memberships: [member(0)] };
  const { open } = findWays(lineage, RIGHT);
  assert.deepEqual(open.map(({ relations }) => relations[1]?.[0]), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

Deno.test("ways are shown until they have 2,000 relations together, and the first one always", () => {
  // Chains of the same length from the same role to the same role.
  const chains = (count: number, length: number): number => {
    const relations: LineageRelation[] = [];
    for (let chain = 0; chain < count; chain++) {
      for (let i = 0; i < length; i++) {
        const from = i === 0 ? 0 : chain * length + i;
        const to = i === length - 1 ? 1_000_000 : chain * length + i + 1;
        relations.push([relations.length, from, to, 63]);
      }
    }
    const lineage = { roleId: 1_000_000, selfRights: 0, relations, memberships: [member(0)] };
    return findWays(lineage, RIGHT).open.length;
  };
  assert.equal(chains(3, 1000), 2);
  assert.equal(chains(3, 1001), 1);
  assert.equal(chains(2, 3000), 1);
  assert.equal(chains(3, 500), 3);
});

Deno.test("ten thousand relations are searched, in a deep ladder and in a wide star", () => {
  const ladder: LineageRelation[] = [];
  for (let rung = 0; rung < 3333; rung++) {
    const [id, from, aside, to] = [rung * 3, rung * 2, rung * 2 + 1, rung * 2 + 2];
    ladder.push([id, from, aside, 63], [id + 1, aside, to, 0], [id + 2, from, to, 63]);
  }
  const deep = findWays({ roleId: 6666, selfRights: 0, relations: ladder, memberships: [member(0)] }, RIGHT);
  // The ways are too long to show ten of them.
  assert.deepEqual(deep.open.map(({ relations }) => relations.length), [3333]);
  const shown = deep.blocked.map(({ relations, lostAt }) => [relations.length, lostAt.length]);
  assert.deepEqual(shown, [[3334, 1]]);

  const star: LineageRelation[] = [];
  for (let parent = 1; parent <= 5000; parent++) {
    star.push([parent, 0, parent, 63], [5000 + parent, parent, 6000, parent % 2]);
  }
  const wide = waysOf({ roleId: 6000, selfRights: 0, relations: star, memberships: [member(0)] });
  assert.deepEqual(wide.open, []);
  assert.deepEqual(
    wide.blocked,
    Array.from({ length: 10 }, (_, i) => `0: ${i + 1},${5001 + i} lost ${5001 + i}`),
  );
});

Deno.test("a search ends even with a cycle, which only a damaged database has", () => {
  const relations: LineageRelation[] = [[1, 1, 2, 63], [2, 2, 1, 63], [3, 2, 3, 63], [4, 4, 3, 63]];
  assert.deepEqual(waysOf({ roleId: 3, selfRights: 0, relations, memberships: [member(1), member(4)] }), {
    open: ["4: 4"],
    blocked: [],
  });
});
