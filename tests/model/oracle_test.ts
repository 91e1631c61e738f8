/** The model decides hand-made examples as the rules say, and its invariants notice what must not be. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { resolve } from "./graph_operations.ts";
import { CYCLE, type Operation, WITHOUT_MANAGER } from "./oracle.ts";
import { messageOf } from "./oracle_http.ts";
import { WITHOUT_MEMBER } from "./oracle_members.ts";
import {
  UNKNOWN_ID,
  visibleManagers,
  visibleMembers,
  visibleRelations,
  visibleRoles,
} from "./oracle_answers.ts";
import {
  assertMakerGainsNothing,
  assertMonotone,
  assertNoEscalation,
  assertSound,
  assertStep,
} from "./oracle_invariants.ts";
import {
  ALL_RIGHTS as ALL,
  closureByPaths,
  closureOf,
  DEVICE_MANAGEMENT as DM,
  indirectRights,
  isAbove,
  isMember,
  potentialRights,
  ROLE_MANAGEMENT as RM,
  USER_MANAGEMENT as UM,
  userRights,
  VIEW_MANAGEMENT as VM,
  type World,
} from "./oracle_rights.ts";
import {
  add,
  create,
  decideGiven,
  put,
  putById,
  remove,
  removeMember,
  setPassword,
  sketch,
  update,
} from "./sketch.ts";

/** Status, message and the ids of roles afterwards. */
function verdict(world: World, operation: Operation): [number, string | undefined, number[]] {
  const { status, body, after } = decideGiven(world, operation);
  return [status, messageOf(body), [...after.roles.keys()]];
}

/** Root 1 manages 10, 10 manages 20; root 1 manages 30. User 1 in 1, user 2 in 10, user 3 in 20. */
const CHAIN = sketch({
  roles: [[1, ALL], [10, RM], [20, UM], [30, 0]],
  relations: [[101, 1, 10, RM | UM | DM], [102, 10, 20, RM | DM | VM], [103, 1, 30, RM]],
  members: [[201, 1, 1], [202, 10, 2], [203, 20, 3]],
});

Deno.test("rights narrow along a path", () => {
  assert.equal(indirectRights(CHAIN, 1, 20), RM | DM);
  assert.equal(indirectRights(CHAIN, 10, 20), RM | DM | VM);
  assert.equal(indirectRights(CHAIN, 20, 10), 0);
  assert.equal(isAbove(CHAIN, 20, 10), false);
});

Deno.test("paths add up, and a path without rights still gives membership", () => {
  const world = sketch({
    roles: [[1, ALL], [10, 0], [20, 0], [30, 0], [40, 0]],
    relations: [
      [101, 1, 10, RM | UM],
      [102, 1, 20, RM | DM],
      [103, 10, 30, RM | UM | VM],
      [104, 20, 30, DM],
      [105, 30, 40, 0],
    ],
    members: [[201, 10, 2]],
  });
  assert.equal(indirectRights(world, 1, 30), RM | UM | DM);
  assert.equal(indirectRights(world, 1, 40), 0);
  assert.ok(isAbove(world, 1, 40));
  assert.ok(isMember(world, 2, 40));
  assert.ok(!isMember(world, 2, 20));
});

Deno.test("selfRights apply to a member's own role only, and relations apply below it", () => {
  assert.deepEqual([1, 10, 20, 30].map((id) => userRights(CHAIN, 1, id)), [ALL, RM | UM | DM, RM | DM, RM]);
  assert.deepEqual([1, 10, 20, 30].map((id) => userRights(CHAIN, 2, id)), [0, RM, RM | DM | VM, 0]);
  assert.deepEqual([1, 10, 20, 30].map((id) => userRights(CHAIN, 3, id)), [0, 0, UM, 0]);
});

const randomGraph = fc.array(fc.tuple(fc.nat({ max: 7 }), fc.nat({ max: 7 }), fc.nat({ max: ALL })), {
  maxLength: 20,
}).map((edges) =>
  sketch({
    roles: [0, 1, 2, 3, 4, 5, 6, 7].map((id) => [id, 0]),
    relations: edges.filter(([a, b]) => a !== b)
      .map(([a, b, rights], i) => [i + 1, Math.min(a, b), Math.max(a, b), rights]),
  })
);

