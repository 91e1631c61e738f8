import { setAskingUser } from "../core/asker.ts";
import { SECOND_MS } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import { bind } from "../db/statement.ts";
import { passwordLinkMacs } from "../identity/password_link.ts";
import { writeEvent } from "../identity/security_service.ts";
import { NOTICE_LIFE_SECONDS } from "../mail/outbox.ts";
import { throttleKeys } from "../throttle/networks.ts";
import type { PasswordDeps } from "./deps.ts";
import { FIND_LINK, REDEEM_LINK } from "./link_queries.ts";
import { requireAllowedPassword, requireUnbreachedPassword } from "./new_password.ts";
import { checkPasswordItself } from "./rules.ts";

export interface LinkPasswordInput {
  /** The token of a mailed link. */
  readonly token: string;
  readonly newPassword: string;
}

/**
 * Sets a password with an invitation or reset link, and ends all sessions. A rejected password does not use up the
 * link. Throws the error of the violated password rule, or `OTP_INVALID_EXPIRED`.
 */
export async function setPasswordByLink(
  deps: PasswordDeps,
  clientAddress: string,
  { token, newPassword }: LinkPasswordInput,
): Promise<void> {
  const fault = checkPasswordItself(newPassword);
  if (fault !== undefined) throw new AppError(fault);
  const macs = JSON.stringify(await passwordLinkMacs(deps.secrets, token));
  const [account] = await deps.database.read(bind(FIND_LINK, { macs, now: deps.clock() }));
  // Nothing is hashed before: guessing tokens must not keep the hasher busy.
  if (account === undefined) throw new AppError("OTP_INVALID_EXPIRED");
  setAskingUser(account.id);
  requireAllowedPassword(deps, newPassword, account.email);
  await requireUnbreachedPassword(deps, newPassword);
  const passwordHash = await deps.hasher.hash(newPassword, clientAddress);
  const { pairKey, addressBucket } = await throttleKeys(deps.secrets, account.email, clientAddress);
  const now = deps.clock();
  const row = await writeEvent(deps.database, REDEEM_LINK, {
    opId: crypto.randomUUID(),
    now,
    macs,
    address: clientAddress,
    pairKey,
    addressBucket,
    passwordHash,
    mailExpiresAt: now + NOTICE_LIFE_SECONDS * SECOND_MS,
  });
  if (row === undefined) throw new AppError("OTP_INVALID_EXPIRED");
}
