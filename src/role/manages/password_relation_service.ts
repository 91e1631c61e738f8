import type { Actor } from "../../core/actor.ts";
import { SECOND_MS } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import { noteRevision } from "../../db/revisions.ts";
import { writeOnce } from "../../db/write_once.ts";
import { runChange } from "../../changes/change_service.ts";
import type { DecisionRow } from "../../changes/decision.ts";
import type { RoleDeps } from "../deps.ts";
import { stepUpTo } from "../../graph/rules/step_up.ts";
import { type ChangedManages, changeRelation, type PutManagesInput } from "./manages_service.ts";
import { MAKE, type Mode } from "../../changes/preview/preview_service.ts";
import {
  ABANDON_PUT_BY_PASSWORD,
  BEGIN_PUT_BY_PASSWORD,
  COMPLETE_PUT_BY_PASSWORD,
  REFUSE_PUT_BY_PASSWORD,
} from "./password_relation_queries.ts";
import { toMask } from "../../graph/rights.ts";
import { isRolePassword } from "../password/role_password.ts";

export interface PutManagesByPasswordInput extends PutManagesInput {
  /** As submitted. An empty one is a wrong password. */
  readonly childRolePassword: string;
}

interface PasswordAttemptRow extends DecisionRow {
  readonly attemptId: string;
  readonly compares: number;
  readonly passwordHash: string | null;
  readonly nextAt: number;
}

/**
 * Creates or updates the relation of two roles with the child's password. Needs direct or indirect roleManagement on
 * the parent. Throws `FORBIDDEN`, alike for a wrong password and a role without one; `TOO_MANY_ROLE_PASSWORD_CHECKS`
 * with the wait; `UNAVAILABLE` if too many hashes wait; and the errors of `putManages`.
 */
export async function putManagesByPassword(
  deps: RoleDeps,
  actor: Actor,
  input: PutManagesByPasswordInput,
  mode: Mode = MAKE,
): Promise<ChangedManages> {
  const { parentRoleId: parentId, childRoleId: childId } = input;
  const change = { parentId, childId, rights: toMask(input.rights) };
  // A change takes two round trips, or one if the attempt is refused. A preview counts as an attempt, and takes a
  // third.
  let comparedHash: string | null | undefined;

  /**
   * Begins an attempt, which each run of a batch ends. A request that is previewed and then applied makes two, and
   * compares once.
   */
  async function begin(): Promise<{ attemptId: string; comparedHash: string | null }> {
    const now = deps.clock();
    const attempt = await runChange<PasswordAttemptRow>(deps, actor, BEGIN_PUT_BY_PASSWORD, change);
    if (attempt === undefined || !attempt.compares) throw refusal(attempt, now);
    const { attemptId, passwordHash } = attempt;
    if (comparedHash === undefined) {
      await requirePassword(deps, actor, input, attempt);
      comparedHash = passwordHash;
    }
    return { attemptId, comparedHash };
  }

  return await changeRelation(deps, actor, mode, {
    request: ["manages.put by password", parentId, childId, change.rights],
    batches: COMPLETE_PUT_BY_PASSWORD,
    args: change,
    begin,
  });
}

/** Ends the attempt and throws `FORBIDDEN` if the password is wrong. */
async function requirePassword(
  deps: RoleDeps,
  { userId: actorId }: Actor,
  input: PutManagesByPasswordInput,
  { attemptId, passwordHash }: PasswordAttemptRow,
): Promise<void> {
  const isRight = await comparePassword(deps, input, passwordHash).catch(async (error: unknown) => {
    const args = { attemptId, childId: input.childRoleId, actorId };
    await writeOnce(deps.database, { batch: ABANDON_PUT_BY_PASSWORD, args });
    throw error;
  });
  if (isRight) return;
  const args = { attemptId, opId: crypto.randomUUID() };
  const row = await writeOnce<{ revision: number }>(deps.database, { batch: REFUSE_PUT_BY_PASSWORD, args });
  if (row !== undefined) noteRevision(row.revision);
  throw new AppError("FORBIDDEN");
}

/** Returns the error of an attempt whose password was not compared. */
function refusal(attempt: PasswordAttemptRow | undefined, now: number): AppError {
  if (attempt === undefined) return new AppError("TOKEN_INVALID");
  if (attempt.decision === "needs_step_up") return stepUpTo(attempt.needs === 2 ? 2 : 1);
  if (attempt.decision !== "too_many_role_passwords") return new AppError("FORBIDDEN");
  const retryAfterSeconds = (attempt.nextAt - now) / SECOND_MS;
  return new AppError("TOO_MANY_ROLE_PASSWORD_CHECKS", { retryAfterSeconds });
}

/** Computes one hash in any case, so that the time does not tell whether the role has a password. */
async function comparePassword(
  { passwords }: RoleDeps,
  { childRolePassword }: PutManagesByPasswordInput,
  passwordHash: string | null,
): Promise<boolean> {
  // No role's password has another length, and a longer text may take long to normalize.
  const isPlausible = isRolePassword(childRolePassword);
  const [password, hash] = isPlausible ? [childRolePassword, passwordHash] : ["", null];
  return await passwords.verifyOwn(password, hash);
}
