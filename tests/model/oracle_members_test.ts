/** The model decides hand-made examples of memberships and keys with limits as the rules say. */
import assert from "node:assert/strict";
import type { Operation } from "./oracle.ts";
import { visibleMembers } from "./oracle_answers.ts";
import { assertStep } from "./oracle_invariants.ts";
import { DAY_MS } from "./oracle_members.ts";
import {
  ALL_RIGHTS as ALL,
  DEVICE_MANAGEMENT as DM,
  type ModelMember,
  potentialRights,
  ROLE_MANAGEMENT as RM,
  USER_MANAGEMENT as UM,
  userRights,
  VIEW_MANAGEMENT as VM,
  type World,
} from "./oracle_rights.ts";
import {
  add,
  adoptKey,
  type Bounds,
  create,
  decideGiven,
  deleteKey,
  GIVEN,
  makeKey,
  putById,
  removeMember,
  sketch,
  update,
} from "./sketch.ts";

const NOW = 1000;
const LATER = 2000;

/**
 * Root 1 manages 10, 10 manages 20. Members: user 1 in 1; user 2 in 1, limited in rights and time; user 3 in 10, and in 20
 * until now; user 4 in none; keys 300, and 302 of user 2, which provisions, in 10;
 * key 301 in 20 until now.
 */
const WORLD: World = {
  ...sketch({
    roles: [[1, ALL], [10, RM | UM | VM], [20, UM]],
    relations: [[101, 1, 10, ALL], [102, 10, 20, RM | UM]],
    members: [
      [201, 1, 1],
      [202, 1, 2, RM | VM, LATER],
      [203, 10, 3],
      [204, 20, 3, ALL, NOW],
      [300, 10, -300, RM | UM],
      [301, 20, -301, ALL, NOW],
      [302, 10, -302, UM | VM, LATER],
    ],
  }),
  now: NOW,
  keys: new Map(([[300, 10, 1], [301, 20, 1], [302, 10, 2]] as const).map(([id, roleId, createdBy]) => {
    const made = { name: "key", asks: false, provisions: id === 302, createdAt: 0, createdBy, via: roleId };
    return [id, { id, roleId, ...made }];
  })),
};

const TABLE: [string, Operation, number][] = [
  ["add for a time", add(1, 20, 4, { until: LATER }), 200],
  ["add within the actor's end", add(2, 20, 4, { until: LATER, rights: VM }), 200],
  ["add beyond the actor's end", add(2, 20, 4, { until: LATER + 1 }), 403],
  ["add without an end, by an actor with an end", add(2, 20, 4, { until: null }), 403],
  ["add with a right that the actor lacks", add(2, 20, 4, { rights: UM }), 403],
  ["add with all rights, by an actor who lacks some", add(2, 20, 4, { rights: null }), 403],
  ["narrow a member who has more than the actor", add(2, 10, 3, { rights: UM | DM }), 200],
  ["end a member who has more than the actor", add(2, 10, 3, { until: LATER + 9 }), 200],
  ["narrow and widen", add(2, 10, 3, { rights: ALL }), 200],
  ["narrow oneself", add(2, 1, 2, { rights: RM }), 403],
  ["prolong by an actor without an end", add(1, 1, 2, { until: null }), 200],
  ["add by userManagement that the membership lacks", add(2, 1, 4), 403],
  ["add again after the end", add(1, 20, 3), 200],
  ["remove after the end", removeMember(3, 20, 204), 403],
  ["remove a key as a member", removeMember(1, 10, 300), 403],
  ["add by a key", add(-300, 20, 4), 403],
  ["narrow by a key", add(-300, 10, 3, { rights: VM }), 403],
  ["act by a key that has ended", add(-301, 20, 4), 401],
  ["add by a key that provisions", add(-302, 20, 4), 200],
  ["add by a key with a right that its maker lacks", add(-302, 20, 4, { rights: UM }), 403],
  ["add by a key with a right that it lacks", add(-302, 20, 4, { rights: RM }), 403],
  ["add by a key with a right that both have", add(-302, 20, 4, { rights: VM }), 200],
  ["add by a key beyond its end", add(-302, 20, 4, { until: LATER + 1 }), 403],
  ["add by a key where its maker manages no members", add(-302, 1, 4), 403],
  ["adopt a key", adoptKey(3, 10, 300), 200],
  ["adopt a key with a right that the actor lacks", adoptKey(2, 10, 300), 403],
  ["end a root's last member for good", add(1, 1, 1, { until: LATER }), 409],
  ["take roleManagement from a root's last member", add(1, 1, 1, { rights: ALL - RM }), 409],
  ["narrow a root's last member to roleManagement", add(1, 1, 1, { rights: RM }), 200],
  ["leave a root to a member whose membership ends", removeMember(1, 1, 201), 409],
  ["make a key", makeKey(1, 20), 200],
  ["make a key within the actor's membership", makeKey(2, 20, { rights: VM, expiresAt: LATER }), 200],
  ["make a key that outlives the actor's membership", makeKey(2, 20, { expiresAt: LATER + 1 }), 403],
  ["make a key with a right that the actor lacks", makeKey(2, 20, { rights: DM }), 403],
  ["make a key by a key", makeKey(-300, 20), 403],
  ["delete a key", deleteKey(2, 10, 300), 200],
  ["delete a key under another role", deleteKey(1, 20, 300), 403],
  ["delete a key that has ended", deleteKey(1, 20, 301), 403],
  ["add a right that the actor lacks to a relation", putById(2, 10, 102, RM | UM | DM), 403],
  ["add a right that the actor has to a relation", putById(2, 10, 102, RM | UM | VM), 200],
  ["take a right that the actor lacks from a relation", putById(2, 10, 102, RM), 200],
  ["create over a relation with a right that the actor lacks", create(2, 10, RM | DM), 403],
  ["create over a relation with rights that the actor has", create(2, 10, RM | VM), 200],
  ["add a right that the actor lacks to selfRights", update(2, 20, UM | DM), 403],
  ["keep a right that the actor lacks in selfRights", update(2, 20, UM | VM), 200],
];

