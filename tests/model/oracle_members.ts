import { wireMember, wireRights } from "./oracle_answers.ts";
import { conflict, forbidden, type GivenIds, type Outcome, success } from "./oracle_outcome.ts";
import {
  ALL_RIGHTS,
  byId,
  countRights,
  giversOf,
  isAbove,
  isLive,
  isMember,
  keepsMembers,
  mayKeepMembers,
  membershipsOf,
  type ModelKey,
  type ModelMember,
  RIGHT_NAMES,
  ROLE_MANAGEMENT,
  seesStanding,
  someMembership,
  type World,
} from "./oracle_rights.ts";

/** One request that changes who belongs to a role, with all ids resolved. `userId` is a user's id, or minus a key's. */
export type MemberOperation =
  | ({ kind: "addMember"; userId: number; roleId: number; subjectId: number } & WantedBounds)
  | { kind: "removeMember"; userId: number; roleId: number; memberId: number }
  | { kind: "deleteAccount"; userId: number }
  | {
    kind: "createKey";
    userId: number;
    roleId: number;
    name: string;
    rights?: number;
    expiresAt?: number;
    asks?: boolean;
    provisions?: boolean;
  }
  | { kind: "adoptKey"; userId: number; roleId: number; keyId: number }
  | { kind: "deleteKey"; userId: number; roleId: number; keyId: number };

/** What a request says of a membership. An absent field is left open, null asks for no limit. */
interface WantedBounds {
  /** Unix time in milliseconds. */
  readonly until?: number | null;
  readonly rights?: number | null;
}

/** How much a membership carries, and for how long. */
interface Bounds {
  readonly rights: number;
  readonly endsAt: number | null;
}

type Of<K extends MemberOperation["kind"]> = Extract<MemberOperation, { kind: K }>;

export const WITHOUT_MEMBER = "The root role would be left without a member";
export const WITHOUT_LASTING_MEMBER =
  "The root role would be left without a lasting member with roleManagement";

export const DAY_MS = 24 * 60 * 60 * 1000;
/** How long a key lives unless the request says it. */
const DEFAULT_KEY_MS = 90 * DAY_MS;

/** Decides an operation on members or keys by the rules: authorization first. */
export function decideMember(world: World, operation: MemberOperation, given: GivenIds): Outcome {
  switch (operation.kind) {
    case "addMember":
      return addMember(world, operation, given);
    case "removeMember":
      return removeMember(world, operation);
    case "deleteAccount":
      return deleteAccount(world, operation);
    case "createKey":
      return createKey(world, operation, given);
    case "adoptKey":
      return adoptKey(world, operation);
    case "deleteKey":
      return deleteKey(world, operation);
  }
}

function addMember(world: World, operation: Of<"addMember">, given: GivenIds): Outcome {
  const { userId, roleId, subjectId, until, rights } = operation;
  if (userId < 0 && world.keys.get(-userId)?.provisions !== true) return forbidden(world);
  // A key adds only whom, and what, its maker could, too.
  const authorizing = giversOf(world, userId).map((id) =>
    membershipsOf(world, id).filter((own) => keepsMembers(world, own, roleId))
  );
  if (authorizing.some((of) => of.length === 0)) return forbidden(world);
  const existing = [...world.members.values()].find((member) =>
    member.roleId === roleId && member.userId === subjectId
  );
  if (existing !== undefined && isLive(world, existing)) {
    return updateMember(world, userId, existing, operation, authorizing);
  }
  const each = authorizing.map((of) =>
    boundsWithin(of, {
      ...(until === undefined ? {} : { endsAt: until }),
      ...(rights === undefined ? {} : { rights: rights ?? ALL_RIGHTS }),
    })
  );
  const bounds = each.reduce(commonBounds);
  if (bounds === undefined) return forbidden(world);
  const members = new Map(world.members);
  if (existing !== undefined) members.delete(existing.id);
  const member: ModelMember = { id: given.relationId, roleId, userId: subjectId, ...bounds };
  const after = { ...world, members: members.set(member.id, member) };
  return { ...success(after, { member: wireMember(after, member) }), createdRelationIds: [member.id] };
}

/**
 * Those who manage the members may narrow or shorten a membership. Only its holder narrows the last one that keeps a
 * root. What is widened or prolonged must as a whole lie within a single membership of the actor.
 */
function updateMember(
  world: World,
  actorId: number,
  old: ModelMember,
  { until, rights }: WantedBounds,
  authorizing: readonly (readonly ModelMember[])[],
): Outcome {
  const member: ModelMember = {
    ...old,
    rights: rights === undefined ? old.rights : rights ?? ALL_RIGHTS,
    endsAt: until === undefined ? old.endsAt : until,
  };
  const isMore = (member.rights & ~old.rights) !== 0 || !endsWithin(member.endsAt, old.endsAt);
  const mayGive = authorizing.every((of) => of.some((own) => liesWithin(member, own)));
  if (isMore && !mayGive) return forbidden(world);
  const after = { ...world, members: new Map(world.members).set(member.id, member) };
  if (leavesRootWithoutMember(world, after)) return conflict(world, WITHOUT_LASTING_MEMBER);
  const isNarrower = (old.rights & ~member.rights) !== 0;
  if (isNarrower && actorId !== old.userId && isLastKeeper(world, old)) return forbidden(world);
  const isSame = member.rights === old.rights && member.endsAt === old.endsAt;
  return success(isSame ? world : after, { member: wireMember(after, member) });
}

