/**
 * The meaning of rights, computed in a slow and plain way. Nothing here knows how the service stores rights: the
 * property tests compare the two.
 */

/** The six rights. Bit i of a mask stands for the i-th name. */
export const RIGHT_NAMES = [
  "roleManagement",
  "userManagement",
  "viewManagement",
  "deviceManagement",
  "reportManagement",
  "alarmManagement",
] as const;

export const ROLE_MANAGEMENT = 1;
export const USER_MANAGEMENT = 2;
export const VIEW_MANAGEMENT = 4;
export const DEVICE_MANAGEMENT = 8;
export const ALL_RIGHTS = 63;

/** Lets others put the role below theirs, with at most these rights, as far as its setter can still give them. */
export interface ModelPassword {
  readonly text: string;
  readonly rights: number;
  readonly setBy: number;
}

export interface ModelRole {
  readonly id: number;
  readonly name: string;
  readonly selfRights: number;
  readonly isRoot: boolean;
  readonly password: ModelPassword | null;
}

export interface ModelRelation {
  readonly id: number;
  readonly parentId: number;
  readonly childId: number;
  readonly rights: number;
  /** Only the child's password made it possible. */
  readonly byPassword: boolean;
}

export interface ModelMember {
  readonly id: number;
  readonly roleId: number;
  readonly userId: number;
}

export interface ModelDevice {
  readonly id: number;
  readonly properties: { readonly nodeId: string; readonly name?: string; readonly label?: string | null };
  /** How often its properties have changed. */
  readonly changes?: number;
}

export interface ModelMonitors {
  readonly id: number;
  readonly roleId: number;
  readonly deviceId: number;
}

/** One state of the graph. Immutable: an operation makes the next world. */
export interface World {
  /** Addresses by user id. */
  readonly users: ReadonlyMap<number, string>;
  readonly roles: ReadonlyMap<number, ModelRole>;
  readonly relations: ReadonlyMap<number, ModelRelation>;
  readonly members: ReadonlyMap<number, ModelMember>;
  readonly devices: ReadonlyMap<number, ModelDevice>;
  readonly monitors: ReadonlyMap<number, ModelMonitors>;
}

/** Indirect rights by ancestor id and descendant id. An entry of 0 says that a path exists and carries nothing. */
export type Closure = ReadonlyMap<number, ReadonlyMap<number, number>>;

/** The definition itself: walks every path, ANDs along it and ORs the paths. Exponential, and endless on a cycle. */
export function closureByPaths(world: World): Closure {
  const closure = new Map<number, Map<number, number>>();
  for (const ancestorId of world.roles.keys()) {
    const reached = new Map<number, number>();
    const walk = (roleId: number, carried: number): void => {
      for (const relation of world.relations.values()) {
        if (relation.parentId !== roleId) continue;
        const rights = carried & relation.rights;
        reached.set(relation.childId, (reached.get(relation.childId) ?? 0) | rights);
        walk(relation.childId, rights);
      }
    };
    walk(ancestorId, ALL_RIGHTS);
    closure.set(ancestorId, reached);
  }
  return closure;
}

const closures = new WeakMap<World, Closure>();

/** The children of a role, each with the rights of the relation to it. */
export type ChildrenOf = (roleId: number) => Iterable<readonly [childId: number, rights: number]>;

/** Bits to ask `reachableFrom` for: none, which any relation carries, and each right. */
const ANY_RELATION = 0;
export const RIGHT_BITS: readonly number[] = RIGHT_NAMES.map((_, i) => 1 << i);

/** The same closure by reachability, bit by bit: fit for large graphs, and safe on a cycle. Computed once per world. */
export function closureOf(world: World): Closure {
  const known = closures.get(world);
  if (known !== undefined) return known;
  const children = new Map<number, [number, number][]>();
  for (const { parentId, childId, rights } of world.relations.values()) {
    children.set(parentId, [...(children.get(parentId) ?? []), [childId, rights]]);
  }
  const closure = new Map<number, Map<number, number>>();
  for (const ancestorId of world.roles.keys()) {
    const rights = new Map<number, number>();
    for (const bit of [ANY_RELATION, ...RIGHT_BITS]) {
      for (const descendantId of reachableFrom(ancestorId, (roleId) => children.get(roleId) ?? [], bit)) {
        rights.set(descendantId, (rights.get(descendantId) ?? 0) | bit);
      }
    }
    closure.set(ancestorId, rights);
  }
  closures.set(world, closure);
  return closure;
}

