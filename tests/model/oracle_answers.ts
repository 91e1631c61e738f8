import {
  ALL_RIGHTS,
  byId,
  isLive,
  isMember,
  mayKeepMembers,
  type ModelMember,
  type ModelRelation,
  type ModelRole,
  RIGHT_NAMES,
  ROLE_MANAGEMENT,
  userRights,
  type World,
} from "./oracle_rights.ts";

/** The expected responses for one user, field by field as they go over the wire. */

export type WireRights = Record<typeof RIGHT_NAMES[number], boolean>;

/** A mask as the six booleans. */
export function wireRights(rights: number): WireRights {
  const booleans = RIGHT_NAMES.map((name, i) => [name, (rights & (1 << i)) !== 0] as const);
  return Object.fromEntries(booleans) as WireRights;
}

/** The names of the rights in a mask. */
export function rightNames(rights: number): string[] {
  return RIGHT_NAMES.filter((_name, i) => (rights & (1 << i)) !== 0);
}

export function wireRelation(relation: ModelRelation): Record<string, unknown> {
  const { id, parentId, childId, rights } = relation;
  return { id, parentRoleId: parentId, childRoleId: childId, ...wireRights(rights) };
}

export function wireRole(world: World, userId: number, role: ModelRole): Record<string, unknown> {
  return {
    id: role.id,
    name: role.name,
    selfRights: wireRights(role.selfRights),
    userRights: wireRights(userRights(world, userId, role.id)),
  };
}

/** `until` and `rights` are only there where the membership ends, or carries less than all. */
export function wireMember(world: World, member: ModelMember): Record<string, unknown> {
  const { id, roleId, userId, rights, endsAt } = member;
  return {
    id,
    roleId,
    userEmail: world.users.get(userId),
    ...(endsAt === null ? {} : { until: new Date(endsAt).toISOString() }),
    ...(rights === ALL_RIGHTS ? {} : { rights: wireRights(rights) }),
  };
}

/** The roles that the user is a member of, directly or indirectly, in the order of their ids. */
export function visibleRoles(world: World, userId: number): Record<string, unknown>[] {
  return byId(world.roles.values()).filter((role) => isMember(world, userId, role.id))
    .map((role) => wireRole(world, userId, role));
}

/** The relations that leave a role that the user is a member of. */
export function visibleRelations(world: World, userId: number): Record<string, unknown>[] {
  return byId(world.relations.values()).filter((relation) => isMember(world, userId, relation.parentId))
    .map(wireRelation);
}

/** The live memberships of people, in the order of their ids. */
export function listedMembers(world: World): ModelMember[] {
  return byId(world.members.values()).filter((member) => member.userId > 0 && isLive(world, member));
}

/** The members that the user may list, including their own memberships. */
export function visibleMembers(world: World, userId: number): Record<string, unknown>[] {
  return listedMembers(world)
    .filter((member) => member.userId === userId || mayKeepMembers(world, userId, member.roleId))
    .map((member) => ({ ...wireMember(world, member), userId: member.userId }));
}

/** The relations that enter a role on which the user has direct or indirect roleManagement. */
export function visibleManagers(world: World, userId: number): Record<string, unknown>[] {
  return byId(world.relations.values())
    .filter(({ childId }) => (userRights(world, userId, childId) & ROLE_MANAGEMENT) !== 0)
    .map(wireRelation);
}

/** Every pair of a role and a right, including a role that never exists, and the expected results of the checks. */
export function allChecks(
  world: World,
  userId: number,
): { checks: { roleId: number; right: string }[]; allowed: boolean[] } {
  const checks: { roleId: number; right: string }[] = [];
  const allowed: boolean[] = [];
  for (const roleId of [...world.roles.keys(), UNKNOWN_ID]) {
    const rights = userRights(world, userId, roleId);
    RIGHT_NAMES.forEach((right, i) => {
      checks.push({ roleId, right });
      allowed.push((rights & (1 << i)) !== 0);
    });
  }
  return { checks, allowed };
}

/** An id that no test ever reaches. */
export const UNKNOWN_ID = 999_999;
