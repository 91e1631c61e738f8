import type { Actor, SudoActor } from "../../core/actor.ts";
import { SECOND_MS } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import type { Statement } from "../../db/statement.ts";
import { writeOnce } from "../../db/write_once.ts";
import {
  confirmSecurityBatch,
  failAttempt,
  type ResultRow,
  runSecurityBatch,
} from "../../identity/security_service.ts";
import type { PasswordDeps } from "./deps.ts";
import { requireAllowedPassword, requireUnbreachedPassword } from "./new_password.ts";
import { checkPasswordItself } from "./rules.ts";
import {
  ABANDON_OWN_PASSWORD,
  type AttemptRow,
  BEGIN_PASSWORD_CHANGE,
  BEGIN_PASSWORD_PROOF,
  COMPLETE_PASSWORD_CHANGE,
  COMPLETE_PASSWORD_PROOF,
  type ProofRow,
} from "./own_password_queries.ts";

/** A submitted password, with its user and the client's address. */
interface Submission {
  readonly actor: Actor | SudoActor;
  readonly address: string;
  readonly password: string;
  /** Checks the rules that need the account's address. Throws before the password is checked. */
  readonly checkRules?: (email: string) => Promise<void>;
}

/** A correct password, and its recorded attempt. */
interface Compared {
  readonly opId: string;
  readonly comparedHash: string;
}

export interface ChangePasswordInput {
  readonly oldPassword: string;
  readonly newPassword: string;
}

/**
 * Replaces the actor's password and ends their other sessions. Requires a sudo token, or an access token if no second
 * factor is active. Throws `PASSWORD_INCORRECT`, `TOO_MANY_FAILED_PASSWORD_CHECKS` (with the seconds to wait),
 * `SUDO_TOKEN_REQUIRED`, and, without counting a guess, `UNAVAILABLE` or the error of the violated password rule.
 */
export async function changePassword(
  deps: PasswordDeps,
  actor: SudoActor,
  address: string,
  { oldPassword, newPassword }: ChangePasswordInput,
): Promise<void> {
  const fault = await checkPasswordItself(newPassword);
  if (fault !== undefined) throw new AppError(fault);
  // The other rules need the account's address, which comes with the attempt; a violation takes the attempt back.
  const checkRules = (email: string): Promise<void> => requireAllowedPassword(deps, newPassword, email);
  const submission = { actor, address, password: oldPassword, checkRules };
  const compared = await comparePassword(deps, submission, BEGIN_PASSWORD_CHANGE);
  const passwordHash = await orAbandon(deps, actor, compared, async () => {
    await requireUnbreachedPassword(deps, newPassword);
    return await deps.hasher.hash(newPassword);
  });
  requireConfirmed(
    await confirmSecurityBatch(deps, actor, address, COMPLETE_PASSWORD_CHANGE, { ...compared, passwordHash }),
  );
}

/**
 * Verifies the actor's password and returns a sudo token. Throws `SUDO_TOKEN_REQUIRED` if a second factor is active,
 * otherwise like `changePassword` for the old password.
 */
export async function provePassword(
  deps: PasswordDeps,
  actor: Actor,
  address: string,
  password: string,
): Promise<string> {
  const compared = await comparePassword(deps, { actor, address, password }, BEGIN_PASSWORD_PROOF);
  const row = await confirmSecurityBatch<ResultRow & ProofRow>(
    deps,
    actor,
    address,
    COMPLETE_PASSWORD_PROOF,
    {
      ...compared,
    },
  );
  requireConfirmed(row);
  const { userId, sessionId } = actor;
  return await deps.sudoTokens.sign({ userId, sessionId, securityVersion: row.securityVersion });
}

async function comparePassword(
  deps: PasswordDeps,
  { actor, address, password, checkRules }: Submission,
  begin: readonly Statement[],
): Promise<Compared> {
  const opId = crypto.randomUUID();
  const row = await runSecurityBatch<ResultRow & AttemptRow>(deps, actor, address, begin, { opId });
  if (row.result === "waiting") {
    throw new AppError("TOO_MANY_FAILED_PASSWORD_CHECKS", {
      retryAfterSeconds: Math.ceil((row.nextAt - deps.clock()) / SECOND_MS),
    });
  }
  const { passwordHash, email } = row;
  const verdict = await orAbandon(deps, actor, { opId }, async () => {
    await checkRules?.(email);
    if (passwordHash === null) return await deps.hasher.verifyDummy(password);
    return await deps.hasher.verify(password, passwordHash);
  });
  if (passwordHash !== null && verdict.ok) return { opId, comparedHash: passwordHash };
  await failAttempt(deps.database, opId, verdict);
  throw new AppError("PASSWORD_INCORRECT");
}

/** Continues an attempt, and takes it back on an error. */
async function orAbandon<T>(
  deps: PasswordDeps,
  { userId }: Actor,
  { opId }: { readonly opId: string },
  hash: () => Promise<T>,
): Promise<T> {
  try {
    return await hash();
  } catch (error) {
    await writeOnce(deps.database, { batch: ABANDON_OWN_PASSWORD, args: { opId, actorId: userId } });
    throw error;
  }
}

/** Throws `PASSWORD_INCORRECT` if the password was changed during the comparison. */
function requireConfirmed({ result }: ResultRow): void {
  if (result !== "ok") throw new AppError("PASSWORD_INCORRECT");
}
