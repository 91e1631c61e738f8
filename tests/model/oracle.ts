import { listedMembers, wireRelation, wireRole } from "./oracle_answers.ts";
import { decideDevice, type DeviceOperation, withoutLooseDevices } from "./oracle_devices.ts";
import { decideMember, type MemberOperation } from "./oracle_members.ts";
import { conflict, forbidden, type GivenIds, type Outcome, success, unauthorized } from "./oracle_outcome.ts";
import {
  ascending,
  byId,
  countRights,
  giversOf,
  hasDirectRoleManagement,
  hasIndirectRoleManagement,
  hasRoleManagement,
  isAbove,
  membershipsOf,
  type ModelMember,
  type ModelRelation,
  type ModelRole,
  ROLE_MANAGEMENT,
  someMembership,
  type World,
} from "./oracle_rights.ts";

/**
 * One request that changes the graph, its members or its devices, with all ids resolved. Rights are masks as in
 * `RIGHT_NAMES`. `userId` is a user's id, or minus a key's.
 */
export type Operation = GraphOperation | MemberOperation | DeviceOperation;

type GraphOperation =
  | { kind: "createRole"; userId: number; parentId: number; rights: number; name: string; selfRights: number }
  | {
    kind: "putRelation";
    userId: number;
    parentId: number;
    childId: number;
    rights: number;
    /** The password of the child, if it is sent. */
    password?: string;
    /** The relation into the child that the new one replaces. */
    replaces?: number;
  }
  | { kind: "putRelationById"; userId: number; parentId: number; relationId: number; rights: number }
  | {
    kind: "deleteRelation";
    userId: number;
    parentId: number;
    relationId: number;
    dryRun: boolean;
    keeps?: boolean;
  }
  | { kind: "updateRole"; userId: number; roleId: number; name: string; selfRights: number }
  | { kind: "setPassword"; userId: number; roleId: number; password: string | null; rights?: number };

export const CYCLE =
  "The proposed manages relation cannot be added since it would create a cycle in the role graph";
export const WOULD_DELETE = "WOULD_DELETE";
export const WITHOUT_MANAGER = "The role would be left without a role that manages it";

/** Decides an operation by the rules, in their order: authorization, cycle, noop, the rest. */
export function decide(world: World, operation: Operation, given: GivenIds): Outcome {
  const { userId } = operation;
  if (userId < 0 && membershipsOf(world, userId).length === 0) return unauthorized(world);
  switch (operation.kind) {
    case "createRole":
      return createRole(world, operation, given);
    case "putRelation":
      return putRelation(world, operation, given);
    case "putRelationById":
      return putRelationById(world, operation);
    case "deleteRelation":
      return deleteRelation(world, operation);
    case "updateRole":
      return updateRole(world, operation);
    case "setPassword":
      return setPassword(world, operation);
    case "addMember":
    case "removeMember":
    case "deleteAccount":
    case "createKey":
    case "adoptKey":
    case "deleteKey":
      return decideMember(world, operation, given);
    default:
      return decideDevice(world, operation, given);
  }
}

type Of<K extends GraphOperation["kind"]> = Extract<GraphOperation, { kind: K }>;

function createRole(world: World, operation: Of<"createRole">, given: GivenIds): Outcome {
  const { userId, parentId, rights, name, selfRights } = operation;
  const mayCreate = (own: ModelMember): boolean =>
    hasRoleManagement(world, own, parentId) && carries(own, rights);
  if (!someMembership(world, userId, mayCreate)) return forbidden(world);
  const role: ModelRole = { id: given.nodeId, name, selfRights, isRoot: false, password: null };
  const relation = { id: given.relationId, parentId, childId: role.id, rights, byPassword: false };
  const after = withRelation({ ...world, roles: new Map(world.roles).set(role.id, role) }, relation);
  if (leavesRoleWithoutManager(after)) return conflict(world, WITHOUT_MANAGER);
  const body = { manages: wireRelation(relation), role: wireRole(after, userId, role) };
  return { ...success(after, body), createdNodeIds: [role.id], createdRelationIds: [relation.id] };
}

