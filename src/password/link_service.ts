import { type Clock, SECOND_MS } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { Secrets } from "../core/secrets.ts";
import type { Database } from "../db/database.ts";
import { bind, bindBatch } from "../db/statement.ts";
import { passwordLinkMacs } from "../identity/password_link.ts";
import { NOTICE_LIFE_SECONDS } from "../mail/outbox.ts";
import type { PasswordHasher } from "./hasher.ts";
import { FIND_LINK, REDEEM_LINK } from "./link_queries.ts";
import { checkPasswordItself, checkPasswordName } from "./rules.ts";

/** What the password area needs from outside. */
export interface PasswordDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: Secrets;
  readonly hasher: PasswordHasher;
  readonly issuerName: string;
  /** Whether a password is known from a breach; absent: not looked up. */
  readonly isBreached?: ((password: string) => Promise<boolean>) | undefined;
}

export interface LinkPasswordInput {
  /** The token of a mailed link. */
  readonly token: string;
  readonly newPassword: string;
}

/**
 * Sets a password by a mailed link, invitation or reset. The password is judged before the link is spent, so a refused
 * one costs nothing. Ends all sessions and gives no tokens. Throws the password rule's code or `OTP_INVALID_EXPIRED`.
 */
export async function setPasswordByLink(
  deps: PasswordDeps,
  clientAddress: string,
  { token, newPassword }: LinkPasswordInput,
): Promise<void> {
  const fault = checkPasswordItself(newPassword);
  if (fault !== undefined) throw new AppError(fault);
  const macs = JSON.stringify(await passwordLinkMacs(deps.secrets, token));
  const [account] = await deps.database.read<{ email: string }>(bind(FIND_LINK, { macs, now: deps.clock() }));
  // Without a live link nothing is hashed: guessing tokens must not be able to keep the hasher busy.
  if (account === undefined) throw new AppError("OTP_INVALID_EXPIRED");
  await refuseGuessable(deps, newPassword, account.email);
  const now = deps.clock();
  const results = await deps.database.write(bindBatch(REDEEM_LINK, {
    opId: crypto.randomUUID(),
    now,
    macs,
    address: clientAddress,
    passwordHash: await deps.hasher.hash(newPassword, clientAddress),
    mailExpiresAt: now + NOTICE_LIFE_SECONDS * SECOND_MS,
  }));
  if (results.at(-1)?.length !== 1) throw new AppError("OTP_INVALID_EXPIRED");
}

async function refuseGuessable(deps: PasswordDeps, password: string, email: string): Promise<void> {
  const fault = checkPasswordName(password, { email, issuerName: deps.issuerName });
  if (fault !== undefined) throw new AppError(fault);
  if (await deps.isBreached?.(password)) throw new AppError("PASSWORD_BREACHED");
}
