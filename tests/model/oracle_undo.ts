import { decide, type Operation } from "./oracle.ts";
import {
  begin,
  end,
  isClosed,
  isOpen,
  isWithin,
  mayKeepDevices,
  mayReceiveDevices,
  periodsToGive,
  relationsOf,
  replaceAt,
} from "./oracle_devices.ts";
import {
  goneIn,
  type Made,
  nowOf,
  restore,
  trashWithout,
  type UndoOutcome,
  withAll,
} from "./oracle_restore.ts";
import {
  byId,
  mayKeepMembers,
  type ModelMember,
  type ModelMonitors,
  type ModelRelation,
  type World,
} from "./oracle_rights.ts";

/** What undoing the latest change does, by the rules: the inverse change as of now, or a restored deletion. */

/**
 * Decides the undo by a user of the latest change, or of an earlier deletion. `nextId`: that of the next relation.
 */
export function decideUndo(made: Made, userId: number, nextId: number): UndoOutcome {
  const { operation } = made;
  const world = nowOf(made);
  const refused = (status: number): UndoOutcome => ({ status, after: world });
  const places = placesOf(made);
  if (userId < 0 || !places.some((roleId) => mayKeepMembers(world, userId, roleId))) return refused(403);
  const inverse = inverseOf(made, userId);
  if (inverse === "restore") return restore(made, relationOf(made), userId, nextId);
  if (inverse === "device") return restoreDevice(made, userId);
  if (inverse === "transfer") return transferBack(made, userId, nextId);
  if (inverse === "period") return putPeriodBack(made, userId);
  if (inverse === "relation") return attachAgain(made, userId);
  if (inverse === undefined) return refused(409);
  const { operation: undo, relationId } = inverse;
  const outcome = decide(world, undo, { nodeId: 0, relationId });
  if (outcome.status !== 200) return refused(outcome.status);
  return { status: 200, after: likeBefore(made.before, outcome.after, operation) };
}

/** The roles whose managers read the change. A deleted role is read by those of the parent. */
function placesOf({ operation, before, after }: Made): number[] {
  const relation = relationOf({ operation, before, after });
  switch (operation.kind) {
    case "createRole": {
      const made = goneIn(after.roles, before.roles).map(({ id }) => id);
      return [operation.parentId, ...made];
    }
    case "putRelation":
    case "putRelationById":
    case "deleteRelation":
      return [operation.parentId, ...(relation === undefined ? [] : [relation.childId])];
    case "deleteAccount":
    case "updateDevice":
      return [];
    case "transferDevice": {
      const open = [...before.monitors.values()].filter((relation) =>
        relation.deviceId === operation.deviceId && isOpen(before, relation)
      );
      const [oldest] = byId(open);
      return [operation.toRoleId, ...(oldest === undefined ? [] : [oldest.roleId])];
    }
    default:
      return [operation.roleId];
  }
}

function relationOf({ operation, before, after }: Made): ModelRelation | undefined {
  if (operation.kind === "putRelation") {
    return [...after.relations.values()].find(({ parentId, childId }) =>
      parentId === operation.parentId && childId === operation.childId
    );
  }
  if (operation.kind === "putRelationById" || operation.kind === "deleteRelation") {
    return before.relations.get(operation.relationId);
  }
  return undefined;
}

interface Inverse {
  readonly operation: Operation;
  /** The id that the relation or membership had, which it gets again. */
  readonly relationId: number;
}

/** The change that takes the latest one back, or how it is restored; undefined if it cannot be undone. */
function inverseOf(
  made: Made,
  userId: number,
): Inverse | "restore" | "device" | "transfer" | "period" | "relation" | undefined {
  const { operation, before, after } = made;
  const relation = relationOf(made);
  switch (operation.kind) {
    case "updateRole": {
      const old = before.roles.get(operation.roleId);
      const updated = after.roles.get(operation.roleId);
      if (old === undefined) return undefined;
      const { id: roleId, name, selfRights } = old;
      // There is nothing to take back.
      if (updated?.name === name && updated.selfRights === selfRights) return undefined;
      return { operation: { kind: "updateRole", userId, roleId, name, selfRights }, relationId: 0 };
    }
    case "createRole": {
      const [created] = goneIn(after.relations, before.relations);
      return created && deletionOf(created, userId);
    }
    case "putRelation":
    case "putRelationById": {
      if (relation === undefined) return undefined;
      const old = before.relations.get(relation.id);
      const [replaced] = goneIn(before.relations, after.relations);
      if (replaced !== undefined) {
        if (old !== undefined) return undefined;
        const { parentId, childId, rights } = replaced;
        return {
          operation: { kind: "putRelation", userId, parentId, childId, rights, replaces: relation.id },
          relationId: replaced.id,
        };
      }
      if (old === undefined) return deletionOf(relation, userId);
      const { parentId, rights, id } = old;
      return {
        operation: { kind: "putRelationById", userId, parentId, relationId: id, rights },
        relationId: 0,
      };
    }
    case "deleteRelation": {
      if (relation === undefined) return undefined;
      if (goneIn(before.roles, after.roles).length > 0) return "restore";
      const { parentId, childId, rights, id } = relation;
      return { operation: { kind: "putRelation", userId, parentId, childId, rights }, relationId: id };
    }
    case "addMember": {
      const member = [...after.members.values()].find(({ roleId, userId: id }) =>
        roleId === operation.roleId && id === operation.subjectId
      );
      const old = member && before.members.get(member.id);
      if (member === undefined) return undefined;
      if (old !== undefined) return additionOf(old, userId);
      return {
        operation: { kind: "removeMember", userId, roleId: member.roleId, memberId: member.id },
        relationId: 0,
      };
    }
    case "removeMember": {
      const old = before.members.get(operation.memberId);
      return old && additionOf(old, userId);
    }
    case "attachDevice": {
      const [attached] = goneIn(after.monitors, before.monitors);
      if (attached !== undefined) {
        const { roleId, id: monitorsId } = attached;
        return { operation: { kind: "detachDevice", userId, roleId, monitorsId }, relationId: 0 };
      }
      return "period";
    }
    case "detachDevice":
      return goneIn(before.devices, after.devices).length > 0 ? "device" : "relation";
    case "transferDevice":
      return "transfer";
    default:
      return undefined;
  }
}

