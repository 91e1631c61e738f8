import type { components } from "../../openapi_types.ts";
import type { Policy } from "../../schemas.ts";

/** An entry of the log. */
export type Change = components["schemas"]["Change"] & {
  /** What a role demanded before a change of that, and since. */
  readonly oldAuthenticationPolicy?: Policy | null;
  readonly newAuthenticationPolicy?: Policy | null;
};

/** The kinds of changes that the console describes. */
export type Kind =
  | "role.create"
  | "role.update"
  | "role.password_set"
  | "role.password_removed"
  | "role.authentication_policy"
  | "role.bootstrap"
  | "manages.put"
  | "manages.update"
  | "manages.move"
  | "manages.delete"
  | "manages.restore"
  | "member.add"
  | "member.update"
  | "member.remove"
  | "member.leave"
  | "member.end"
  | "member.invite"
  | "key.create"
  | "key.adopt"
  | "key.delete"
  | "key.end"
  | "access.end"
  | "device.create"
  | "device.transfer"
  | "device.restore"
  | "device.forget"
  | "monitors.add"
  | "monitors.update"
  | "monitors.remove"
  | "monitors.end"
  | "hierarchy.import";

/** The subject of a sentence. Some kinds are divided further. */
export type Subject = Kind | "role.rename" | "member.time" | "role.delete";

/** The decisions about changes that the console describes. */
export type Decision =
  | "ok"
  | "noop"
  | "proof_required"
  | "denied"
  | "needs_step_up"
  | "cycle"
  | "unmanaged"
  | "would_delete"
  | "root_without_member"
  | "root_without_manager"
  | "root_without_awake"
  | "node_id_taken"
  | "node_id_fixed"
  | "external_id_taken"
  | "modified"
  | "properties_too_large"
  | "too_many_invitations"
  | "too_many_additions"
  | "too_many_role_passwords"
  | "too_many_keys"
  | "too_many_monitors"
  | "period_outside"
  | "period_begins_earlier"
  | "period_empty"
  | "cannot_end"
  | "too_large"
  | "too_much_to_end"
  | "too_many_roles"
  | "too_many_devices"
  | "too_much_stored"
  | "moved"
  | "key_reused"
  | "changed_since"
  | "cannot_undo";

/** Whether the change was refused. */
export function isRefused({ decision }: Change): boolean {
  return decision !== "ok" && decision !== "noop";
}
