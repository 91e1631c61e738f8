import type { UndoneRow } from "./undone_queries.ts";

/** How a change is undone: the batch, and the parameters that its row tells. */
export type Plan =
  | { readonly kind: "role"; readonly args: { roleId: number; name: string; selfRights: number } }
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
  }
  | { readonly kind: "device"; readonly args: { roleId: number; deviceId: number; relationId: number } }
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

interface Details {
  readonly oldName?: string;
  readonly replacedParentId?: number;
  readonly replacedRights?: number;
  readonly oldUntil?: number | null;
}

/** Never an address: of an account that is gone, whose membership cannot be made again. */
const NO_ADDRESS = "";

/** Returns how a change is undone, or undefined if it cannot be: it was not made, or its history is no longer kept. */
export function planUndo(change: UndoneRow): Plan | undefined {
  const { kind, decision, parentId, roleId, relationId, oldRights } = change;
  if (decision !== "ok" || roleId === null || change.isKept !== 1) return undefined;
  const details = JSON.parse(change.details ?? "{}") as Details;
  if (kind === "role.update") {
    const { oldName: name } = details;
    return name === undefined || oldRights === null
      ? undefined
      : { kind: "role", args: { roleId, name, selfRights: oldRights } };
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
    case "monitors.remove":
      return change.deviceId === null || change.deletedDeviceIds === "[]"
        ? undefined
        : { kind: "device", args: { roleId, deviceId: change.deviceId, relationId } };
    case "member.add":
      return { kind: "memberAdd", args: { roleId, relationId } };
    case "member.update":
    case "member.remove":
    case "member.leave":
      return planMembership(change, roleId, relationId, details);
  }
  return undefined;
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
    : { kind: "restore", args: { parentId, childId, rights, relationId } };
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

function planMembership(
  { kind, subjectId, email, oldRights, pastRights, pastEndsAt }: UndoneRow,
  roleId: number,
  relationId: number,
  { oldUntil = null }: Details,
): Plan | undefined {
  if (subjectId === null) return undefined;
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