Deno.test("reachability by bits equals walking all paths", () => {
  fc.assert(fc.property(randomGraph, (world) => {
    assert.deepEqual(closureOf(world), closureByPaths(world));
  }));
});

const TABLE: [string, Operation, number, string?][] = [
  ["create below the actor's own role by direct rm", create(2, 10, RM), 200],
  ["create below a role that the actor manages", create(2, 20, RM), 200],
  ["create without rm on the parent", create(3, 20, RM), 403],
  ["create below no role", create(1, UNKNOWN_ID, RM), 403],
  ["create over a relation without rm", create(1, 10, ALL - RM), 409, WITHOUT_MANAGER],
  ["create over such a relation without rm on the parent", create(3, 20, 0), 403],
  ["link two roles below the actor's own", put(1, 30, 20, 0), 200],
  ["link with direct rm on the parent", put(2, 10, 20, ALL), 200],
  ["link a child of which the actor is a direct member", put(2, 10, 10, ALL), 403],
  ["link a role to itself from above", put(1, 30, 30, ALL), 409, CYCLE],
  ["close a cycle", put(1, 20, 10, ALL), 409, CYCLE],
  ["close a cycle without rm on the parent", put(3, 20, 10, ALL), 403],
  ["link with nothing on the child", put(2, 10, 30, ALL), 403],
  ["change nothing", put(2, 10, 20, RM | DM | VM), 200],
  ["change nothing, with nothing on the parent", put(2, 1, 10, RM | UM | DM), 403],
  ["take the last rm", put(2, 10, 20, DM), 409, WITHOUT_MANAGER],
  ["by id under another parent", putById(1, 1, 102, RM), 403],
  ["by id, unknown", putById(1, 1, UNKNOWN_ID, RM), 403],
  ["by id, a member of the child takes away", putById(3, 10, 102, RM), 403],
  ["by id, the parent takes away", putById(2, 10, 102, RM), 200],
  ["by id, a role above the child adds", putById(2, 10, 102, ALL), 200],
  ["by id, last rm", putById(2, 10, 102, 0), 409, WITHOUT_MANAGER],
  ["delete by a member of the child", remove(3, 10, 102), 403],
  ["delete under another parent", remove(1, 1, 102), 403],
  ["update the actor's own role", update(2, 10), 403],
  ["update a role below", update(2, 20), 200],
  ["update a root", update(1, 1), 403],
  ["add a member by direct um", add(3, 20, 1), 200],
  ["add a member by indirect rm", add(2, 20, 1), 200],
  ["add a member by direct rm alone", add(2, 10, 1), 403],
  ["add a member twice", add(1, 10, 2), 200],
  ["add a member to no role", add(1, UNKNOWN_ID, 2), 403],
  ["leave a role", removeMember(2, 10, 202), 200],
  ["remove another one", removeMember(3, 10, 202), 403],
  ["remove a member under another role", removeMember(1, 20, 202), 403],
  ["remove the last member of a root", removeMember(1, 1, 201), 409, WITHOUT_MEMBER],
  ["remove a member of a foreign root", removeMember(2, 1, 201), 403],
];

for (const [name, operation, status, message] of TABLE) {
  Deno.test(`the model decides: ${name} is ${status}`, () => {
    const [actual, actualMessage] = verdict(CHAIN, operation);
    assert.equal(actual, status);
    if (message !== undefined) assert.equal(actualMessage, message);
  });
}

Deno.test("one role must meet both halves of the full rule", () => {
  const world = sketch({
    roles: [[1, RM], [2, RM], [10, 0], [20, 0]],
    relations: [[101, 1, 10, RM], [102, 2, 20, RM]],
    members: [[201, 1, 1], [202, 2, 1]],
  });
  assert.equal(verdict(world, put(1, 10, 20, RM))[0], 403);
});

