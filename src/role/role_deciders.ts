import type { Deciders } from "../db/thread/deciders.ts";
import { type Decide, deciderOf, type UndoFacts, undoing } from "../changes/ruled.ts";
import { decideCreateRole } from "./create_role.ts";
import { decideUpdateRole, type UpdateRoleFacts, type UpdateRoleInput } from "./update_role.ts";

/** The decisions about roles that a thread makes, by name; that of an undo is of the inverse. */

interface RestoreInput extends UpdateRoleInput {
  readonly actorId: number;
}

export const decideUndoOfUpdate: Decide<UpdateRoleFacts & UndoFacts, RestoreInput> = undoing(
  decideUpdateRole,
  {
    isGone: ({ current }) => current === null,
  },
);

export const ROLE_DECIDERS = {
  "create role": deciderOf(decideCreateRole),
  "create role once": deciderOf(decideCreateRole),
  "update role": deciderOf(decideUpdateRole),
  "undo update of role": deciderOf(decideUndoOfUpdate),
} as const satisfies Deciders;