function putRelation(world: World, operation: Of<"putRelation">, given: GivenIds): Outcome {
  const { userId, parentId, childId, rights, password, replaces } = operation;
  const existing = [...world.relations.values()].find((relation) =>
    relation.parentId === parentId && relation.childId === childId
  );
  const added = rights & ~(existing?.rights ?? 0);
  const gives = existing === undefined || added !== 0;
  const givers = gives ? giversOf(world, userId) : [userId];
  const mayLinkWithout = mayLink(world, givers, { parentId, childId, added });
  const allowed = password === undefined ? mayLinkWithout : opens(world, operation, added);
  if (!allowed) return forbidden(world);
  if (replaces !== undefined) {
    const replaced = world.relations.get(replaces);
    if (replaced === undefined || replaced.childId !== childId || replaced.parentId === parentId) {
      const isDone = existing !== undefined && existing.rights === rights && existing.id !== replaces;
      return isDone ? success(world, { manages: wireRelation(existing) }) : forbidden(world);
    }
    if (!mayUnlink(world, userId, replaced)) return forbidden(world);
  }
  if (parentId === childId || isAbove(world, childId, parentId)) return conflict(world, CYCLE);
  if (existing !== undefined) return replaceRights(world, existing, rights, replaces);
  const byPassword = password !== undefined && !mayLinkWithout;
  const created = { id: given.relationId, parentId, childId, rights, byPassword };
  const outcome = replaceRights(world, created, rights, replaces);
  return outcome.status === 200 ? { ...outcome, createdRelationIds: [created.id] } : outcome;
}

function putRelationById(world: World, operation: Of<"putRelationById">): Outcome {
  const { userId, parentId, relationId, rights } = operation;
  const relation = world.relations.get(relationId);
  if (relation === undefined || relation.parentId !== parentId) return forbidden(world);
  const added = rights & ~relation.rights;
  const allowed = added !== 0
    ? mayLink(world, giversOf(world, userId), { parentId, childId: relation.childId, added })
    : mayUnlink(world, userId, relation);
  return allowed ? replaceRights(world, relation, rights) : forbidden(world);
}

function deleteRelation(world: World, operation: Of<"deleteRelation">): Outcome {
  const { userId, parentId, relationId, dryRun, keeps } = operation;
  const relation = world.relations.get(relationId);
  if (relation === undefined || relation.parentId !== parentId) return forbidden(world);
  if (!mayUnlink(world, userId, relation)) return forbidden(world);
  const after = withoutRelation(world, relationId);
  const nameOf = (id: number): object => ({ name: world.roles.get(id)?.name });
  if (leavesRoleWithoutManager(after)) {
    return conflict(world, WITHOUT_MANAGER, { roles: wireNamed(unmanagedRoles(after), nameOf) });
  }
  const [roleIds, deviceIds] = [goneIds(world.roles, after.roles), goneIds(world.devices, after.devices)];
  if (keeps === true && roleIds.length + deviceIds.length > 0) {
    return conflict(world, WOULD_DELETE, {
      roles: wireNamed(roleIds, nameOf),
      devices: wireNamed(deviceIds, (id) => ({ nodeId: world.devices.get(id)?.properties.nodeId })),
    });
  }
  const body = {
    deletedNodeIds: ascending([...roleIds, ...deviceIds]),
    deletedRelationIds: ascending([
      ...goneIds(world.relations, after.relations),
      // Keys are no relations, and what has ended is as absent.
      ...goneIds(new Map(listedMembers(world).map((member) => [member.id, member])), after.members),
      ...goneIds(world.monitors, after.monitors),
    ]),
  };
  return success(dryRun ? world : after, body);
}

