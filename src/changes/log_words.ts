/** The words of the change log, which the console translates. */

/** The kinds of changes, by what they are about. */
export const CHANGE_KINDS = [
  "role.create",
  "role.update",
  "role.password_set",
  "role.password_removed",
  "role.authentication_policy",
  "role.bootstrap",
  "manages.put",
  "manages.update",
  "manages.move",
  "manages.delete",
  "manages.restore",
  "member.add",
  "member.update",
  "member.remove",
  "member.leave",
  "member.end",
  "member.invite",
  "member.sign_out",
  "key.create",
  "key.adopt",
  "key.delete",
  "key.end",
  "access.end",
  "monitors.add",
  "monitors.update",
  "monitors.remove",
  "monitors.end",
  "device.create",
  "device.transfer",
  "device.restore",
  "device.forget",
  "hierarchy.import",
] as const;

/** What was done or tried. */
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** The decision in the change log: made, already so, or why the change was refused. */
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
  | "cannot_end"
  | "period_begins_earlier"
  | "period_empty"
  | "too_large"
  | "too_much_to_end"
  | "too_many_roles"
  | "too_many_devices"
  | "too_much_stored"
  | "moved"
  | "key_reused"
  | "changed_since"
  | "cannot_undo";
