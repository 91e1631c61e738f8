import { mayKeepMembers, wireMember, wireRelation, wireRole } from "./oracle_answers.ts";
import { decideDevice, type DeviceOperation, withoutLooseDevices } from "./oracle_devices.ts";
import { conflict, forbidden, type GivenIds, type Outcome, success } from "./oracle_outcome.ts";
import {
  ALL_RIGHTS,
  hasDirectRoleManagement,
  hasIndirectRoleManagement,
  indirectRights,
  isAbove,
  type ModelMember,
  type ModelRelation,
  type ModelRole,
  rightsOfRole,
  ROLE_MANAGEMENT,
  someAuthorizingRole,
  userRights,
  type World,
} from "./oracle_rights.ts";

/** One request that changes the graph or its devices, with all ids resolved. Rights are masks as in `RIGHT_NAMES`. */
export type Operation = GraphOperation | DeviceOperation;

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
  }
  | { kind: "putRelationById"; userId: number; parentId: number; relationId: number; rights: number }
  | { kind: "deleteRelation"; userId: number; parentId: number; relationId: number; dryRun: boolean }
  | { kind: "updateRole"; userId: number; roleId: number; name: string; selfRights: number }
  | { kind: "setPassword"; userId: number; roleId: number; password: string | null; rights?: number }
  | { kind: "addMember"; userId: number; roleId: number; subjectId: number }
  | { kind: "removeMember"; userId: number; roleId: number; memberId: number }
  | { kind: "deleteAccount"; userId: number };

export const CYCLE =
  "The proposed manages relation cannot be added since it would create a cycle in the role graph";
export const WITHOUT_MANAGER = "The role would be left without a role that manages it";
export const WITHOUT_MEMBER = "The root role would be left without a member";

/** Decides an operation by the rules, in their order: authorization, cycle, noop, the rest. */
export function decide(world: World, operation: Operation, given: GivenIds): Outcome {
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
      return addMember(world, operation, given);
    case "removeMember":
      return removeMember(world, operation);
    case "deleteAccount":
      return deleteAccount(world, operation);
    default:
      return decideDevice(world, operation, given);
  }
}

type Of<K extends GraphOperation["kind"]> = Extract<GraphOperation, { kind: K }>;

function createRole(world: World, operation: Of<"createRole">, given: GivenIds): Outcome {
  const { userId, parentId, rights, name, selfRights } = operation;
  if ((userRights(world, userId, parentId) & ROLE_MANAGEMENT) === 0) return forbidden(world);
  const role: ModelRole = { id: given.nodeId, name, selfRights, isRoot: false, password: null };
  const relation: ModelRelation = {
    id: given.relationId,
    parentId,
    childId: role.id,
    rights,
    byPassword: false,
  };
  const after = withRelation({ ...world, roles: new Map(world.roles).set(role.id, role) }, relation);
  if (leavesRoleWithoutManager(after)) return conflict(world, WITHOUT_MANAGER);
  const body = { manages: wireRelation(relation), role: wireRole(after, userId, role) };
  return { ...success(after, body), createdNodeIds: [role.id], createdRelationIds: [relation.id] };
}

function putRelation(world: World, operation: Of<"putRelation">, given: GivenIds): Outcome {
  const { userId, parentId, childId, rights, password } = operation;
  const mayLinkWithout = mayLink(world, userId, parentId, childId);
  const allowed = password === undefined ? mayLinkWithout : opens(world, operation, password);
  if (!allowed) return forbidden(world);
  if (parentId === childId || isAbove(world, childId, parentId)) return conflict(world, CYCLE);
  const existing = [...world.relations.values()].find((relation) =>
    relation.parentId === parentId && relation.childId === childId
  );
  if (existing !== undefined) return replaceRights(world, existing, rights);
  const byPassword = password !== undefined && !mayLinkWithout;
  const created = { id: given.relationId, parentId, childId, rights, byPassword };
  return { ...replaceRights(world, created, rights), createdRelationIds: [created.id] };
}

function putRelationById(world: World, operation: Of<"putRelationById">): Outcome {
  const { userId, parentId, relationId, rights } = operation;
  const relation = world.relations.get(relationId);
  if (relation === undefined || relation.parentId !== parentId) return forbidden(world);
  const addsRights = (rights & ~relation.rights) !== 0;
  const allowed = addsRights
    ? mayLink(world, userId, parentId, relation.childId)
    : mayUnlink(world, userId, relation);
  return allowed ? replaceRights(world, relation, rights) : forbidden(world);
}