function updateRole(world: World, operation: Of<"updateRole">): Outcome {
  const { userId, roleId, name, selfRights } = operation;
  const old = world.roles.get(roleId);
  const added = selfRights & ~(old?.selfRights ?? 0);
  const changesRights = selfRights !== old?.selfRights;
  const mayUpdate = (own: ModelMember): boolean =>
    hasIndirectRoleManagement(world, own, roleId) && carries(own, added);
  const givers = changesRights ? giversOf(world, userId) : [userId];
  const allowed = givers.every((giverId) => someMembership(world, giverId, mayUpdate));
  if (old === undefined || !allowed) return forbidden(world);
  const role: ModelRole = { ...old, name, selfRights };
  const after = { ...world, roles: new Map(world.roles).set(roleId, role) };
  return success(after, { role: wireRole(after, userId, role) });
}

function setPassword(world: World, operation: Of<"setPassword">): Outcome {
  const { userId, roleId, password: text, rights } = operation;
  const role = world.roles.get(roleId);
  const masks = passwordMasks(world, userId, roleId);
  const [highest] = masks
    .filter((mask) => text === null || ((rights ?? 0) & ~mask) === 0)
    .sort((a, b) => countRights(b) - countRights(a));
  if (userId < 0 || role === undefined || highest === undefined) return forbidden(world);
  const password = text === null ? null : { text, rights: rights ?? highest, setBy: userId };
  return success({ ...world, roles: new Map(world.roles).set(roleId, { ...role, password }) }, null);
}

/**
 * The most rights that a password of the role may give if this user sets it, one mask for each membership that lets
 * them; none if they may not set one.
 */
function passwordMasks(world: World, userId: number, roleId: number): number[] {
  return membershipsOf(world, userId).flatMap((own) => {
    if (hasIndirectRoleManagement(world, own, roleId)) return [own.rights];
    if (!hasDirectRoleManagement(world, own, roleId)) return [];
    return [own.rights & (world.roles.get(roleId)?.selfRights ?? 0) & ~ROLE_MANAGEMENT];
  });
}

/** The masks that what the role's password gives now must lie within; none without one, or if it is void. */
export function passwordRights(world: World, roleId: number): number[] {
  const password = world.roles.get(roleId)?.password;
  if (!password) return [];
  return passwordMasks(world, password.setBy, roleId).map((mask) => password.rights & mask);
}

/**
 * The rule with a password, which no key uses: roleManagement on the parent, the right password, and only rights that
 * it gives now.
 */
function opens(world: World, operation: Of<"putRelation">, added: number): boolean {
  const { userId, parentId, childId, rights, password } = operation;
  const mayLinkHere = (own: ModelMember): boolean =>
    hasRoleManagement(world, own, parentId) && carries(own, added);
  return userId > 0 && someMembership(world, userId, mayLinkHere) &&
    world.roles.get(childId)?.password?.text === password &&
    passwordRights(world, childId).some((mask) => (rights & ~mask) === 0);
}

/** What users who may set the role's password learn of it; undefined for others. */
export function knownPassword(
  world: World,
  userId: number,
  roleId: number,
): { set: boolean; rights: number | null; setBy: number | null; works: boolean } | undefined {
  if (userId < 0 || passwordMasks(world, userId, roleId).length === 0) return undefined;
  const { rights = null, setBy = null } = world.roles.get(roleId)?.password ?? {};
  return { set: setBy !== null, rights, setBy, works: passwordRights(world, roleId).length > 0 };
}

/**
 * The full rule, for each of those who give: one and the same membership has roleManagement on the parent, directly or
 * indirectly, and indirect roleManagement on the child, and carries the rights that are added.
 */
function mayLink(
  world: World,
  giverIds: readonly number[],
  { parentId, childId, added }: { parentId: number; childId: number; added: number },
): boolean {
  const links = (own: ModelMember): boolean =>
    hasRoleManagement(world, own, parentId) && hasIndirectRoleManagement(world, own, childId) &&
    carries(own, added);
  return giverIds.every((giverId) => someMembership(world, giverId, links));
}

/** What a membership adds to a role or a relation is among its own rights. */
function carries(own: ModelMember, added: number): boolean {
  return (added & ~own.rights) === 0;
}

/**
 * Either side may remove a relation: users with roleManagement on the parent, and users with indirect roleManagement
 * on the child. If the child's password made the relation, so may users with direct roleManagement on the child, and
 * keys whose makers have it, too, unless it is the only relation into the child.
 */
