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

/** The membership of a person, or that of a key, which has the key's id. */
export interface ModelMember {
  readonly id: number;
  readonly roleId: number;
  /** The principal: a user's id, or minus a key's. */
  readonly userId: number;
  /** The member acts with at most these. All six: with whatever the role has. */
  readonly rights: number;
  /** Unix time in milliseconds from which it is as absent; null: never. */
  readonly endsAt: number | null;
}

/** What a key has beyond its membership. */
export interface ModelKey {
  readonly id: number;
  readonly roleId: number;
  readonly name: string;
  /** Whether it sees like a manager of the roles that it reaches. */
  readonly asks: boolean;
  /** Whether it may add members, within what its maker could. */
  readonly provisions: boolean;
  readonly createdAt: number;
  readonly createdBy: number;
  /** The role through which it was made or adopted. */
  readonly via: number;
}

export interface ModelDevice {
  readonly id: number;
  readonly properties: { readonly nodeId: string; readonly name?: string; readonly label?: string | null };
  /** Unix time in milliseconds of the last change of its properties. */
  readonly updatedAt: number;
}

/** The role reads the device's telemetry from `from` up to `until`, in milliseconds; null: without a bound. */
export interface ModelMonitors {
  readonly id: number;
  readonly roleId: number;
  readonly deviceId: number;
  readonly from: number | null;
  readonly until: number | null;
}

/** One state of the graph. Immutable: an operation makes the next world. */
export interface World {
  /** Addresses by user id. */
  readonly users: ReadonlyMap<number, string>;
  readonly roles: ReadonlyMap<number, ModelRole>;
  readonly relations: ReadonlyMap<number, ModelRelation>;
  /** Those that have ended are there until something removes them. */
  readonly members: ReadonlyMap<number, ModelMember>;
  readonly keys: ReadonlyMap<number, ModelKey>;
  readonly devices: ReadonlyMap<number, ModelDevice>;
  readonly monitors: ReadonlyMap<number, ModelMonitors>;
  /** By the nodeIds of deleted devices that can be restored, the role that may give them to others. */
  readonly trash: ReadonlyMap<string, number>;
  /** By the ids of roles that were deleted, the parent of the relation whose deletion deleted them. */
  readonly fallen: ReadonlyMap<number, number>;
  /** Unix time in milliseconds. */
  readonly now: number;
}

export const EMPTY_WORLD: World = {
  users: new Map(),
  roles: new Map(),
  relations: new Map(),
  members: new Map(),
  keys: new Map(),
  devices: new Map(),
  monitors: new Map(),
  trash: new Map(),
  fallen: new Map(),
  now: 0,
};

/** The rows in the order of their ids. */
export function byId<T extends { readonly id: number }>(rows: Iterable<T>): T[] {
  return [...rows].sort((a, b) => a.id - b.id);
}

