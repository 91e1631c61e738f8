import type { Actor, SudoActor } from "../core/actor.ts";
import { SECOND_MS } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { Statement } from "../db/statement.ts";
import { writeOnce } from "../db/write_once.ts";
import { confirmSecurityBatch, type ResultRow, runSecurityBatch } from "../identity/security_service.ts";
import type { PasswordDeps } from "./deps.ts";
import { requireGoodPassword } from "./new_password.ts";
import { checkPasswordItself } from "./rules.ts";
import {
  ABANDON_OWN_PASSWORD,
  BEGIN_PASSWORD_CHANGE,
  BEGIN_PASSWORD_PROOF,
  COMPLETE_PASSWORD_CHANGE,
  COMPLETE_PASSWORD_PROOF,
  FAIL_OWN_PASSWORD,
} from "./own_password_queries.ts";

interface AttemptRow extends ResultRow {
  readonly passwordHash: string | null;
  readonly email: string;
  readonly nextAt: number;
}

interface ProofRow extends ResultRow {
  readonly securityVersion: number;
}

/** Who shows his password, and where. */
interface Shown {
  readonly actor: Actor | SudoActor;
  readonly address: string;
  readonly password: string;
  /** Judges what else came with it, given the account's address; throws before the password is looked at. */
  readonly judge?: (email: string) => Promise<void>;
}

/** A password that was found right, and its recorded attempt. */
interface Compared {
  readonly opId: string;
  readonly comparedHash: string;
}

export interface ChangePasswordInput {
  readonly oldPassword: string;
  readonly newPassword: string;
}

/**
 * Replaces the actor's password; needs a sudo token, or an access token without a second factor. Ends his other sessions.
 * Throws the password rule's code, which spends nothing; `PASSWORD_INCORRECT`; `TOO_MANY_FAILED_PASSWORD_CHECKS` with the
 * seconds to wait, without looking at the password; `SUDO_TOKEN_REQUIRED`; `UNAVAILABLE`, which counts as no guess.
 */
export async function changePassword(
  deps: PasswordDeps,
  actor: SudoActor,
  address: string,
  { oldPassword, newPassword }: ChangePasswordInput,
): Promise<void> {
  const fault = checkPasswordItself(newPassword);
  if (fault !== undefined) throw new AppError(fault);
  // The rest of the rules needs the account's address, which comes with the attempt and gives it back where they are broken.
  const judge = (email: string): Promise<void> => requireGoodPassword(deps, newPassword, email);
  const shown = { actor, address, password: oldPassword, judge };
  const compared = await comparePassword(deps, shown, BEGIN_PASSWORD_CHANGE);
  const passwordHash = await orAbandon(deps, actor, compared, () => deps.hasher.hash(newPassword, address));
  requireConfirmed(
    await confirmSecurityBatch(deps, actor, address, COMPLETE_PASSWORD_CHANGE, { ...compared, passwordHash }),
  );
}

/**
 * Proves the actor's password anew and answers a sudo token. Only without a second factor; throws `SUDO_TOKEN_REQUIRED`
 * with one, and otherwise what `changePassword` throws of the old password.
 */
export async function provePassword(
  deps: PasswordDeps,
  actor: Actor,
  address: string,
  password: string,
): Promise<string> {
  const compared = await comparePassword(deps, { actor, address, password }, BEGIN_PASSWORD_PROOF);
  const row = await confirmSecurityBatch<ProofRow>(deps, actor, address, COMPLETE_PASSWORD_PROOF, {
    ...compared,
  });
  requireConfirmed(row);
  const { userId, sessionId } = actor;
  return await deps.sudoTokens.sign({ userId, sessionId, securityVersion: row.securityVersion });
}

async function comparePassword(
  deps: PasswordDeps,
  { actor, address, password, judge }: Shown,
  begin: readonly Statement[],
): Promise<Compared> {
  const opId = crypto.randomUUID();
  const row = await runSecurityBatch<AttemptRow>(deps, actor, address, begin, { opId });
  if (row.result === "waiting") {
    throw new AppError("TOO_MANY_FAILED_PASSWORD_CHECKS", {
      retryAfterSeconds: Math.ceil((row.nextAt - deps.clock()) / SECOND_MS),
    });
  }
  const { passwordHash, email } = row;
  const { ok } = await orAbandon(deps, actor, { opId }, async () => {
    await judge?.(email);
    if (passwordHash === null) return await deps.hasher.verifyDummy(password, address);
    return await deps.hasher.verify(password, passwordHash, address);
  });
  if (passwordHash !== null && ok) return { opId, comparedHash: passwordHash };
  await writeOnce(deps.database, { batch: [FAIL_OWN_PASSWORD], args: { opId } });
  throw new AppError("PASSWORD_INCORRECT");
}

/** Goes on with an attempt; where that cannot be done, it is given back. */
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

/** The password may have been changed while it was being compared: then it is not the right one any more. */
function requireConfirmed({ result }: ResultRow): void {
  if (result !== "ok") throw new AppError("PASSWORD_INCORRECT");
}
