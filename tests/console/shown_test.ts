import assert from "node:assert/strict";
import type { Neighbourhood } from "../../src/console/web/views/hierarchy/neighbourhood.ts";
import { chooseShown } from "../../src/console/web/views/hierarchy/shown.ts";
import { standingOn } from "../../src/console/web/views/hierarchy/person_rights.ts";
import { ALL_RIGHTS, maskOf, overPaths, type RightName, toRights } from "../../src/role/rights.ts";

const FOCUS = 1;
const ALL = toRights(ALL_RIGHTS);

Deno.test("four levels are drawn, and those above them counted, until they are opened", () => {
  const chain = Array.from({ length: 7 }, (_, i) => [i + 2, i + 1] as const);
  const { roles, above } = chooseShown(neighbourhoodOf(chain), false);
  assert.deepEqual(roles.map(({ id }) => id), [1, 2, 3, 4, 5]);
  assert.deepEqual(above, { count: 3, isMore: false, canOpen: true, leadsTo: [5] });
  const opened = chooseShown(neighbourhoodOf(chain), true);
  assert.equal(opened.roles.length, 8);
  assert.deepEqual(opened.above.leadsTo, []);
});

Deno.test("all parents are drawn, and of further levels those that are not too wide", () => {
  const relations = Array.from({ length: 50 }, (_, i) => [i + 2, FOCUS] as const);
  const { roles, above } = chooseShown(neighbourhoodOf([...relations, [100, 2], [101, 100]]), false);
  assert.equal(roles.length, 51);
  assert.deepEqual(above, { count: 2, isMore: false, canOpen: true, leadsTo: [2] });
});

Deno.test("what is not known is counted where it is, and parents of the focus that are too many have a box", () => {
  const { hidden, above } = chooseShown(
    neighbourhoodOf([[2, FOCUS], [FOCUS, 3]], { 1: 900, 2: 5, 3: 4 }),
    false,
  );
  assert.deepEqual(hidden.get(2), { parents: 5, children: 0 });
  assert.deepEqual(hidden.get(3), { parents: 3, children: 0 });
  assert.deepEqual(above, { count: 899, isMore: false, canOpen: false, leadsTo: [FOCUS] });
});

Deno.test("somebody's rights are shown, no access is told from what one may not ask", () => {
  const person = {
    email: "grace@example.com",
    access: new Map([[1, { roleId: 1, name: "", rights: rights("viewManagement"), direct: true }]]),
    memberOf: new Map(),
    ownRoleIds: new Set([3]),
  };
  const standing = (id: number, ...held: RightName[]) =>
    standingOn({ id, name: "", selfRights: ALL, userRights: rights(...held) }, { person });
  assert.deepEqual(standing(1), rights("viewManagement"));
  assert.equal(standing(2), "unknown");
  assert.equal(standing(2, "userManagement"), "none");
  assert.equal(standing(2, "roleManagement"), "none");
  assert.equal(standing(3, "roleManagement"), "unknown", "it may be from their own role's selfRights");
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
    person: undefined,
  };
}
