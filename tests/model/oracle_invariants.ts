import assert from "node:assert/strict";
import { leavesRoleWithoutManager, type Operation, passwordRights, withoutRelation } from "./oracle.ts";
import { mayUpdate, relationsOf, rolesOf } from "./oracle_devices.ts";
import { rootsWithoutMember } from "./oracle_members.ts";
import type { Outcome } from "./oracle_outcome.ts";
import {
  type Closure,
  closureByPaths,
  closureOf,
  DEVICE_MANAGEMENT,
  giversOf,
  hasIndirectRoleManagement,
  indirectRights,
  isMember,
  potentialRights,
  principalsOf,
  someMembership,
  userRights,
  type World,
} from "./oracle_rights.ts";

/** What must hold for every world and every step, whatever the rules. */

/**
 * There is no cycle, so no role has indirect rights on itself; every role but a root is managed, and every root has a
 * person who can manage it for good; memberships and keys are those of roles that exist; every device is monitored, and
 * monitors relations connect existing roles and devices.
 */
export function assertSound(world: World): void {
  for (const [roleId, reached] of closureOf(world)) {
    assert.ok(!reached.has(roleId), `role ${roleId} is above itself`);
  }
  assert.ok(
    !leavesRoleWithoutManager(world),
    "a role that is not a root is left without a role that manages it",
  );
  assert.deepEqual(rootsWithoutMember(world), [], "roots are left without a member");
  for (const { id, roleId } of [...world.members.values(), ...world.keys.values()]) {
    assert.ok(world.roles.has(roleId), `membership ${id} is one of a role that does not exist`);
  }
  for (const deviceId of world.devices.keys()) {
    assert.ok(relationsOf(world, deviceId).length > 0, `nothing monitors device ${deviceId}`);
  }
  for (const { id, roleId, deviceId } of world.monitors.values()) {
    assert.ok(
      world.roles.has(roleId) && world.devices.has(deviceId),
      `monitors relation ${id} connects something that does not exist`,
    );
  }
  assert.deepEqual(closureOf(world), closureByPaths(world), "reachability and paths give different rights");
}

/** Checks one decided operation against the guarantees that no single rule states. */
export function assertStep(before: World, operation: Operation, outcome: Outcome): void {
  if (outcome.status !== 200) {
    assert.equal(outcome.after, before, "a refused operation changed the world");
    return;
  }
  const { after } = outcome;
  assertNoEscalation(before, after, operation.userId, givenAway(before, operation));
  if (operation.userId < 0) assertMakerGainsNothing(before, after, -operation.userId);
  if (["addMember", "createKey", "adoptKey"].includes(operation.kind)) {
    // What is given must be no more than each giver has: now, and what is given for a time, then.
    for (const giverId of giversOf(before, operation.userId)) {
      for (const now of [before.now, ...endsIn(after)]) {
        assertNoEscalation({ ...before, now }, { ...after, now }, giverId);
      }
    }
  }
  assertMonotone(before, after);
  if (operation.kind === "deleteRelation") assertReachesWhatGoes(before, operation);
}

/** The moments to come at which a membership ends. */
function endsIn({ members, now }: World): number[] {
  const ends = [...members.values()].flatMap(({ endsAt }) => endsAt !== null && endsAt > now ? [endsAt] : []);
  return [...new Set(ends)];
}

/** Checks that no user gains rights by time alone. */
export function assertTimePassed(before: World, now: number): void {
  const after = { ...before, now };
  for (const userId of principalsOf(before)) {
    for (const roleId of before.roles.keys()) {
      const gained = userRights(after, userId, roleId) & ~userRights(before, userId, roleId);
      assert.equal(gained, 0, `user ${userId} gains rights ${gained} on role ${roleId} by waiting`);
    }
  }
}

/**
 * By role id, the rights that the password in an operation gives: on its role, and through it on the roles below.
 * The user who set it could reach all of them at this moment.
 */
function givenAway(before: World, operation: Operation): ReadonlyMap<number, number> {
  if (operation.kind !== "putRelation" || operation.password === undefined) return new Map();
  const { childId, rights } = operation;
  assert.ok(
    passwordRights(before, childId).some((mask) => (rights & ~mask) === 0),
    `the password of role ${childId} does not give rights ${rights}`,
  );
  const below = [...before.roles.keys()].map((id) =>
    [id, rights & indirectRights(before, childId, id)] as const
  );
  const given = new Map(below).set(childId, rights);
  const ofSetter = potentialRights(before, before.roles.get(childId)?.password?.setBy ?? operation.userId);
  for (const [roleId, mask] of given) {
    assert.equal(
      mask & ~(ofSetter.get(roleId) ?? 0),
      0,
      `a password gives on role ${roleId} what its setter lacks`,
    );
  }
  return given;
}