for (const [name, operation, status] of TABLE) {
  Deno.test(`the model decides of memberships: ${name} is ${status}`, () => {
    const outcome = decideGiven(WORLD, operation);
    assert.equal(outcome.status, status);
    assertStep(WORLD, operation, outcome);
  });
}

Deno.test("omitted limits of a membership are those of its giver", () => {
  const given = ({ after }: { after: World }): unknown => after.members.get(GIVEN.relationId);
  const member = { id: 900, roleId: 20, userId: 4, rights: RM | VM, endsAt: LATER };
  assert.deepEqual(given(decideGiven(WORLD, add(2, 20, 4))), member);
  const key = { id: 900, roleId: 20, userId: -900, rights: ALL, endsAt: NOW + 90 * DAY_MS };
  assert.deepEqual(given(decideGiven(WORLD, makeKey(1, 20))), key);
});

Deno.test("of several memberships, the one that ends last gives the omitted limits", () => {
  const members = new Map(WORLD.members)
    .set(210, { id: 210, roleId: 10, userId: 2, rights: RM, endsAt: LATER + 5 });
  const givenBy = (bounds: Bounds): (number | null | undefined)[] => {
    const member = decideGiven({ ...WORLD, members }, add(2, 20, 4, bounds)).after.members.get(900);
    return [member?.rights, member?.endsAt];
  };
  assert.deepEqual(givenBy({}), [RM, LATER + 5]);
  assert.deepEqual(givenBy({ rights: VM }), [VM, LATER]);
  assert.deepEqual(givenBy({ until: LATER }), [RM, LATER]);
});

Deno.test("a membership carries its rights until its end, and then none", () => {
  const rightsAt = (now: number): number[] => [1, 10, 20].map((id) => userRights({ ...WORLD, now }, 2, id));
  assert.deepEqual(rightsAt(NOW), [RM | VM, RM | VM, RM]);
  assert.deepEqual(rightsAt(LATER), [0, 0, 0]);
  assert.deepEqual(visibleMembers(WORLD, 3).map(({ id }) => id), [203]);
  assert.deepEqual([...potentialRights(WORLD, 2)], [[1, RM | VM], [10, RM | VM], [20, RM | VM]]);
});

Deno.test("the invariants detect a membership with more rights or a later end than its giver's", () => {
  const operation = add(2, 20, 4);
  const outcome = decideGiven(WORLD, operation);
  const widened = (change: Partial<ModelMember>): typeof outcome => {
    const given = { id: 900, roleId: 20, userId: 4, rights: VM, endsAt: LATER, ...change };
    return { ...outcome, after: { ...WORLD, members: new Map(WORLD.members).set(900, given) } };
  };
  assert.doesNotThrow(() => assertStep(WORLD, operation, widened({})));
  assert.throws(() => assertStep(WORLD, operation, widened({ rights: UM })), /gains rights 2/);
  const lasting = widened({ rights: VM, endsAt: null });
  const { roles } = sketch({ roles: [[1, ALL], [10, RM | UM | VM], [20, VM]], relations: [] });
  assert.throws(
    () => assertStep({ ...WORLD, roles }, operation, { ...lasting, after: { ...lasting.after, roles } }),
    /gains rights 4/,
  );
});
