import type { Actor } from "../core/actor.ts";
import { AppError } from "../core/errors.ts";
import { toLanguage } from "../mail/languages.ts";
import { runChange } from "./change/change_service.ts";
import { accepted, type DecisionRow } from "./change/decision.ts";
import type { RoleDeps } from "./deps.ts";
import { makeInvitation } from "./invitation.ts";
import type { Deletion } from "./manages_service.ts";
import { ADD_MEMBER, REMOVE_MEMBER } from "./member_queries.ts";

export interface Member {
  readonly id: number;
  readonly roleId: number;
  readonly userEmail: string;
}

interface AddedMemberRow extends Member, DecisionRow {
  readonly retryAfterSeconds: number;
}

interface RemovedMemberRow extends DecisionRow {
  readonly id: number;
}

export interface AddMemberInput {
  readonly roleId: number;
  /** Normalized address. */
  readonly userEmail: string;
  /** Name of a sender brand. */
  readonly origin?: string | undefined;
  /** Two letters. By default the account's language. */
  readonly language?: string | undefined;
}

/**
 * Makes the owner of an address a member of a role. Needs direct or indirect userManagement, or indirect
 * roleManagement, on the role. An unknown address gets an account and an invitation, a known one a notice, an existing
 * member nothing. The result does not reveal whether the address was known. Throws `TOO_MANY_INVITATIONS`, and
 * `MALFORMED_REQUEST` for an unknown brand.
 */
export async function addMember(deps: RoleDeps, actor: Actor, input: AddMemberInput): Promise<Member> {
  const { roleId, userEmail, origin, language } = input;
  if (origin !== undefined && !deps.mailBrands.has(origin)) {
    throw new AppError("MALFORMED_REQUEST", {
      details: [{ path: "query.origin", message: "Expected the name of a configured sender" }],
    });
  }
  const [invitation, [addressKey]] = await Promise.all([
    makeInvitation(deps),
    deps.secrets.macs("throttle", userEmail),
  ]);
  const row = await runChange<AddedMemberRow>(deps, actor, ADD_MEMBER, {
    roleId,
    email: userEmail,
    language: toLanguage(language ?? "en"),
    mailLanguage: language === undefined ? null : toLanguage(language),
    brand: origin ?? null,
    addressKey,
    ...invitation,
  });
  const member = accepted(row, row === undefined ? {} : { retryAfterSeconds: row.retryAfterSeconds });
  return { id: member.id, roleId: member.roleId, userEmail: member.userEmail };
}

export interface RemoveMemberInput {
  readonly roleId: number;
  readonly memberId: number;
}

/**
 * Ends a membership: the actor's own, or one in a role whose members they manage. Throws `ROOT_WITHOUT_MEMBER` for the
 * last member of a root role.
 */
export async function removeMember(
  deps: RoleDeps,
  actor: Actor,
  input: RemoveMemberInput,
): Promise<Deletion> {
  const args = { roleId: input.roleId, relationId: input.memberId };
  const row = accepted(await runChange<RemovedMemberRow>(deps, actor, REMOVE_MEMBER, args));
  return { deletedNodeIds: [], deletedRelationIds: [row.id] };
}
