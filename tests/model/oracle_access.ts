import { wireRights } from "./oracle_answers.ts";
import {
  ascending,
  isAbove,
  isLive,
  isMember,
  mayKeepMembers,
  type ModelMember,
  principalsOf,
  userRights,
  type World,
} from "./oracle_rights.ts";

/** Who has access to what, as the lists of access show it. */

/** Whether a principal sees who has access to a role: they manage its members, or are a key that asks and reaches it. */
export function seesAsManager(world: World, userId: number, roleId: number): boolean {
  return mayKeepMembers(world, userId, roleId) ||
    (world.keys.get(-userId)?.asks === true && isMember(world, userId, roleId));
}

/** The live memberships through which a principal is a member of the role, directly or indirectly. */
function accessesTo(world: World, userId: number, roleId: number): ModelMember[] {
  return [...world.members.values()].filter((member) =>
    member.userId === userId && isLive(world, member) &&
    (member.roleId === roleId || isAbove(world, member.roleId, roleId))
  );
}

/** What both lists say of a principal and a role; undefined without access. */
function wireAccess(world: World, userId: number, roleId: number): Record<string, unknown> | undefined {
  const through = accessesTo(world, userId, roleId);
  if (!world.roles.has(roleId) || through.length === 0) return undefined;
  const ends = through.flatMap(({ endsAt }) => endsAt === null ? [] : [endsAt]);
  return {
    rights: wireRights(userRights(world, userId, roleId)),
    direct: through.some((member) => member.roleId === roleId),
    ...(ends.length < through.length ? {} : { until: new Date(Math.max(...ends)).toISOString() }),
  };
}

/** The most roles that one entry names. */
const MAX_THROUGH = 10;

/**
 * The users with access to a role in the world `then`, as shown to a user who asks now. The permission to ask, what is
 * visible, and the names are those of `now`; deleted keys keep theirs.
 */
export function accessToRole(
  now: World,
  askerId: number,
  roleId: number,
  { then = now, rights = 0, userIds }: { then?: World; rights?: number; userIds?: readonly number[] } = {},
): Record<string, unknown>[] {
  if (!seesAsManager(now, askerId, roleId)) return [];
  return principalsOf(then).flatMap((userId) => {
    const access = wireAccess(then, userId, roleId);
    if (access === undefined || (rights & ~userRights(then, userId, roleId)) !== 0) return [];
    if (userIds !== undefined && !userIds.includes(userId)) return [];
    const ids = ascending(accessesTo(then, userId, roleId).map((member) => member.roleId))
      .filter((id) => id !== roleId);
    const through = ids.filter((id) => isMember(now, askerId, id)).slice(0, MAX_THROUGH);
    const who = userId > 0
      ? { userId, userEmail: now.users.get(userId) ?? null }
      : { key: { id: -userId, name: then.keys.get(-userId)?.name ?? null } };
    return [{ ...who, ...access, through, hidden: ids.length - through.length }];
  });
}

/**
 * The users and keys with access to a role in any of the worlds, as shown to a user who asks now: each with what they had
 * in all of them together. `accessToRole` tells the rest.
 */
export function accessToRoleWithin(
  now: World,
  askerId: number,
  roleId: number,
  { thens, rights = 0, userIds }: { thens: readonly World[]; rights?: number; userIds?: readonly number[] },
): Record<string, unknown>[] {
  if (!seesAsManager(now, askerId, roleId)) return [];
  const principals = new Set(thens.flatMap(principalsOf));
  const inOrder = [...principals].sort((a, b) => a > 0 && b > 0 ? a - b : b - a);
  return inOrder.flatMap((userId) => {
    const having = thens.filter((then) =>
      then.roles.has(roleId) && accessesTo(then, userId, roleId).length > 0
    );
    const held = having.reduce((mask, then) => mask | userRights(then, userId, roleId), 0);
    if (having.length === 0 || (rights & ~held) !== 0) return [];
    if (userIds !== undefined && !userIds.includes(userId)) return [];
    const roleIds = new Set(
      having.flatMap((then) => accessesTo(then, userId, roleId).map((member) => member.roleId)),
    );
    const direct = roleIds.delete(roleId);
    const through = ascending(roleIds).filter((id) => isMember(now, askerId, id)).slice(0, MAX_THROUGH);
    const name = having.map(({ keys }) => keys.get(-userId)?.name).find((each) => each !== undefined) ?? null;
    const who = userId > 0
      ? { userId, userEmail: now.users.get(userId) ?? null }
      : { key: { id: -userId, name } };
    return [{ ...who, rights: wireRights(held), direct, through, hidden: roleIds.size - through.length }];
  });
}

/** What a principal has access to, of the roles that the asker manages, or sees if it is themselves. */
export function accessOfPrincipal(
  now: World,
  askerId: number,
  userId: number,
  { then = now, rights = 0, roleIds }: { then?: World; rights?: number; roleIds?: readonly number[] } = {},
): Record<string, unknown>[] {
  return ascending(then.roles.keys()).flatMap((roleId) => {
    const isSeen = askerId === userId ? isMember(now, askerId, roleId) : seesAsManager(now, askerId, roleId);
    if (!isSeen) return [];
    if (roleIds !== undefined && !roleIds.includes(roleId)) return [];
    const access = wireAccess(then, userId, roleId);
    if (access === undefined || (rights & ~userRights(then, userId, roleId)) !== 0) return [];
    return [{ roleId, name: now.roles.get(roleId)?.name ?? null, ...access }];
  });
}

/** The person in the response with such a list, unless it is empty or a key's. */
export function personOf(
  now: World,
  userId: number,
  access: readonly unknown[],
): { person?: { userId: number; userEmail: string | null } } {
  if (userId < 0 || access.length === 0) return {};
  return { person: { userId, userEmail: now.users.get(userId) ?? null } };
}
