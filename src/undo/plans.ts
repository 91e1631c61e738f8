import type { UndoneRow } from "./undone_queries.ts";

/** How a change is undone: the batch, and the parameters that its row tells. */
export type Plan =
  | {
    readonly kind: "role";
    readonly args: { roleId: number; name: string; selfRights: number } & PutBackExternalId;
  }
  | { readonly kind: "relation"; readonly args: { parentId: number; relationId: number; rights: number } }
  | { readonly kind: "making"; readonly args: { parentId: number; relationId: number; madeRoles: string } }
  | {
    readonly kind: "deletion";
    readonly args: { parentId: number; childId: number; rights: number; restoredId: number };
  }
  | {
    readonly kind: "move";
    readonly args: {
      parentId: number;
      childId: number;
      rights: number;
      replaces: number;
      restoredId: number;
    };
  }
  | {
    readonly kind: "restore";
    readonly args: { parentId: number; childId: number; rights: number; relationId: number };
    readonly roleIds: readonly number[];
  }
  | { readonly kind: "device"; readonly args: { roleId: number; deviceId: number; relationId: number } }
  | {
    readonly kind: "transfer";
    /** `deviceIds`: a JSON list. */
    readonly args: { deviceIds: string };
    /** The number of further rows that the log has of it. */
    readonly parts: number;
  }
  | {
    readonly kind: "attach";
    readonly args: { roleId: number; relationId: number; deviceId: number } & MadePeriod;
  }
  | { readonly kind: "period"; readonly args: PutBack & MadePeriod }
  | { readonly kind: "detach"; readonly args: PutBack & { retired: number } }
  | { readonly kind: "memberAdd"; readonly args: { roleId: number; relationId: number } }
  | {
    readonly kind: "memberChange";
    readonly args: {
      roleId: number;
      restoredId: number;
      subjectId: number;
      livingId: number | null;
      email: string;
      rights: number;
      endsAt: number | null;
    };
  };

/** The external id that an undo puts back, if the change set one or took it away, and the one that the change left. */
interface PutBackExternalId {
  readonly setsExternalId: 0 | 1;
  readonly externalId: string | null;
  /** JSON: a list of it alone. */
  readonly externalIds: string | null;
  readonly madeExternalId: string | null;
}

/** The period that the change gave a monitors relation. */
interface MadePeriod {
  readonly madeFrom: number | null;
  readonly madeUntil: number | null;
}

/** The relation and period that an undo puts. */
interface PutBack {
  readonly roleId: number;
  readonly deviceId: number;
  readonly relationId: number;
  readonly from: number | null;
  readonly until: number | null;
  readonly setsFrom: 1;
  readonly setsUntil: 1;
}

interface Details {
  readonly oldName?: string;
  /** Of a change of the external id: absent for none. */
  readonly oldExternalId?: string;
  readonly externalId?: string;
  readonly replacedParentId?: number;
  readonly replacedRights?: number;
  readonly oldUntil?: number | null;
  readonly until?: number | null;
  readonly oldFrom?: number | null;
  readonly from?: number | null;
  readonly retires?: number;
  /** Of a transfer of several devices: these. */
  readonly parts?: readonly number[];
  /** It was one of several things of a person that ended at once. */
  readonly endsAccess?: 1;
}

/** Never an address: of an account that is gone, whose membership cannot be made again. */
const NO_ADDRESS = "";

/** Returns how a change is undone, or undefined if it cannot be: it was not made, or its history is no longer kept. */
export function planUndo(change: UndoneRow): Plan | undefined {
  const { kind, decision, parentId, roleId, relationId, oldRights } = change;
  if (decision !== "ok" || roleId === null || change.isKept !== 1) return undefined;
  const details = JSON.parse(change.details ?? "{}") as Details;
  if (kind === "role.update") {
    const { oldName: name, oldExternalId: externalId = null, externalId: madeExternalId = null } = details;
    if (name === undefined || oldRights === null) return undefined;
    const setsExternalId = externalId === madeExternalId ? 0 : 1;
    const externalIds = externalId === null ? null : JSON.stringify([externalId]);
    return {
      kind: "role",
      args: { roleId, name, selfRights: oldRights, setsExternalId, externalId, externalIds, madeExternalId },
    };
  }
  if (relationId === null) return undefined;
  switch (kind) {
    case "manages.put":
    case "manages.update":
      if (parentId === null) return undefined;
      return oldRights === null
        ? { kind: "making", args: { parentId, relationId, madeRoles: "[]" } }
        : { kind: "relation", args: { parentId, relationId, rights: oldRights } };
    case "role.create":
      if (parentId === null) return undefined;
      return { kind: "making", args: { parentId, relationId, madeRoles: JSON.stringify([roleId]) } };
    case "manages.move":
      return planMoveBack(change, relationId, details);
    case "manages.delete":
      return planDeletion(change, roleId, relationId);
    case "device.transfer":
      return planTransferBack(change, details);
    case "monitors.add":
    case "monitors.update":
    case "monitors.remove":
      return planMonitors(change, roleId, relationId, details);
    case "member.add":
      return { kind: "memberAdd", args: { roleId, relationId } };
    case "member.update":
    case "member.remove":
    case "member.leave":
      return planMembership(change, roleId, relationId, details);
  }
  return undefined;
}