function mayUnlink(world: World, userId: number, relation: ModelRelation): boolean {
  const { id, parentId, childId, byPassword } = relation;
  const stays = world.roles.get(childId)?.isRoot === true ||
    [...world.relations.values()].some((other) => other.childId === childId && other.id !== id);
  const isOfEitherSide = (own: ModelMember): boolean =>
    hasRoleManagement(world, own, parentId) || hasIndirectRoleManagement(world, own, childId);
  const isOfChild = (own: ModelMember): boolean => hasDirectRoleManagement(world, own, childId);
  return someMembership(world, userId, isOfEitherSide) ||
    (byPassword && stays && giversOf(world, userId).every((id) => someMembership(world, id, isOfChild)));
}

/** Puts a relation with these rights, and takes away the one that it replaces. */
function replaceRights(world: World, relation: ModelRelation, rights: number, replaces?: number): Outcome {
  const changed = { ...relation, rights };
  const body = { manages: wireRelation(changed) };
  if (replaces === undefined && world.relations.get(relation.id)?.rights === rights) {
    return success(world, body);
  }
  const put = withRelation(world, changed);
  const after = replaces === undefined ? put : withoutRelation(put, replaces);
  return leavesRoleWithoutManager(after) ? conflict(world, WITHOUT_MANAGER) : success(after, body);
}

function withRelation(world: World, relation: ModelRelation): World {
  return { ...world, relations: new Map(world.relations).set(relation.id, relation) };
}

/**
 * Removes a relation, then repeatedly a role that is not a root and has no manager, and finally the devices that
 * nothing monitors any more.
 */
export function withoutRelation(world: World, relationId: number): World {
  const roles = new Map(world.roles);
  const relations = new Map(world.relations);
  const members = new Map(world.members);
  const keys = new Map(world.keys);
  const monitors = new Map(world.monitors);
  const fallen = new Map(world.fallen);
  const parentId = relations.get(relationId)?.parentId ?? 0;
  relations.delete(relationId);
  const findLoose = (): ModelRole | undefined =>
    [...roles.values()].find((role) =>
      !role.isRoot && ![...relations.values()].some((relation) => relation.childId === role.id)
    );
  for (let loose = findLoose(); loose !== undefined; loose = findLoose()) {
    roles.delete(loose.id);
    fallen.set(loose.id, parentId);
    for (const { id, parentId } of [...relations.values()]) if (parentId === loose.id) relations.delete(id);
    for (const { id, roleId } of [...members.values()]) if (roleId === loose.id) members.delete(id);
    for (const { id, roleId } of [...keys.values()]) if (roleId === loose.id) keys.delete(id);
    for (const { id, roleId } of [...monitors.values()]) if (roleId === loose.id) monitors.delete(id);
  }
  return withoutLooseDevices({ ...world, roles, relations, members, keys, monitors, fallen }, parentId);
}

/** Whether some role that is not a root has no entering relation with roleManagement. */
export function leavesRoleWithoutManager(world: World): boolean {
  return unmanagedRoles(world).length > 0;
}

/** The roles other than roots that no relation with roleManagement enters. */
function unmanagedRoles(world: World): number[] {
  const managed = new Set<number>();
  for (const relation of world.relations.values()) {
    if ((relation.rights & ROLE_MANAGEMENT) !== 0) managed.add(relation.childId);
  }
  return byId(world.roles.values()).filter((role) => !role.isRoot && !managed.has(role.id)).map(({ id }) =>
    id
  );
}

/** What a refusal says of roles or devices: how many, and the first ten with what people know them by. */
function wireNamed(ids: readonly number[], wordsFor: (id: number) => object): Record<string, unknown> {
  return { count: ids.length, first: ids.slice(0, 10).map((id) => ({ id, ...wordsFor(id) })) };
}

function goneIds(before: ReadonlyMap<number, unknown>, after: ReadonlyMap<number, unknown>): number[] {
  return ascending(before.keys()).filter((id) => !after.has(id));
}
