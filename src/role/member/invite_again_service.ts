import type { Actor } from "../../core/actor.ts";
import { AppError } from "../../core/errors.ts";
import { toLanguage } from "../../mail/languages.ts";
import { runChange } from "../../changes/change_service.ts";
import { accepted, type DecisionRow } from "../../changes/decision.ts";
import type { RoleDeps } from "../deps.ts";
import { makeInvitation } from "./invitation.ts";
import { INVITE_AGAIN } from "./invite_again_queries.ts";

interface InvitedRow extends DecisionRow {
  /** Until the limits that refused the mail have room; negative without such limits. */
  readonly retryAfterSeconds: number;
}

export interface InviteAgainInput {
  readonly roleId: number;
  readonly memberId: number;
  /** Name of a sender brand. */
  readonly origin?: string | undefined;
  /** Two letters. By default the account's language. */
  readonly language?: string | undefined;
}

/**
 * Mails the invitation of a member once more, for a manager of the role's members. Returns whether there was a mail:
 * none for a member who has opened their account. Throws `FORBIDDEN`, `TOO_MANY_INVITATIONS`, `STEP_UP_REQUIRED`,
 * `TOKEN_INVALID`, and `MALFORMED_REQUEST` for an unknown brand.
 */
export async function inviteAgain(
  deps: RoleDeps,
  actor: Actor,
  { roleId, memberId, origin, language }: InviteAgainInput,
): Promise<{ readonly sent: boolean }> {
  if (origin !== undefined && !deps.mailBrands.has(origin)) {
    throw new AppError("MALFORMED_REQUEST", {
      details: [{ path: "query.origin", message: "Expected the name of a configured sender" }],
    });
  }
  const row = await runChange<InvitedRow>(deps, actor, INVITE_AGAIN, {
    roleId,
    memberId,
    brand: origin ?? null,
    mailLanguage: language === undefined ? null : toLanguage(language),
    ...await makeInvitation(deps),
  });
  const { decision } = accepted(
    row,
    row === undefined ? {} : { retryAfterSeconds: Math.max(1, Math.ceil(row.retryAfterSeconds)) },
  );
  return { sent: decision === "ok" };
}