Deno.test("adding a right by id needs the child as well, and taking one away needs the parent only", () => {
  const world = sketch({
    roles: [[1, ALL], [10, RM], [20, 0]],
    relations: [[101, 1, 10, RM], [102, 1, 20, RM], [103, 10, 20, VM | DM]],
    members: [[201, 1, 1], [202, 10, 2]],
  });
  assert.equal(verdict(world, putById(2, 10, 103, VM | DM | UM))[0], 403);
  assert.equal(verdict(world, putById(2, 10, 103, VM | UM))[0], 403);
  assert.equal(verdict(world, putById(2, 10, 103, VM))[0], 200);
  const relation = { id: 103, parentId: 10, childId: 20, rights: VM | UM, byPassword: false };
  const escalated = { ...world, relations: new Map(world.relations).set(103, relation) };
  assert.throws(() => assertNoEscalation(world, escalated, 2), /user 2 gains rights 2/);
});

Deno.test("a deletion takes all that depends on the child alone, and lists it", () => {
  const world = sketch({
    roles: [[1, ALL], [10, 0], [20, 0], [30, 0], [40, 0]],
    relations: [
      [101, 1, 10, RM],
      [102, 10, 20, RM],
      [103, 20, 30, RM],
      [104, 1, 40, RM],
      [105, 20, 40, VM],
    ],
    members: [[201, 1, 1], [202, 30, 2], [203, 40, 3]],
  });
  const outcome = decideGiven(world, remove(1, 1, 101));
  assert.deepEqual(outcome.body, {
    deletedNodeIds: [10, 20, 30],
    deletedRelationIds: [101, 102, 103, 105, 202],
  });
  assert.deepEqual([...outcome.after.roles.keys()], [1, 40]);
  const previewed = decideGiven(world, { ...remove(1, 1, 101), dryRun: true });
  assert.deepEqual(previewed.body, outcome.body);
  assert.equal(previewed.after, world);
});

Deno.test("a deletion never takes a root or the roles below it", () => {
  const world = sketch({
    roles: [[1, ALL], [2, ALL], [10, 0], [20, 0]],
    relations: [[101, 1, 10, RM], [102, 10, 2, VM], [103, 2, 20, RM]],
    members: [[201, 1, 1], [202, 2, 2]],
  });
  assert.deepEqual(verdict(world, remove(1, 1, 101)), [200, undefined, [1, 2, 20]]);
});

Deno.test("a deletion is refused if a remaining role would lose its last manager", () => {
  const world = sketch({
    roles: [[1, ALL], [10, 0], [20, 0], [30, 0]],
    relations: [[101, 1, 10, RM], [102, 10, 20, RM], [103, 1, 30, RM], [104, 30, 20, VM]],
    members: [[201, 1, 1]],
  });
  assert.deepEqual(verdict(world, remove(1, 1, 101)), [409, WITHOUT_MANAGER, [1, 10, 20, 30]]);
  assert.deepEqual(verdict(world, remove(1, 30, 104)), [200, undefined, [1, 10, 20, 30]]);
});

Deno.test("each list shows what the user may see", () => {
  const ids = (rows: Record<string, unknown>[]): unknown[] => rows.map((row) => row.id);
  assert.deepEqual(ids(visibleRoles(CHAIN, 2)), [10, 20]);
  assert.deepEqual(ids(visibleRelations(CHAIN, 1)), [101, 102, 103]);
  assert.deepEqual(ids(visibleRelations(CHAIN, 2)), [102]);
  assert.deepEqual(ids(visibleMembers(CHAIN, 1)), [201, 202, 203]);
  assert.deepEqual(ids(visibleMembers(CHAIN, 2)), [202, 203]);
  assert.deepEqual(ids(visibleManagers(CHAIN, 2)), [101, 102]);
  assert.deepEqual(ids(visibleManagers(CHAIN, 3)), []);
});

