/** Which roles the picture draws, and what it counts. */
import assert from "node:assert/strict";
import {
  joinParts,
  type Neighbourhood,
  type Part,
  standingOn,
} from "../../src/console/web/views/hierarchy/neighbourhood.ts";
import { chooseShown } from "../../src/console/web/views/hierarchy/shown.ts";
import { ALL_RIGHTS, maskOf, overPaths, type RightName, toRights } from "../../src/graph/rights.ts";

const FOCUS = 1;
const ALL = toRights(ALL_RIGHTS);

Deno.test("four levels are drawn, and higher ones are counted until they are opened", () => {
  const chain = Array.from({ length: 7 }, (_, i) => [i + 2, i + 1] as const);
  const { roles, above } = chooseShown(neighbourhoodOf(chain), false);
  assert.deepEqual(roles.map(({ id }) => id), [1, 2, 3, 4, 5]);
  assert.deepEqual(above, { count: 3, isMore: false, canOpen: true, leadsTo: [5] });
  const opened = chooseShown(neighbourhoodOf(chain), true);
  assert.equal(opened.roles.length, 8);
  assert.deepEqual(opened.above.leadsTo, []);
});

Deno.test("all parents are drawn, and further levels only if they are not too wide", () => {
  const relations = Array.from({ length: 50 }, (_, i) => [i + 2, FOCUS] as const);
  const { roles, above } = chooseShown(neighbourhoodOf([...relations, [100, 2], [101, 100]]), false);
  assert.equal(roles.length, 51);
  assert.deepEqual(above, { count: 2, isMore: false, canOpen: true, leadsTo: [2] });
});

Deno.test("unknown relatives are counted at their role, and too many parents of the focus have a box of their own", () => {
  const { hidden, above } = chooseShown(
    neighbourhoodOf([[2, FOCUS], [FOCUS, 3]], { 1: 900, 2: 5, 3: 4 }),
    false,
  );
  assert.deepEqual(hidden.get(2), { parents: 5, children: 0, isLeast: false });
  assert.deepEqual(hidden.get(3), { parents: 3, children: 0, isLeast: false });
  assert.deepEqual(above, { count: 899, isMore: false, canOpen: false, leadsTo: [FOCUS] });
});

Deno.test("a person's rights are shown, and no access differs from access that the viewer may not ask about", () => {
  const person = {
    access: new Map([[1, { roleId: 1, name: "", rights: rights("viewManagement"), direct: true }]]),
    memberOf: new Map(),
    mayAsk: new Set([1, 2]),
  };
  const role = (id: number) => ({ id, name: "", selfRights: ALL, userRights: rights("userManagement") });
  const standings = (of: typeof person | undefined) =>
    [1, 2, 3].map((id) => standingOn(role(id), { person: of }));
  assert.deepEqual(standings(person), [rights("viewManagement"), "none", "unknown"]);
  assert.deepEqual(standings(undefined)[2], rights("userManagement"));
});

Deno.test("pages of children are joined, and what all of them contain appears once", () => {
  const page = (childId: number): Part => ({
    focusId: FOCUS,
    roles: [FOCUS, 2, childId].map((id) => ({ id, name: `Role ${id}`, selfRights: ALL, userRights: ALL })),
    manages: [[2, FOCUS], [FOCUS, childId]].map(([parentRoleId = 0, childRoleId = 0]) => ({
      id: 10 * parentRoleId + childRoleId,
      parentRoleId,
      childRoleId,
      ...ALL,
    })),
    summary: [FOCUS, 2, childId].map((id) => ({ id, parents: 1, children: 1, descendants: 1 })),
    memberOf: [2],
    person: { access: [], memberOf: [2, childId], mayAsk: [FOCUS, childId] },
  });
  const joined = joinParts([page(7), page(8)]);
  assert.deepEqual([...joined?.roles.keys() ?? []], [FOCUS, 2, 7, 8]);
  assert.deepEqual(joined?.relations.map(({ id }) => id), [21, 17, 18]);
  assert.equal(joined.summaries.size, 4);
  assert.deepEqual(joined.memberOf, new Set([2]));
  assert.deepEqual([...joined.person?.memberOf ?? []], [[2, "Role 2"], [7, "Role 7"], [8, "Role 8"]]);
  assert.deepEqual(joined.person?.mayAsk, new Set([FOCUS, 7, 8]));
  assert.equal(joinParts([]), undefined);
});

function rights(...names: RightName[]) {
  return toRights(overPaths(names.map(maskOf)));
}

/** Roles with relations from parent to child, and the number of parents of some, if they have others, too. */
function neighbourhoodOf(
  relations: readonly (readonly [number, number])[],
  parents: Readonly<Record<number, number>> = {},
): Neighbourhood {
  const ids = [...new Set([FOCUS, ...relations.flat()])];
  const count = (end: 0 | 1, id: number): number =>
    relations.filter((relation) => relation[end] === id).length;
  return {
    focusId: FOCUS,
    roles: new Map(ids.map((id) => [id, { id, name: `Role ${id}`, selfRights: ALL, userRights: ALL }])),
    relations: relations.map(([parentRoleId, childRoleId], i) => ({
      id: i + 1,
      parentRoleId,
      childRoleId,
      ...ALL,
    })),
    summaries: new Map(
      ids.map((
        id,
      ) => [id, { id, parents: parents[id] ?? count(1, id), children: count(0, id), descendants: 0 }]),
    ),
    memberOf: new Set(),
    person: undefined,
  };
}
