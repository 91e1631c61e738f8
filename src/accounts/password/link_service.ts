import { countToPrincipal } from "../../core/request_scope.ts";
import { SECOND_MS } from "../../core/clock.ts";
import { randomToken } from "../../core/encoding.ts";
import { AppError } from "../../core/errors.ts";
import { bind } from "../../db/statement.ts";
import type { Client } from "../../identity/deps.ts";
import { passwordLinkMacs } from "../../identity/password_link.ts";
import { writeEvent } from "../../identity/security_service.ts";
import { generateFamily, hashFamily, makeRefreshToken } from "../../identity/token/refresh_token.ts";
import { NOTICE_LIFE_SECONDS } from "../../mail/outbox.ts";
import { throttleKeys } from "../../throttle/networks.ts";
import type { PasswordDeps } from "./deps.ts";
import { FIND_LINK, REDEEM_LINK, type RedeemedRow } from "./link_queries.ts";
import { requireAllowedPassword, requireUnbreachedPassword } from "./new_password.ts";
import { checkPasswordItself } from "./rules.ts";

const SESSION_ID_BYTES = 16;

export interface LinkPasswordInput {
  /** The token of a mailed link. */
  readonly token: string;
  readonly newPassword: string;
  /** Whether to sign the user in. */
  readonly signIn?: boolean | undefined;
}

export interface SignedIn {
  readonly refreshToken: string;
  readonly userEmail: string;
}

/**
 * Sets a password with an invitation or reset link, and ends all sessions. A rejected password does not use up the
 * link. Returns the first refresh token of a session and the address if `signIn` asks for one, and the link is the invitation of an
 * account that never had a password or a factor. Throws the error of the violated password rule, or
 * `OTP_INVALID_EXPIRED`.
 */
export async function setPasswordByLink(
  deps: PasswordDeps,
  client: Client,
  { token, newPassword, signIn = false }: LinkPasswordInput,
): Promise<SignedIn | undefined> {
  const fault = await checkPasswordItself(newPassword);
  if (fault !== undefined) throw new AppError(fault);
  const macs = JSON.stringify(await passwordLinkMacs(deps.secrets, token));
  const [account] = await deps.database.read(bind(FIND_LINK, { macs, now: deps.clock() }));
  // Nothing is hashed before: guessing tokens must not keep the hasher busy.
  if (account === undefined) throw new AppError("OTP_INVALID_EXPIRED");
  countToPrincipal(account.id);
  await requireAllowedPassword(deps, newPassword, account.email);
  await requireUnbreachedPassword(deps, newPassword);
  const passwordHash = await deps.hasher.hash(newPassword);
  const { pairKey, addressBucket } = await throttleKeys(deps.secrets, account.email, client.address);
  const now = deps.clock();
  const family = generateFamily();
  const row = await writeEvent<RedeemedRow>(deps.database, REDEEM_LINK, {
    opId: crypto.randomUUID(),
    now,
    macs,
    newSessionId: signIn ? randomToken(SESSION_ID_BYTES) : null,
    familyHash: await hashFamily(family),
    client: client.name,
    address: client.address,
    pairKey,
    addressBucket,
    passwordHash,
    mailExpiresAt: now + NOTICE_LIFE_SECONDS * SECOND_MS,
  });
  if (row === undefined) throw new AppError("OTP_INVALID_EXPIRED");
  if (!row.isSignedIn) return undefined;
  return { refreshToken: await makeRefreshToken(deps.secrets, family, 1), userEmail: account.email };
}
