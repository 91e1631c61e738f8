import type { Operation } from "./oracle.ts";
import { begin, end, isClosed, isOpen, relationsOf } from "./oracle_devices.ts";
import {
  byId,
  DEVICE_MANAGEMENT,
  hasIndirectRoleManagement,
  hasRoleManagement,
  isAbove,
  isLive,
  keepsMembers,
  type ModelDevice,
  type ModelMember,
  type ModelMonitors,
  type ModelRelation,
  rightsBy,
  someMembership,
  type World,
} from "./oracle_rights.ts";

/** What restoring a deletion gives back, by the rules: of the moment of the deletion, and of now. */

/** A change that was made, and the worlds before and after it. */
export interface Made {
  readonly operation: Operation;
  readonly before: World;
  readonly after: World;
  /** Of a deletion: all worlds since. */
  readonly since?: readonly World[];
}

/** The world in which the change is undone. */
export function nowOf({ after, since }: Made): World {
  return since?.at(-1) ?? after;
}

/** A monitors relation that does not return whole, as the response tells of it. */
interface Shortened {
  readonly id: number;
  readonly roleId: number;
  readonly deviceId: number;
  readonly until?: string;
  readonly reason: "interrupted" | "ended" | "unmanaged" | "deleted";
}

export interface UndoOutcome {
  readonly status: number;
  readonly after: World;
  /** Of a transfer that was transferred back: the same as a transfer, which can be undone itself. */
  readonly transfer?: Operation;
  /** Of a restored deletion: the world in which the restored roles exist, before anything joins them to others. */
  readonly restored?: World;
  /** Numbers of what a deletion took and what returned: devices, relations, monitors relations, memberships. */
  readonly returned?: Readonly<
    Record<"devices" | "relations" | "monitors" | "members", readonly [number, number]>
  >;
  readonly shortened?: readonly Shortened[];
}

export function goneIn<T extends { readonly id: number }>(
  before: ReadonlyMap<number, T>,
  after: ReadonlyMap<number, T>,
): T[] {
  return [...before.values()].filter(({ id }) => !after.has(id));
}

function carries(own: ModelMember, rights: number): boolean {
  return (rights & ~own.rights) === 0;
}

export function withAll<T extends { readonly id: number }>(
  rows: ReadonlyMap<number, T>,
  further: readonly T[],
): Map<number, T> {
  return new Map([...rows, ...further.map((each) => [each.id, each] as const)]);
}

/**
 * Restores a deletion: the roles, and what lay among them; of the rest, what one membership of the user could make, in
 * the world in which the roles exist.
 */
export function restore(
  made: Made,
  relation: ModelRelation | undefined,
  userId: number,
  nextId: number,
): UndoOutcome {
  const { operation, before, after } = made;
  const now = nowOf(made);
  const parentId = relation?.parentId ?? 0;
  const allowed = operation.kind === "deleteRelation" && someMembership(
    now,
    userId,
    (own) => hasRoleManagement(now, own, parentId) && carries(own, relation?.rights ?? 0),
  );
  if (!allowed) return { status: 403, after: now };
  const lost = goneIn(before.relations, after.relations);
  const roles = goneIn(before.roles, after.roles).map((role) => ({ ...role, password: null }));
  const isBack = (roleId: number): boolean => roles.some(({ id }) => id === roleId);
  const inner = lost.filter(({ childId }) => isBack(childId));
  const world: World = {
    ...now,
    roles: withAll(now.roles, roles),
    relations: withAll(now.relations, inner),
  };
  const some = (condition: (own: ModelMember) => boolean): boolean => someMembership(now, userId, condition);

  const outer = lost.filter(({ childId }) => !isBack(childId) && now.roles.has(childId));
  const linked = outer.filter(({ parentId: from, childId, rights }) =>
    childId !== parentId && !isAbove(now, childId, parentId) &&
    some((own) =>
      hasRoleManagement(world, own, from) && hasIndirectRoleManagement(world, own, childId) &&
      carries(own, rights)
    )
  );
  const people = goneIn(before.members, after.members).filter((member) =>
    member.userId > 0 && isLive(before, member)
  );
  const members = people.filter((member) =>
    now.users.has(member.userId) && isLive(now, member) && !hasLostAccess(made, member.userId, parentId) &&
    some((own) =>
      keepsMembers(world, own, member.roleId) && carries(own, member.rights) &&
      (own.endsAt === null || (member.endsAt !== null && member.endsAt <= own.endsAt))
    )
  );
  const lostDevices = goneIn(before.devices, after.devices);
  const devices = lostDevices.filter((device) => isInTrash(made, device));
  const watching = goneIn(before.monitors, after.monitors);
  const manages = (own: ModelMember, roleId: number): boolean =>
    (rightsBy(world, own, roleId) & DEVICE_MANAGEMENT) !== 0;
  const mayGive = (each: ModelMonitors, giver: ModelMonitors): boolean =>
    isOpen(now, giver) && some((own) => manages(own, each.roleId) && manages(own, giver.roleId));
  const monitors = returningMonitors(made, watching, { devices, mayGive, nextId });
  return {
    status: 200,
    restored: world,
    returned: {
      devices: [devices.length, lostDevices.length],
      relations: [inner.length + linked.length, lost.length],
      monitors: [monitors.goOn, watching.length],
      members: [members.length, people.length],
    },
    shortened: monitors.shortened,
    after: {
      ...world,
      relations: withAll(world.relations, linked),
      members: withAll(now.members, members),
      devices: withAll(now.devices, devices),
      monitors: withAll(now.monitors, monitors.returning),
      trash: trashWithout(now, devices),
    },
  };
}