function deleteRelation(world: World, operation: Of<"deleteRelation">): Outcome {
  const { userId, parentId, relationId, dryRun } = operation;
  const relation = world.relations.get(relationId);
  if (relation === undefined || relation.parentId !== parentId) return forbidden(world);
  if (!mayUnlink(world, userId, relation)) return forbidden(world);
  const after = withoutRelation(world, relationId);
  if (leavesRoleWithoutManager(after)) return conflict(world, WITHOUT_MANAGER);
  const body = {
    deletedNodeIds: [...goneIds(world.roles, after.roles), ...goneIds(world.devices, after.devices)]
      .sort((a, b) => a - b),
    deletedRelationIds: [
      ...goneIds(world.relations, after.relations),
      ...goneIds(world.members, after.members),
      ...goneIds(world.monitors, after.monitors),
    ].sort((a, b) => a - b),
  };
  return success(dryRun ? world : after, body);
}

function updateRole(world: World, operation: Of<"updateRole">): Outcome {
  const { userId, roleId, name, selfRights } = operation;
  const old = world.roles.get(roleId);
  if (old === undefined || !hasIndirectRoleManagement(world, userId, roleId)) return forbidden(world);
  const role: ModelRole = { ...old, name, selfRights };
  const after = { ...world, roles: new Map(world.roles).set(roleId, role) };
  return success(after, { role: wireRole(after, userId, role) });
}

function setPassword(world: World, operation: Of<"setPassword">): Outcome {
  const { userId, roleId, password: text, rights } = operation;
  const role = world.roles.get(roleId);
  const highest = highestPasswordRights(world, userId, roleId);
  if (role === undefined || highest === undefined) return forbidden(world);
  if (text !== null && ((rights ?? 0) & ~highest) !== 0) return forbidden(world);
  const password = text === null ? null : { text, rights: rights ?? highest, setBy: userId };
  return success({ ...world, roles: new Map(world.roles).set(roleId, { ...role, password }) }, null);
}

/** The most rights that a password of the role may give if this user sets it; undefined if they may not set one. */
function highestPasswordRights(world: World, userId: number, roleId: number): number | undefined {
  if (hasIndirectRoleManagement(world, userId, roleId)) return ALL_RIGHTS;
  if (!hasDirectRoleManagement(world, userId, roleId)) return undefined;
  return (world.roles.get(roleId)?.selfRights ?? 0) & ~ROLE_MANAGEMENT;
}

/** The rights that the role's password gives now: undefined without one, or if whoever set it could set none now. */
export function passwordRights(world: World, roleId: number): number | undefined {
  const password = world.roles.get(roleId)?.password;
  if (!password) return undefined;
  const highest = highestPasswordRights(world, password.setBy, roleId);
  return highest === undefined ? undefined : password.rights & highest;
}

/** The rule with a password: roleManagement on the parent, the right password, and only rights that it gives now. */
function opens(world: World, operation: Of<"putRelation">, password: string): boolean {
  const { userId, parentId, childId, rights } = operation;
  const given = passwordRights(world, childId);
  return (userRights(world, userId, parentId) & ROLE_MANAGEMENT) !== 0 &&
    world.roles.get(childId)?.password?.text === password && given !== undefined && (rights & ~given) === 0;
}

function addMember(world: World, operation: Of<"addMember">, given: GivenIds): Outcome {
  const { userId, roleId, subjectId } = operation;
  if (!mayKeepMembers(world, userId, roleId)) return forbidden(world);
  const existing = membersOf(world, roleId).find((member) => member.userId === subjectId);
  if (existing !== undefined) return success(world, { member: wireMember(world, existing) });
  const member: ModelMember = { id: given.relationId, roleId, userId: subjectId };
  const after = { ...world, members: new Map(world.members).set(member.id, member) };
  return { ...success(after, { member: wireMember(after, member) }), createdRelationIds: [member.id] };
}

function removeMember(world: World, operation: Of<"removeMember">): Outcome {
  const { userId, roleId, memberId } = operation;
  const member = world.members.get(memberId);
  if (member === undefined || member.roleId !== roleId) return forbidden(world);
  if (member.userId !== userId && !mayKeepMembers(world, userId, roleId)) return forbidden(world);
  const isLast = membersOf(world, roleId).length === 1;
  if (isLast && world.roles.get(roleId)?.isRoot) return conflict(world, WITHOUT_MEMBER);
  const members = new Map(world.members);
  members.delete(memberId);
  return success({ ...world, members }, { deletedNodeIds: [], deletedRelationIds: [memberId] });
}