function deletionOf({ id: relationId, parentId }: ModelRelation, userId: number): Inverse {
  return {
    operation: { kind: "deleteRelation", userId, parentId, relationId, dryRun: false },
    relationId: 0,
  };
}

function additionOf({ id, roleId, userId: subjectId, rights, endsAt }: ModelMember, userId: number): Inverse {
  return {
    operation: { kind: "addMember", userId, roleId, subjectId, rights, until: endsAt },
    relationId: id,
  };
}

/** A relation that is made again is flagged as it was. */
function likeBefore(before: World, after: World, { kind }: Operation): World {
  if (kind !== "deleteRelation" && kind !== "putRelation") return after;
  const relations = [...after.relations.values()].map((relation) => {
    const { byPassword = relation.byPassword } = before.relations.get(relation.id) ?? {};
    return [relation.id, { ...relation, byPassword }] as const;
  });
  return { ...after, relations: new Map(relations) };
}

/** Restores a device that was deleted alone: as a device is created. */
function restoreDevice({ operation, before, after: now }: Made, userId: number): UndoOutcome {
  const roleId = operation.kind === "detachDevice" ? operation.roleId : 0;
  if (!mayKeepDevices(now, userId, roleId)) return { status: 403, after: now };
  return {
    status: 200,
    after: {
      ...now,
      devices: withAll(now.devices, goneIn(before.devices, now.devices)),
      trash: trashWithout(now, goneIn(before.devices, now.devices)),
      monitors: withAll(now.monitors, goneIn(before.monitors, now.monitors)),
    },
  };
}

/** Gives a relation its former period. A beginning never moves back, and what has ended stays as it is. */
function putPeriodBack({ before, after: world }: Made, userId: number): UndoOutcome {
  const old = [...before.monitors.values()].find(({ id, from, until }) => {
    const changed = world.monitors.get(id);
    return changed !== undefined && (changed.from !== from || changed.until !== until);
  });
  const changed = old && world.monitors.get(old.id);
  if (old === undefined || changed === undefined || changed.from !== old.from) {
    return { status: 409, after: world };
  }
  const { id, roleId, deviceId, from, until } = old;
  if (isClosed(world, changed)) {
    const mayPut = periodsToGive(world, userId, old).length > 0 ||
      (end(old) <= end(changed) && mayKeepDevices(world, userId, roleId));
    return { status: mayPut ? 409 : 403, after: world };
  }
  const operation = { kind: "attachDevice", userId, roleId, deviceId, from, until } as const;
  const { status, after } = decide(world, operation, { nodeId: 0, relationId: id });
  return { status, after };
}

/**
 * Lets a role monitor a device again. If no relation of the device was open or to come without it, who may detach the
 * device may attach it again.
 */
function attachAgain({ before, after: world }: Made, userId: number): UndoOutcome {
  const [old] = goneIn(before.monitors, world.monitors);
  if (old === undefined) return { status: 409, after: world };
  const wasLast = !isClosed(before, old) &&
    relationsOf(world, old.deviceId).every((each) => isClosed(before, each));
  const mayReturn = wasLast && mayKeepDevices(world, userId, old.roleId);
  const periods = periodsToGive(world, userId, old);
  if (periods.length === 0 && !mayReturn) return { status: 403, after: world };
  if (!mayReturn && !periods.some((period) => isWithin(old, period))) return { status: 422, after: world };
  return { status: 200, after: { ...world, monitors: withAll(world.monitors, [old]) } };
}

/**
 * Transfers a device back: those to which it is given, and those who may end what is open now, as for a transfer. What
 * was ended gets a new period of what is left, and what was to come returns as itself.
 */
function transferBack(
  { operation, before, after: world }: Made,
  userId: number,
  nextId: number,
): UndoOutcome {
  const deviceId = operation.kind === "transferDevice" ? operation.deviceId : 0;
  const standing = relationsOf(world, deviceId).filter((each) => !isClosed(world, each));
  const open = standing.filter((each) => isOpen(world, each));
  const last = Math.max(...open.map(end));
  const taken = byId(relationsOf(before, deviceId).filter((each) => !isClosed(before, each)));
  let id = nextId;
  const returning = taken.map((old) => {
    const wasEnded = world.monitors.has(old.id);
    const until = Math.min(end(old), last);
    return {
      ...old,
      id: wasEnded ? id++ : old.id,
      from: Math.max(wasEnded ? world.now : begin(old), world.now),
      until: until === Infinity ? null : until,
    };
  }).filter((period) => begin(period) < end(period));
  const mayEnd = ({ roleId }: ModelMonitors): boolean => mayKeepDevices(world, userId, roleId);
  const isAllowed = open.some(mayEnd) &&
    returning.every(({ roleId }) => mayReceiveDevices(world, userId, roleId));
  if (!isAllowed) return { status: 403, after: world };
  if (!standing.every(mayEnd)) return { status: 409, after: world };
  return {
    status: 200,
    after: replaceAt(world, standing, returning),
    transfer: { kind: "transferDevice", userId, deviceId, toRoleId: returning[0]?.roleId ?? 0 },
  };
}