/**
 * On an existing role, no user gains a right that neither they nor the actor could have reached, except by a
 * password. A new key starts without rights.
 */
export function assertNoEscalation(
  before: World,
  after: World,
  actorId: number,
  given: ReadonlyMap<number, number> = new Map(),
): void {
  const ofActor = potentialRights(before, actorId);
  for (const userId of principalsOf(after)) {
    const ofUser = potentialRights(before, userId);
    for (const roleId of before.roles.keys()) {
      if (!after.roles.has(roleId)) continue;
      const gained = userRights(after, userId, roleId) & ~userRights(before, userId, roleId);
      const reachable = (ofActor.get(roleId) ?? 0) | (ofUser.get(roleId) ?? 0) | (given.get(roleId) ?? 0);
      const excess = gained & ~reachable;
      assert.equal(excess, 0, `user ${userId} gains rights ${excess} on role ${roleId} by user ${actorId}`);
    }
  }
}

/**
 * A key gives its maker nothing that they could not take by themselves at that moment: on existing roles they gain at
 * most the rights that they can reach, they become a member of none, and they read and manage no further existing
 * device. A removed member can reach less than before, and no key that they made, before or after, changes that.
 */
export function assertMakerGainsNothing(before: World, after: World, keyId: number): void {
  const maker: number | undefined = before.keys.get(keyId)?.createdBy;
  assert.ok(maker !== undefined, `key ${keyId} acts and does not exist`);
  const reachable = potentialRights(before, maker);
  const by = `the maker of key ${keyId}, which acts`;
  for (const roleId of before.roles.keys()) {
    if (!after.roles.has(roleId)) continue;
    const gained: number = userRights(after, maker, roleId) & ~userRights(before, maker, roleId);
    const excess: number = gained & ~(reachable.get(roleId) ?? 0);
    assert.equal(excess, 0, `${by}, gains rights ${excess} on role ${roleId}`);
    const joins: boolean = isMember(after, maker, roleId) && !isMember(before, maker, roleId);
    assert.ok(!joins, `${by}, becomes a member of role ${roleId}`);
  }
  for (const deviceId of before.devices.keys()) {
    const sees = (world: World): boolean => rolesOf(world, deviceId).some((id) => isMember(world, maker, id));
    assert.ok(sees(before) || !sees(after), `${by}, sees device ${deviceId}`);
    const mayReach: boolean = rolesOf(before, deviceId).some((id) =>
      ((reachable.get(id) ?? 0) & DEVICE_MANAGEMENT) !== 0
    );
    const gains: boolean = mayUpdate(after, maker, deviceId) && !mayUpdate(before, maker, deviceId);
    assert.ok(mayReach || !gains, `${by}, manages device ${deviceId}`);
  }
}

/** Removing relations or bits never adds rights between two roles, and adding them never removes any. */
export function assertMonotone(before: World, after: World): void {
  if (relationsWithin(after, before)) {
    assert.ok(closureWithin(closureOf(after), closureOf(before)), "removing added a right");
  }
  if (relationsWithin(before, after)) {
    assert.ok(closureWithin(closureOf(before), closureOf(after)), "adding removed a right");
  }
}

/** A user who may delete a relation has indirect roleManagement on every role that is deleted with it. */
function assertReachesWhatGoes(
  before: World,
  { userId, relationId }: Extract<Operation, { kind: "deleteRelation" }>,
): void {
  const after = withoutRelation(before, relationId);
  for (const roleId of before.roles.keys()) {
    if (after.roles.has(roleId)) continue;
    assert.ok(
      someMembership(before, userId, (own) => hasIndirectRoleManagement(before, own, roleId)),
      `user ${userId} does not reach role ${roleId}`,
    );
  }
}

function relationsWithin(small: World, large: World): boolean {
  return [...small.relations.values()].every((relation) => {
    const other = large.relations.get(relation.id);
    return other !== undefined && (relation.rights & ~other.rights) === 0;
  });
}

function closureWithin(small: Closure, large: Closure): boolean {
  for (const [ancestorId, reached] of small) {
    for (const [descendantId, rights] of reached) {
      const other = large.get(ancestorId)?.get(descendantId);
      if (other === undefined || (rights & ~other) !== 0) return false;
    }
  }
  return true;
}