/**
 * The bounds of what is given: the wanted ones, and in place of those left open the ones of the authorizing membership.
 * Of several that the wanted ones lie within it is the one that ends last, then has the most rights, then is the
 * oldest.
 */
function boundsWithin(authorizing: readonly ModelMember[], wanted: Partial<Bounds>): Bounds | undefined {
  const [best] = authorizing
    .filter((own) => liesWithin({ rights: own.rights, endsAt: own.endsAt, ...wanted }, own))
    .sort((a, b) => endsOf(b) - endsOf(a) || countRights(b.rights) - countRights(a.rights) || a.id - b.id);
  if (best === undefined) return undefined;
  return { rights: best.rights, endsAt: best.endsAt, ...wanted };
}

/** What two principals both give. */
function commonBounds(a: Bounds | undefined, b: Bounds | undefined): Bounds | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { rights: a.rights & b.rights, endsAt: endsOf(a) < endsOf(b) ? a.endsAt : b.endsAt };
}

/** A time that is later than all others stands for no end, so that two can be subtracted. */
const NEVER = Number.MAX_SAFE_INTEGER;

function endsOf({ endsAt }: Bounds): number {
  return endsAt ?? NEVER;
}

function liesWithin(given: Bounds, own: Bounds): boolean {
  return (given.rights & ~own.rights) === 0 && endsWithin(given.endsAt, own.endsAt);
}

function endsWithin(endsAt: number | null, limit: number | null): boolean {
  return limit === null || (endsAt !== null && endsAt <= limit);
}

/** A key removes only whom, and what, its maker could remove, too. */
function mayRemove(world: World, userId: number, roleId: number): boolean {
  return giversOf(world, userId).every((giverId) => mayKeepMembers(world, giverId, roleId));
}

function removeMember(world: World, operation: Of<"removeMember">): Outcome {
  const { userId, roleId, memberId } = operation;
  const member = world.members.get(memberId);
  if (member === undefined || member.roleId !== roleId) return forbidden(world);
  if (member.userId < 0 || !isLive(world, member)) return forbidden(world);
  if (member.userId !== userId && !mayRemove(world, userId, roleId)) return forbidden(world);
  const members = new Map(world.members);
  members.delete(memberId);
  const after = { ...world, members };
  if (leavesRootWithoutMember(world, after)) return conflict(world, WITHOUT_MEMBER);
  const keys = member.userId === userId ? [] : stayingKeys(after, userId, member);
  const named = keys.map((key) => ({ id: key.id, roleId: key.roleId, name: key.name }));
  const body = { deletedNodeIds: [], deletedRelationIds: [memberId] };
  return success(after, named.length === 0 ? body : { ...body, keys: named });
}

/**
 * The live keys that a removed member made, of the role and roles below, where one membership lets the user manage the
 * members of both.
 */
function stayingKeys(world: World, userId: number, removed: ModelMember): ModelKey[] {
  const isNamed = (id: number): boolean =>
    (id === removed.roleId || isAbove(world, removed.roleId, id)) &&
    someMembership(
      world,
      userId,
      (own) => keepsMembers(world, own, removed.roleId) && keepsMembers(world, own, id),
    );
  const keys = [...world.roles.keys()].filter(isNamed).flatMap((id) => visibleKeys(world, userId, id));
  return byId(keys.filter(({ createdBy }) => createdBy === removed.userId));
}

/** The account goes with its memberships. What its user set stays, and is void. */
function deleteAccount(world: World, { userId }: Of<"deleteAccount">): Outcome {
  const users = new Map(world.users);
  users.delete(userId);
  const members = new Map([...world.members].filter(([, member]) => member.userId !== userId));
  const after = { ...world, users, members };
  return leavesRootWithoutMember(world, after) ? conflict(world, WITHOUT_MEMBER) : success(after, null);
}

function createKey(world: World, operation: Of<"createKey">, given: GivenIds): Outcome {
  const { userId, roleId, name, rights, expiresAt, asks = false, provisions = false } = operation;
  const authorizing = membershipsOf(world, userId).filter((own) => keepsMembers(world, own, roleId));
  if (userId < 0 || authorizing.length === 0) return forbidden(world);
  const bounds = boundsWithin(authorizing, {
    ...(rights === undefined ? {} : { rights }),
    ...(expiresAt === undefined ? {} : { endsAt: expiresAt }),
  });
  if (bounds === undefined) return forbidden(world);
  const mayMake = authorizing.filter((own) =>
    liesWithin({ rights: rights ?? 0, endsAt: expiresAt === undefined ? own.endsAt : expiresAt }, own)
  );
  const latest = world.now + DEFAULT_KEY_MS;
  const endsAt = expiresAt ?? Math.min(bounds.endsAt ?? latest, latest);
  const id = given.relationId;
  const via = oldestRole(mayMake);
  const key: ModelKey = { id, roleId, name, asks, provisions, createdAt: world.now, createdBy: userId, via };
  const member: ModelMember = { id, roleId, userId: -id, rights: bounds.rights, endsAt };
  const after = {
    ...world,
    members: new Map(world.members).set(id, member),
    keys: new Map(world.keys).set(id, key),
  };
  return { ...success(after, { key: wireKey(after, key, userId) }), createdRelationIds: [id] };
}