/**
 * What returns of the monitors relations. The time of the deletion is that of the world before it. Of devices that lived
 * on, what the user may give is given by a relation that the device has had since before the deletion.
 */
function returningMonitors(
  made: Made,
  watching: readonly ModelMonitors[],
  { devices, mayGive, nextId }: {
    readonly devices: readonly ModelDevice[];
    readonly mayGive: (each: ModelMonitors, giver: ModelMonitors) => boolean;
    readonly nextId: number;
  },
): { returning: ModelMonitors[]; shortened: Shortened[]; goOn: number } {
  const [now, deletedAt] = [nowOf(made), made.before.now];
  const returning: ModelMonitors[] = [];
  const shortened: Shortened[] = [];
  let [id, goOn] = [nextId, 0];
  for (const each of byId(watching)) {
    const isBack = devices.some((device) => device.id === each.deviceId);
    if (!isBack && !now.devices.has(each.deviceId)) {
      const { id, roleId, deviceId } = each;
      const livedOn = made.after.devices.has(deviceId);
      if (livedOn) shortened.push({ id, roleId, deviceId, reason: "deleted" });
      continue;
    }
    const isGiven = relationsOf(now, each.deviceId).some((giver) =>
      begin(giver) < deletedAt && end(each) <= end(giver) && mayGive(each, giver)
    );
    const hasPast = begin(each) < deletedAt;
    const isOver = end(each) <= now.now;
    const isWhole = isBack || end(each) <= deletedAt || wasNobodys(made, each.deviceId) ||
      (!isOver && isGiven && Math.max(begin(each), deletedAt) >= now.now);
    if (isWhole) {
      goOn++;
      returning.push(each);
      continue;
    }
    const reason = isOver ? "ended" : isGiven ? "interrupted" : "unmanaged";
    if (hasPast) returning.push({ ...each, until: deletedAt });
    if (reason === "interrupted") {
      goOn++;
      returning.push({ ...each, id: hasPast ? id++ : each.id, from: now.now });
    }
    const { roleId, deviceId } = each;
    shortened.push({
      id: each.id,
      roleId,
      deviceId,
      reason,
      ...(hasPast ? { until: new Date(deletedAt).toISOString() } : {}),
    });
  }
  return { returning, shortened, goOn };
}

/** Whether no role has had the device, or was to get it, in any world since the deletion. */
function wasNobodys({ after, since = [] }: Made, deviceId: number): boolean {
  return [after, ...since].every((world) =>
    relationsOf(world, deviceId).every((relation) => isClosed(world, relation))
  );
}

/** Whether a membership of the role, or of one above it, has ended since the deletion. */
function hasLostAccess(made: Made, userId: number, roleId: number): boolean {
  const now = nowOf(made);
  const isThere = (place: number): boolean => place === roleId || isAbove(now, place, roleId);
  return [made.after, ...made.since ?? []].some(({ members }) =>
    [...members.values()].some((member) => {
      if (member.userId !== userId || !isThere(member.roleId)) return false;
      const kept = now.members.get(member.id);
      return kept === undefined || (!isLive(now, kept) && (kept.endsAt ?? 0) > made.before.now);
    })
  );
}

/** Whether the device can be restored: a newer one that got its nodeId has ended that. */
function isInTrash(made: Made, { id, properties: { nodeId } }: ModelDevice): boolean {
  return nowOf(made).trash.has(nodeId) &&
    (made.since ?? []).every(({ devices }) =>
      [...devices.values()].every((other) => other.id < id || other.properties.nodeId !== nodeId)
    );
}

/** The trash without these devices. */
export function trashWithout(world: World, devices: readonly ModelDevice[]): World["trash"] {
  const nodeIds = new Set(devices.map(({ properties }) => properties.nodeId));
  return new Map([...world.trash].filter(([nodeId]) => !nodeIds.has(nodeId)));
}

/** The relations of restored roles that reach into the time between the deletion and now, of devices that were others'. */
export function betweenDeletionAndNow(made: Made, restored: World): ModelMonitors[] {
  const now = nowOf(made);
  const between = { from: made.before.now, until: now.now };
  const backIds = new Set(goneIn(made.before.roles, made.after.roles).map(({ id }) => id));
  return [...restored.monitors.values()].filter((each) =>
    backIds.has(each.roleId) && now.devices.has(each.deviceId) && !wasNobodys(made, each.deviceId) &&
    Math.max(begin(each), begin(between)) < Math.min(end(each), end(between))
  );
}
