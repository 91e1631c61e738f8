import { runChange } from "../../changes/change_service.ts";
import { accepted, type DecisionRow } from "../../changes/decision.ts";
import type { Actor } from "../../core/actor.ts";
import type { RoleDeps } from "../deps.ts";
import { END_MEMBER_SESSIONS } from "./end_sessions_queries.ts";

interface EndedRow extends DecisionRow {
  readonly ended: number;
}

/**
 * Ends all sessions of a member, for a manager of the members of every role of theirs. Returns their number. Throws
 * `FORBIDDEN`, `ROOT_WITHOUT_MEMBER`, `CHANGE_BUCKET_FULL`, `STEP_UP_REQUIRED` and `TOKEN_INVALID`.
 */
export async function endMemberSessions(
  deps: RoleDeps,
  actor: Actor,
  member: { readonly roleId: number; readonly memberId: number },
): Promise<{ readonly ended: number }> {
  const { ended } = accepted(await runChange<EndedRow>(deps, actor, END_MEMBER_SESSIONS, { ...member }));
  return { ended };
}