/** The ids in their order. */
export function ascending(ids: Iterable<number>): number[] {
  return [...ids].sort((a, b) => a - b);
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

/** How many rights a mask has. */
export function countRights(rights: number): number {
  return RIGHT_BITS.filter((bit) => (rights & bit) !== 0).length;
}

/** Whether a membership has not ended. */
export function isLive({ now }: World, { endsAt }: ModelMember): boolean {
  return endsAt === null || endsAt > now;
}

/** The live memberships of a user or a key. */
export function membershipsOf(world: World, userId: number): ModelMember[] {
  return byId(world.members.values()).filter((member) => member.userId === userId && isLive(world, member));
}

/** The users and the keys, in the order of their ids. */
export function principalsOf({ users, keys }: World): number[] {
  return [...ascending(users.keys()), ...ascending(keys.keys()).map((id) => -id)];
}

/** The principals who must be able to give rights on existing roles and devices: with a key, its maker, too. */
export function giversOf(world: World, userId: number): number[] {
  const key = world.keys.get(-userId);
  return key === undefined ? [userId] : [userId, key.createdBy];
}

/** Direct or indirect rights on a role by one membership. */
export function rightsBy(world: World, own: ModelMember, targetId: number): number {
  return own.rights & rightsOfRole(world, own.roleId, targetId);
}

/** Indirect rights on a role by one membership. */
export function indirectRightsBy(world: World, own: ModelMember, targetId: number): number {
  return own.rights & indirectRights(world, own.roleId, targetId);
}

/** Whether a single live membership of the user meets the whole condition. */
export function someMembership(
  world: World,
  userId: number,
  condition: (own: ModelMember) => boolean,
): boolean {
  return membershipsOf(world, userId).some(condition);
}

/** `userRights` in responses: the union over the user's memberships. */
export function userRights(world: World, userId: number, targetId: number): number {
  let rights = 0;
  for (const own of membershipsOf(world, userId)) rights |= rightsBy(world, own, targetId);
  return rights;
}

/** Direct roleManagement by one membership: it is one of the target, and the role's own rights hold it. */
export function hasDirectRoleManagement(world: World, own: ModelMember, targetId: number): boolean {
  const selfRights = world.roles.get(targetId)?.selfRights ?? 0;
  return own.roleId === targetId && (own.rights & selfRights & ROLE_MANAGEMENT) !== 0;
}

/** Indirect roleManagement by one membership. */
export function hasIndirectRoleManagement(world: World, own: ModelMember, targetId: number): boolean {
  return (indirectRightsBy(world, own, targetId) & ROLE_MANAGEMENT) !== 0;
}

/** Direct or indirect roleManagement by one membership. */
export function hasRoleManagement(world: World, own: ModelMember, targetId: number): boolean {
  return (rightsBy(world, own, targetId) & ROLE_MANAGEMENT) !== 0;
}

/** Whether one membership lets its owner manage the members of a role. */
export function keepsMembers(world: World, own: ModelMember, roleId: number): boolean {
  return (rightsBy(world, own, roleId) & USER_MANAGEMENT) !== 0 ||
    hasIndirectRoleManagement(world, own, roleId);
}

/** Whether the user may list, add and remove members of the role. */
export function mayKeepMembers(world: World, userId: number, roleId: number): boolean {
  return someMembership(world, userId, (own) => keepsMembers(world, own, roleId));
}

/** Direct or indirect membership, whatever it carries. */
export function isMember(world: World, userId: number, roleId: number): boolean {
  return someMembership(
    world,
    userId,
    (own) => own.roleId === roleId || isAbove(world, own.roleId, roleId),
  );
}

/**
 * Whether the user sees the role, or the one that stands for it once it is deleted: that from which it was deleted, or
 * which stands for that.
 */
export function seesStanding(world: World, userId: number, roleId: number): boolean {
  if (world.roles.has(roleId)) return isMember(world, userId, roleId);
  const parentId = world.fallen.get(roleId);
  return parentId !== undefined && seesStanding(world, userId, parentId);
}

/**
 * The most rights that a user can reach by themselves, by role id. They act through their memberships. With each, they
 * join a role on which it gives userManagement or indirect roleManagement, and take all its rights where it gives
 * indirect roleManagement, always within the rights of that membership, and so on until nothing is added.
 */
export function potentialRights(world: World, userId: number): ReadonlyMap<number, number> {
  const potential = new Map([...world.roles.keys()].map((id) => [id, 0]));
  const known = new Set<string>();
  const waiting = membershipsOf(world, userId).map(({ roleId, rights }) => ({ roleId, rights }));
  for (let own = waiting.pop(); own !== undefined; own = waiting.pop()) {
    const key = `${own.roleId} ${own.rights}`;
    if (known.has(key)) continue;
    known.add(key);
    for (const targetId of world.roles.keys()) {
      const managed = (own.rights & indirectRights(world, own.roleId, targetId) & ROLE_MANAGEMENT) !== 0;
      const rights = own.rights & (managed ? ALL_RIGHTS : rightsOfRole(world, own.roleId, targetId));
      potential.set(targetId, (potential.get(targetId) ?? 0) | rights);
      if (managed || (rights & USER_MANAGEMENT) !== 0) waiting.push({ roleId: targetId, rights: own.rights });
    }
  }
  return potential;
}