Deno.test("a user can reach rights by joining roles and by managing them from above", () => {
  const world = sketch({
    roles: [[1, ALL], [10, 0], [20, DM], [30, VM], [40, 0]],
    relations: [[101, 1, 10, RM], [102, 10, 20, UM], [103, 1, 20, RM], [104, 20, 30, RM], [105, 1, 40, RM]],
    members: [[201, 1, 1], [202, 10, 2]],
  });
  // 2 keeps the members of 20, so they may join it; 20 manages 30 from above, so they may take all rights on 30.
  assert.deepEqual(
    potentialRights(world, 2),
    new Map([[1, 0], [10, 0], [20, UM | DM], [30, ALL], [40, 0]]),
  );
  assert.equal(potentialRights(world, 3).get(10), 0);
});

Deno.test("the invariants detect a cycle, a role without a manager and a right lost by adding", () => {
  const cyclic = sketch({ roles: [[1, 0], [2, 0]], relations: [[101, 1, 2, RM], [102, 2, 1, RM]] });
  assert.throws(() => assertSound(cyclic), /above itself/);
  const orphaned = sketch({ roles: [[1, 0], [10, 0]], relations: [[101, 1, 10, VM]] });
  assert.throws(() => assertSound(orphaned), /without a role that manages it/);
  const less = { ...CHAIN, relations: new Map([...CHAIN.relations].slice(1)) };
  assert.doesNotThrow(() => assertMonotone(CHAIN, less));
  assert.doesNotThrow(() => assertMonotone(less, CHAIN));
  const rootless = { ...CHAIN, roles: new Map([...CHAIN.roles].slice(1)) };
  assert.throws(() => assertMonotone(less, rootless), /adding removed a right/);
});

Deno.test("references wrap around the existing items, and -1 is an unknown one", () => {
  const command = { kind: "updateRole", actor: 5, role: -1, selfRights: 0 } as const;
  assert.deepEqual(resolve(CHAIN, command), {
    kind: "updateRole",
    userId: 2,
    roleId: UNKNOWN_ID,
    name: "self 0",
    selfRights: 0,
  });
});

/** Root 1 manages 10, with user 2 as a member; 20 and 30 below it belong to user 3, as does root 2. */
const OPENED = sketch({
  roles: [[1, ALL], [2, RM | VM], [10, RM], [20, RM | DM], [30, 0]],
  relations: [[101, 1, 10, RM], [102, 2, 20, RM], [103, 20, 30, RM | DM], [104, 10, 20, RM | DM]],
  members: [[201, 1, 1], [202, 10, 2], [203, 20, 3], [204, 2, 3]],
  passwords: {
    20: { text: "open", rights: DM | VM, setBy: 1 },
    2: { text: "root", rights: VM, setBy: 3 },
    30: { text: "void", rights: VM, setBy: 9 },
    10: { text: "less", rights: DM | VM, setBy: 2 },
  },
  byPassword: [104],
});

const PASSWORD_TABLE: [string, Operation, number][] = [
  ["set by indirect rm, with any rights", setPassword(3, 30, "p", ALL), 200],
  ["set by direct rm, within selfRights", setPassword(2, 10, "p", 0), 200],
  ["set by direct rm, with rm", setPassword(2, 10, "p", RM), 403],
  ["set by direct rm, beyond selfRights", setPassword(2, 10, "p", VM), 403],
  ["set by direct rm on a root", setPassword(3, 2, "p", VM), 200],
  ["set by a stranger", setPassword(2, 2, "p"), 403],
  ["remove by direct rm", setPassword(3, 2, null), 200],
  ["link within the password", { ...put(1, 10, 20, DM), password: "open" }, 200],
  ["link beyond the password", { ...put(1, 10, 20, DM | RM), password: "open" }, 403],
  ["link with a wrong password, able without", { ...put(1, 10, 20, DM), password: "no" }, 403],
  ["link with an empty password", { ...put(1, 10, 20, DM), password: "" }, 403],
  ["link a foreign root by its password", { ...put(2, 10, 2, VM), password: "root" }, 200],
  ["link a role without a password", { ...put(2, 10, 1, VM), password: "root" }, 403],
  ["link with a password whose setter has no right", { ...put(1, 1, 30, VM), password: "void" }, 403],
  ["link with a password whose setter can give less now", { ...put(3, 2, 10, VM), password: "less" }, 403],
  ["link with what the setter can still give", { ...put(3, 2, 10, 0), password: "less" }, 200],
  ["delete an account", { kind: "deleteAccount", userId: 2 }, 200],
  ["delete the account of a root's last member", { kind: "deleteAccount", userId: 3 }, 409],
  ["link without rm on the parent", { ...put(2, 1, 2, VM), password: "root" }, 403],
  ["close a cycle by a password", { ...put(3, 20, 2, VM), password: "root" }, 409],
  ["delete a relation by password from the child's side", remove(3, 10, 104), 200],
];

