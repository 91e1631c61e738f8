import type { Deciders } from "../../db/thread/deciders.ts";
import { type Decide, deciderOf, type UndoFacts, undoing } from "../../changes/ruled.ts";
import { decideProvision, decidePutMember, type PutMemberFacts, type PutMemberInput } from "./put_member.ts";
import {
  decideRemoveByAdministrator,
  decideRemoveMember,
  type RemoveMemberFacts,
  type RemoveMemberInput,
} from "./remove_member.ts";

/** The decisions about members that a thread makes, by name; those of undos are of the inverse. */

/** Who reads the row of a membership manages the members of its role, and so reads what has changed since. */
export const decideUndoOfAddition: Decide<RemoveMemberFacts & UndoFacts, RemoveMemberInput> = undoing(
  decideRemoveMember,
  { isGone: ({ hasChanged }) => hasChanged },
);

export interface RestoreMemberInput extends PutMemberInput {
  readonly now: number;
  readonly subjectId: number | null;
  /** The membership that was changed, or null for one that was removed. */
  readonly livingId: number | null;
}

/**
 * A membership that has ended stays ended, and so does the one of a person who has another one or another address by now.
 */
export const decideUndoOfMemberChange: Decide<PutMemberFacts & UndoFacts, RestoreMemberInput> = undoing(
  decidePutMember,
  {
    isGone: ({ subject, hasChanged }, { setsEnd, endsAt, now, subjectId, livingId }) =>
      hasChanged || subject === null || subject.id !== subjectId ||
      (subject.member?.id ?? null) !== livingId ||
      (livingId === null && setsEnd === 1 && endsAt !== null && endsAt <= now),
  },
);

export const MEMBER_DECIDERS = {
  "put member": deciderOf(decidePutMember),
  "provision member": deciderOf(decideProvision),
  "provision and invite member": deciderOf(decideProvision),
  "remove member": deciderOf(decideRemoveMember),
  "remove member by administrator": deciderOf(decideRemoveByAdministrator),
  "undo addition of member": deciderOf(decideUndoOfAddition),
  "undo change of member": deciderOf(decideUndoOfMemberChange),
} as const satisfies Deciders;