/** The roles below `start` over relations that all carry `bit`, by default over any; `start` is not among them. */
export function reachableFrom(start: number, childrenOf: ChildrenOf, bit = ANY_RELATION): Set<number> {
  const reached = new Set<number>();
  const waiting = [start];
  for (let roleId = waiting.pop(); roleId !== undefined; roleId = waiting.pop()) {
    for (const [childId, rights] of childrenOf(roleId)) {
      if ((rights & bit) !== bit || reached.has(childId)) continue;
      reached.add(childId);
      waiting.push(childId);
    }
  }
  return reached;
}

/** Whether one or more relations lead from `ancestorId` down to `roleId`, whatever they carry. */
export function isAbove(world: World, ancestorId: number, roleId: number): boolean {
  return closureOf(world).get(ancestorId)?.has(roleId) ?? false;
}

/** I(A,T): what the paths from `roleId` down to `targetId` let through. */
export function indirectRights(world: World, roleId: number, targetId: number): number {
  return closureOf(world).get(roleId)?.get(targetId) ?? 0;
}

/** Direct or indirect rights of a role on another or on itself. */
export function rightsOfRole(world: World, roleId: number, targetId: number): number {
  const direct = roleId === targetId ? world.roles.get(roleId)?.selfRights ?? 0 : 0;
  return direct | indirectRights(world, roleId, targetId);
}

/** The roles that a user is a direct member of. */
export function directRoles(world: World, userId: number): number[] {
  return [...world.members.values()].filter((member) => member.userId === userId).map((m) => m.roleId);
}

/** Whether a single direct role of the user meets the whole condition. */
export function someAuthorizingRole(
  world: World,
  userId: number,
  condition: (roleId: number) => boolean,
): boolean {
  return directRoles(world, userId).some(condition);
}

/** `userRights` in responses: the union over the user's direct roles. */
export function userRights(world: World, userId: number, targetId: number): number {
  let rights = 0;
  for (const roleId of directRoles(world, userId)) rights |= rightsOfRole(world, roleId, targetId);
  return rights;
}

/** Whether the user is a direct member of the target, and its own rights hold roleManagement. */
export function hasDirectRoleManagement(world: World, userId: number, targetId: number): boolean {
  const selfRights = world.roles.get(targetId)?.selfRights ?? 0;
  return (selfRights & ROLE_MANAGEMENT) !== 0 && directRoles(world, userId).includes(targetId);
}

/** Direct or indirect membership. */
export function isMember(world: World, userId: number, roleId: number): boolean {
  return someAuthorizingRole(world, userId, (own) => own === roleId || isAbove(world, own, roleId));
}

/** Whether some direct role of the user has roleManagement on the target over relations. */
export function hasIndirectRoleManagement(world: World, userId: number, targetId: number): boolean {
  return someAuthorizingRole(
    world,
    userId,
    (own) => (indirectRights(world, own, targetId) & ROLE_MANAGEMENT) !== 0,
  );
}

/**
 * The most rights that a user can reach by themselves, by role id. They act through their roles, join each role on
 * which that gives userManagement or indirect roleManagement, take all rights where it gives indirect roleManagement,
 * and so on until nothing is added.
 */
export function potentialRights(world: World, userId: number): ReadonlyMap<number, number> {
  const joined = new Set(directRoles(world, userId));
  const potential = new Map<number, number>();
  for (let before = -1; before !== joined.size;) {
    before = joined.size;
    for (const targetId of world.roles.keys()) {
      let rights = 0;
      for (const roleId of joined) {
        rights |= rightsOfRole(world, roleId, targetId);
        if ((indirectRights(world, roleId, targetId) & ROLE_MANAGEMENT) !== 0) rights = ALL_RIGHTS;
      }
      potential.set(targetId, rights);
      if ((rights & USER_MANAGEMENT) !== 0) joined.add(targetId);
    }
  }
  return potential;
}