/** The account goes with its memberships. What its user set stays, and is void. */
function deleteAccount(world: World, { userId }: Of<"deleteAccount">): Outcome {
  const roots = [...world.roles.values()].filter(({ isRoot }) => isRoot);
  const isLast = roots.some(({ id }) => {
    const [first, ...others] = membersOf(world, id);
    return first?.userId === userId && others.length === 0;
  });
  if (isLast) return conflict(world, WITHOUT_MEMBER);
  const users = new Map(world.users);
  users.delete(userId);
  const members = new Map([...world.members].filter(([, member]) => member.userId !== userId));
  return success({ ...world, users, members }, null);
}

/** What those who may set the role's password learn of it; undefined for anybody else. */
export function knownPassword(
  world: World,
  userId: number,
  roleId: number,
): { set: boolean; rights: number | null; setBy: number | null; works: boolean } | undefined {
  if (highestPasswordRights(world, userId, roleId) === undefined) return undefined;
  const { rights = null, setBy = null } = world.roles.get(roleId)?.password ?? {};
  return { set: setBy !== null, rights, setBy, works: passwordRights(world, roleId) !== undefined };
}

/**
 * The full rule: one and the same role has roleManagement on the parent, directly or indirectly, and indirect
 * roleManagement on the child.
 */
function mayLink(world: World, userId: number, parentId: number, childId: number): boolean {
  return someAuthorizingRole(
    world,
    userId,
    (own) =>
      (rightsOfRole(world, own, parentId) & ROLE_MANAGEMENT) !== 0 &&
      (indirectRights(world, own, childId) & ROLE_MANAGEMENT) !== 0,
  );
}

/**
 * Either side may remove a relation: users with roleManagement on the parent, and users with indirect roleManagement
 * on the child. If the child's password made the relation, so may users with direct roleManagement on the child,
 * unless it is the only relation into the child.
 */
function mayUnlink(world: World, userId: number, relation: ModelRelation): boolean {
  const { id, parentId, childId, byPassword } = relation;
  const stays = world.roles.get(childId)?.isRoot === true ||
    [...world.relations.values()].some((other) => other.childId === childId && other.id !== id);
  return (userRights(world, userId, parentId) & ROLE_MANAGEMENT) !== 0 ||
    hasIndirectRoleManagement(world, userId, childId) ||
    (byPassword && stays && hasDirectRoleManagement(world, userId, childId));
}

function replaceRights(world: World, relation: ModelRelation, rights: number): Outcome {
  const changed = { ...relation, rights };
  const body = { manages: wireRelation(changed) };
  if (world.relations.get(relation.id)?.rights === rights) return success(world, body);
  const after = withRelation(world, changed);
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
  const monitors = new Map(world.monitors);
  relations.delete(relationId);
  const findLoose = (): ModelRole | undefined =>
    [...roles.values()].find((role) =>
      !role.isRoot && ![...relations.values()].some((relation) => relation.childId === role.id)
    );
  for (let loose = findLoose(); loose !== undefined; loose = findLoose()) {
    roles.delete(loose.id);
    for (const { id, parentId } of [...relations.values()]) if (parentId === loose.id) relations.delete(id);
    for (const { id, roleId } of [...members.values()]) if (roleId === loose.id) members.delete(id);
    for (const { id, roleId } of [...monitors.values()]) if (roleId === loose.id) monitors.delete(id);
  }
  return withoutLooseDevices({ ...world, roles, relations, members, monitors });
}

/** Whether some role that is not a root has no entering relation with roleManagement. */
export function leavesRoleWithoutManager(world: World): boolean {
  const managed = new Set<number>();
  for (const relation of world.relations.values()) {
    if ((relation.rights & ROLE_MANAGEMENT) !== 0) managed.add(relation.childId);
  }
  return [...world.roles.values()].some((role) => !role.isRoot && !managed.has(role.id));
}

function membersOf(world: World, roleId: number): ModelMember[] {
  return [...world.members.values()].filter((member) => member.roleId === roleId);
}

function goneIds(before: ReadonlyMap<number, unknown>, after: ReadonlyMap<number, unknown>): number[] {
  return [...before.keys()].filter((id) => !after.has(id)).sort((a, b) => a - b);
}