function oldestRole(memberships: readonly ModelMember[]): number {
  return Math.min(...memberships.map(({ roleId }) => roleId));
}

/** As if the key was made anew, with the same id. */
function adoptKey(world: World, { userId, roleId, keyId }: Of<"adoptKey">): Outcome {
  const key = world.keys.get(keyId);
  const member = world.members.get(keyId);
  if (key === undefined || member === undefined || key.roleId !== roleId) return forbidden(world);
  const mayMake = membershipsOf(world, userId)
    .filter((own) => keepsMembers(world, own, roleId) && liesWithin(member, own));
  if (userId < 0 || !isLive(world, member) || mayMake.length === 0) return forbidden(world);
  const adopted: ModelKey = { ...key, createdAt: world.now, createdBy: userId, via: oldestRole(mayMake) };
  const after = { ...world, keys: new Map(world.keys).set(keyId, adopted) };
  return success(after, { key: wireKey(after, adopted, userId) });
}

function deleteKey(world: World, { userId, roleId, keyId }: Of<"deleteKey">): Outcome {
  const key = world.keys.get(keyId);
  const member = world.members.get(keyId);
  if (key === undefined || member === undefined || key.roleId !== roleId) return forbidden(world);
  const isOwn = key.createdBy === userId && isMember(world, userId, roleId);
  if (!isLive(world, member) || !(isOwn || mayRemove(world, userId, roleId))) return forbidden(world);
  const members = new Map(world.members);
  const keys = new Map(world.keys);
  members.delete(keyId);
  keys.delete(keyId);
  return success({ ...world, members, keys }, { deletedNodeIds: [], deletedRelationIds: [] });
}

/**
 * The key without its prefix and without when it was last used. Its maker is shown to themselves, and to those who see the
 * role through which they made it.
 */
function wireKey(world: World, key: ModelKey, viewerId: number): Record<string, unknown> {
  const { id, roleId, name, asks, provisions, createdAt, createdBy, via } = key;
  const seesMaker = createdBy === viewerId || seesStanding(world, viewerId, via);
  const { rights = 0, endsAt = null } = world.members.get(id) ?? {};
  return {
    id,
    roleId,
    name,
    rights: wireRights(rights),
    asks,
    provisions,
    expiresAt: endsAt === null ? null : new Date(endsAt).toISOString(),
    createdAt: new Date(createdAt).toISOString(),
    createdBy: (seesMaker ? world.users.get(createdBy) : undefined) ?? null,
  };
}

/** The key in a list of its role's, which names the rights that work on no role. */
export function wireListedKey(world: World, key: ModelKey, viewerId: number): Record<string, unknown> {
  let working = world.roles.get(key.roleId)?.selfRights ?? 0;
  for (const { parentId, rights } of world.relations.values()) {
    if (parentId === key.roleId) working |= rights;
  }
  const idle = (world.members.get(key.id)?.rights ?? 0) & ~working;
  const ineffective = RIGHT_NAMES.filter((_, i) => idle & (1 << i));
  return { ...wireKey(world, key, viewerId), ...(ineffective.length > 0 && { ineffective }) };
}

/** The live keys of a role, for a user who manages its members; none for others. */
export function visibleKeys(world: World, userId: number, roleId: number): ModelKey[] {
  if (!mayKeepMembers(world, userId, roleId)) return [];
  const isLiveKey = ({ id }: ModelKey): boolean => {
    const member = world.members.get(id);
    return member !== undefined && isLive(world, member);
  };
  return byId(world.keys.values()).filter((key) => key.roleId === roleId && isLiveKey(key));
}

/** Whether a root would lose the last member that keeps it without this one. */
function isLastKeeper(world: World, { id }: ModelMember): boolean {
  const others = new Map(world.members);
  others.delete(id);
  return leavesRootWithoutMember(world, { ...world, members: others });
}

/** Whether a change takes the last person of a root who holds roleManagement by a membership without an end. */
function leavesRootWithoutMember(before: World, after: World): boolean {
  return rootsWithoutMember(after).some((id) => !rootsWithoutMember(before).includes(id));
}

/** The roots without a person who holds roleManagement by a membership without an end. */
export function rootsWithoutMember({ roles, members }: World): number[] {
  const kept = new Set(
    [...members.values()]
      .filter(({ userId, rights, endsAt }) =>
        userId > 0 && (rights & ROLE_MANAGEMENT) !== 0 && endsAt === null
      )
      .map(({ roleId }) => roleId),
  );
  return [...roles.values()].filter(({ id, isRoot }) => isRoot && !kept.has(id)).map(({ id }) => id);
}
