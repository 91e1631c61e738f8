import type { components } from "../../openapi_types.ts";

/** An entry of the log. */
export type Change = components["schemas"]["Change"];

/** The kinds of changes, in the order of the choice. */
export const KINDS = [
  "role.create",
  "role.update",
  "role.password_set",
  "role.password_removed",
  "role.bootstrap",
  "manages.put",
  "manages.update",
  "manages.move",
  "manages.delete",
  "member.add",
  "member.update",
  "member.remove",
  "member.leave",
  "member.end",
  "key.create",
  "key.delete",
  "key.end",
  "access.end",
  "device.create",
  "device.transfer",
  "monitors.add",
  "monitors.update",
  "monitors.remove",
  "hierarchy.import",
] as const;

export type Kind = typeof KINDS[number];

/** The subject of a sentence. Some kinds are divided further. */
export type Subject = Kind | "role.rename" | "member.time" | "role.delete";

/** The decisions about changes. */
export const DECISIONS = [
  "ok",
  "noop",
  "proof_required",
  "denied",
  "cycle",
  "unmanaged",
  "root_without_member",
  "root_without_manager",
  "node_id_taken",
  "too_many_invitations",
  "too_many_role_passwords",
  "too_many_keys",
  "too_many_monitors",
  "period_outside",
  "period_begins_earlier",
  "period_empty",
  "cannot_end",
  "too_large",
  "too_much_to_end",
  "moved",
  "key_reused",
] as const;

export type Decision = typeof DECISIONS[number];

/** Whether the console knows this kind; a later version of the service may have others. */
export function isKind(text: string): text is Kind {
  return KINDS.some((kind) => kind === text);
}

/** Whether the console knows this decision. */
export function isDecision(text: string): text is Decision {
  return DECISIONS.some((decision) => decision === text);
}

/** Whether the change was refused. */
export function isRefused({ decision }: Change): boolean {
  return decision !== "ok" && decision !== "noop";
}

/** Returns the subject of a change's sentence; undefined for a kind of a later version. */
export function subjectOf(change: Change): Subject | undefined {
  const { kind, roleId, oldName, oldRights, newRights, deletedNodeIds } = change;
  const keepsRights = oldRights !== null && JSON.stringify(oldRights) === JSON.stringify(newRights);
  if (!isKind(kind) || isRefused(change)) return isKind(kind) ? kind : undefined;
  if (kind === "role.update" && oldName !== null) return "role.rename";
  if (kind === "member.update" && keepsRights) return "member.time";
  if (kind === "manages.delete" && roleId !== null && deletedNodeIds.includes(roleId)) return "role.delete";
  return kind;
}
