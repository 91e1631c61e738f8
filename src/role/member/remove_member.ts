import type { Ruled } from "../../changes/ruled.ts";
import {
  type Authorization,
  authorize,
  awake,
  managesMembersOf,
  type Membership,
} from "../../graph/rules/rules.ts";
import type { RightsMask } from "../../graph/rights.ts";

type Managing = Membership<"role">;

const managesMembers = (by: Managing): boolean => managesMembersOf(by, by.to.role);

export interface RemoveMemberFacts extends Authorization<Managing> {
  /** The membership that is named, of a user whose account exists. */
  readonly member: {
    readonly id: number;
    readonly userId: number;
    readonly rights: RightsMask;
    readonly endsAt: number | null;
    /** It is the last that keeps a root role, where that matters. */
    readonly keepsAlone: boolean | null;
  } | null;
}

export interface RemoveMemberInput {
  readonly actorId: number;
  readonly roleId: number;
}

/**
 * Decides about the end of a membership. Users may always leave a role, also while they are dormant there. A key's maker
 * must be able to remove the member, too: otherwise the key of a removed member could remove all members who can delete
 * it.
 */
export function decideRemoveMember(facts: RemoveMemberFacts, { actorId, roleId }: RemoveMemberInput): Ruled {
  const leaves = facts.member?.userId === actorId;
  const isAllowed = leaves || authorize(facts, managesMembers).length > 0;
  const by = awake(facts).filter(managesMembers);
  return removal(facts, isAllowed, Math.min(...by.length > 0 ? by.map((each) => each.roleId) : [roleId]));
}

/** The same by an administrator's task. */
export function decideRemoveByAdministrator(facts: RemoveMemberFacts): Ruled {
  return removal(facts, true, null);
}

function removal({ member }: RemoveMemberFacts, isAllowed: boolean, via: number | null): Ruled {
  const said = {
    memberId: member?.id ?? null,
    subjectId: member?.userId ?? null,
    oldRights: member?.rights ?? null,
    details: { oldUntil: member?.endsAt ?? null },
  };
  if (member === null || !isAllowed) return { ruling: "denied", ...said };
  if (member.keepsAlone) return { ruling: "root_without_member", ...said };
  return { ruling: "ok", step: "write", via, ...said };
}