function planTransferBack({ deviceId }: UndoneRow, { parts = [] }: Details): Plan {
  const deviceIds = JSON.stringify(deviceId === null ? parts : [deviceId]);
  return { kind: "transfer", args: { deviceIds }, parts: parts.length };
}

/** A deletion that took roles is restored. Otherwise, only the relation is made again. */
function planDeletion(
  { parentId, oldRights: rights, deletedRoleIds }: UndoneRow,
  childId: number,
  relationId: number,
): Plan | undefined {
  if (parentId === null || rights === null) return undefined;
  return deletedRoleIds === "[]"
    ? { kind: "deletion", args: { parentId, childId, rights, restoredId: relationId } }
    : {
      kind: "restore",
      args: { parentId, childId, rights, relationId },
      roleIds: JSON.parse(deletedRoleIds ?? "[]") as number[],
    };
}

/** A move that also changed an existing relation is no single change to take back. */
function planMoveBack(
  { roleId, oldRights, deletedRelationIds }: UndoneRow,
  relationId: number,
  { replacedParentId, replacedRights }: Details,
): Plan | undefined {
  const [restoredId] = JSON.parse(deletedRelationIds ?? "[]") as number[];
  if (
    roleId === null || oldRights !== null || replacedParentId === undefined || replacedRights === undefined ||
    restoredId === undefined
  ) return undefined;
  return {
    kind: "move",
    args: {
      parentId: replacedParentId,
      childId: roleId,
      rights: replacedRights,
      replaces: relationId,
      restoredId,
    },
  };
}

/** The beginning of a period never moves back. A device that was deleted is restored. */
function planMonitors(
  { kind, deviceId, deletedDeviceIds }: UndoneRow,
  roleId: number,
  relationId: number,
  details: Details,
): Plan | undefined {
  if (deviceId === null) return undefined;
  const { from: madeFrom = null, until: madeUntil = null, oldFrom, oldUntil, retires = 0 } = details;
  const relation = { roleId, deviceId, relationId };
  if (kind === "monitors.add") return { kind: "attach", args: { ...relation, madeFrom, madeUntil } };
  if (kind === "monitors.remove" && deletedDeviceIds !== "[]") return { kind: "device", args: relation };
  if (oldFrom === undefined || oldUntil === undefined) return undefined;
  const put = { ...relation, from: oldFrom, until: oldUntil, setsFrom: 1, setsUntil: 1 } as const;
  if (kind === "monitors.remove") return { kind: "detach", args: { ...put, retired: retires } };
  return oldFrom === madeFrom ? { kind: "period", args: { ...put, madeFrom, madeUntil } } : undefined;
}

function planMembership(
  { kind, subjectId, email, oldRights, pastRights, pastEndsAt }: UndoneRow,
  roleId: number,
  relationId: number,
  { oldUntil = null, endsAccess }: Details,
): Plan | undefined {
  // All access of a person ended by one decision, so no part of it returns alone.
  if (subjectId === null || endsAccess !== undefined) return undefined;
  const isUpdate = kind === "member.update";
  const rights = isUpdate ? oldRights : pastRights;
  if (rights === null) return undefined;
  return {
    kind: "memberChange",
    args: {
      roleId,
      restoredId: relationId,
      subjectId,
      livingId: isUpdate ? relationId : null,
      email: email ?? NO_ADDRESS,
      rights,
      endsAt: isUpdate ? oldUntil : pastEndsAt,
    },
  };
}