for (const [name, operation, status] of PASSWORD_TABLE) {
  Deno.test(`the model decides of passwords: ${name} is ${status}`, () => {
    assert.equal(verdict(OPENED, operation)[0], status);
  });
}

Deno.test("the default rights of a password are all, or those that direct roleManagement may give", () => {
  const rightsAfter = (operation: Operation, id: number): number | undefined =>
    decideGiven(OPENED, operation).after.roles.get(id)?.password?.rights;
  assert.equal(rightsAfter(setPassword(3, 30, "p"), 30), ALL);
  assert.equal(rightsAfter(setPassword(3, 2, "p"), 2), VM);
});

Deno.test("a relation is flagged only if no member's rights allowed it without the password", () => {
  const flag = (operation: Operation): boolean | undefined =>
    [...decideGiven(OPENED, operation).after.relations.values()].find(({ childId, parentId }) =>
      operation.kind === "putRelation" && childId === operation.childId && parentId === operation.parentId
    )?.byPassword;
  assert.equal(flag({ ...put(2, 10, 2, VM), password: "root" }), true);
  assert.equal(flag({ ...put(1, 1, 20, VM), password: "open" }), false);
  assert.equal(flag({ ...put(1, 10, 20, DM), password: "open" }), true);
});

Deno.test("the invariants allow what a password gives, and nothing beyond", () => {
  const operation: Operation = { ...put(2, 10, 2, VM), password: "root" };
  const outcome = decideGiven(OPENED, operation);
  assert.doesNotThrow(() => assertStep(OPENED, operation, outcome));
  const widened = { id: 900, parentId: 10, childId: 2, rights: VM | DM, byPassword: true };
  const after = { ...outcome.after, relations: new Map(outcome.after.relations).set(900, widened) };
  assert.throws(() => assertStep(OPENED, operation, { ...outcome, after }), /gains rights 8/);
});

Deno.test("the invariants detect what a key gives its maker: rights, a membership, a device", () => {
  const made = { name: "Key", asks: false, provisions: false, createdAt: 0, createdBy: 2, via: 10 };
  const key = { id: 7, roleId: 10, ...made };
  // The company 10 has a department 11, and the maker's own role 12 below it. The maker was removed from the company.
  const worldOf = (more: [number, number, number, number][], roleIds: number[]): World => ({
    ...sketch({
      roles: [[1, ALL], [10, ALL], [11, ALL], [12, VM]],
      relations: [[100, 1, 10, ALL], [101, 10, 11, ALL], [102, 10, 12, ALL], ...more],
      members: [[7, 10, -7], [8, 12, 2]],
    }),
    keys: new Map([[key.id, key]]),
    devices: new Map([[50, { id: 50, properties: { nodeId: "meter" }, updatedAt: 0 }]]),
    monitors: new Map(
      roleIds.map((roleId) => [roleId, { id: roleId, roleId, deviceId: 50, from: null, until: null }]),
    ),
  });
  const before = worldOf([], [10]);
  const check = (after: World) => () => assertMakerGainsNothing(before, after, key.id);
  assert.doesNotThrow(check(before));
  assert.throws(check(worldOf([[103, 12, 11, ALL]], [10])), /gains rights/);
  assert.throws(check(worldOf([[103, 12, 11, 0]], [10])), /becomes a member/);
  assert.throws(check(worldOf([], [10, 12])), /sees device/);
});
