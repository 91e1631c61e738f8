import { countToPrincipal } from "../../core/request_scope.ts";
import { SECOND_MS } from "../../core/clock.ts";
import { randomCrockford, readCrockford } from "../../core/codes.ts";
import { randomToken } from "../../core/encoding.ts";
import { AppError } from "../../core/errors.ts";
import type { SqlArgs, Statement } from "../../db/statement.ts";
import { type MailOptions, readMailOptions } from "../../identity/mail_options.ts";
import { CODE_SECONDS, codeMacs } from "../../identity/factor/one_time_code.ts";
import { passwordLinkMacs } from "../../identity/password_link.ts";
import { countIfKnown } from "../../identity/count_if_known.ts";
import { type ResultRow, writeEvent } from "../../identity/security_service.ts";
import { NOTICE_LIFE_SECONDS, sealMailParams, type SecretMailParams } from "../../mail/outbox.ts";
import { largestNetworkOf, throttleKeys } from "../../throttle/networks.ts";
import type { PasswordDeps } from "./deps.ts";
import { LINK_TOKEN_BYTES, RESET_CODE_LENGTH, RESET_LINK_SECONDS } from "./lifetimes.ts";
import { requireAllowedPassword, requireUnbreachedPassword } from "./new_password.ts";
import {
  CHECK_RESET_CODE,
  REDEEM_RESET_CODE,
  REQUEST_RESET_CODE,
  REQUEST_RESET_LINK,
} from "./reset_queries.ts";

interface ResetRequestRow {
  readonly accepted: number;
  readonly freeAt: number;
}

/** The last row of a guess's batch, if the guess was evaluated. */
interface CodeRow extends ResultRow {
  /** The account of the code, if any; never null if the code is right. */
  readonly userId: number | null;
}

export interface ResetRequest extends MailOptions {
  /** Normalized. */
  readonly email: string;
}

/**
 * Mails a link to set a new password if the address has an account, without revealing whether it does. Throws
 * `TOO_MANY_RESET_MAIL_ATTEMPTS`, with the seconds to wait, or `MALFORMED_REQUEST` for an unknown brand.
 */
export async function sendResetLink(
  deps: PasswordDeps,
  clientAddress: string,
  request: ResetRequest,
): Promise<void> {
  const token = randomToken(LINK_TOKEN_BYTES);
  const [linkMac] = await passwordLinkMacs(deps.secrets, token);
  await requestReset(deps, clientAddress, request, {
    batch: REQUEST_RESET_LINK,
    args: { linkMac, expiresAt: deps.clock() + RESET_LINK_SECONDS * SECOND_MS },
    params: { link: `${deps.publicUrl}/reset-password#token=${token}` },
  });
}

/** Mails a code to set a new password; otherwise like `sendResetLink`. */
export async function sendResetCode(
  deps: PasswordDeps,
  clientAddress: string,
  request: ResetRequest,
): Promise<void> {
  const otp = randomCrockford(RESET_CODE_LENGTH);
  const subject = await codeSubject(deps, request.email);
  const [codeMac] = await codeMacs(deps.secrets, "password_reset", subject, otp);
  const expiresAt = deps.clock() + CODE_SECONDS * SECOND_MS;
  await requestReset(deps, clientAddress, request, {
    batch: REQUEST_RESET_CODE,
    args: { subject, codeMac, codeExpiresAt: expiresAt, expiresAt },
    params: { otp },
  });
}

export interface ResetCodeInput {
  /** Normalized. */
  readonly email: string;
  /** As typed. */
  readonly otp: string;
}

/** Checks a code, which stays valid if right. Throws `OTP_INVALID_EXPIRED` for a wrong one, which counts as a guess. */
export async function checkResetCode(
  deps: PasswordDeps,
  clientAddress: string,
  { email, otp }: ResetCodeInput,
): Promise<void> {
  const subject = await codeSubject(deps, email);
  const macs = await codeMacs(deps.secrets, "password_reset", subject, readCrockford(otp));
  await runCodeBatch(deps, clientAddress, CHECK_RESET_CODE, { subject, codeMacs: JSON.stringify(macs) });
}

/**
 * Sets a password with a mailed code, and ends all sessions. Throws `OTP_INVALID_EXPIRED`, or the error of the
 * violated password rule, which uses up nothing. Checks the code before looking up and hashing the password, and
 * again afterwards: wrong guesses cost neither, and take the same time with and without an account.
 */
export async function setPasswordByCode(
  deps: PasswordDeps,
  clientAddress: string,
  { email, otp, newPassword }: ResetCodeInput & { readonly newPassword: string },
): Promise<void> {
  await requireAllowedPassword(deps, newPassword, email);
  const subject = await codeSubject(deps, email);
  const macs = await codeMacs(deps.secrets, "password_reset", subject, readCrockford(otp));
  const args = { subject, codeMacs: JSON.stringify(macs) };
  const { userId } = await runCodeBatch(deps, clientAddress, CHECK_RESET_CODE, args);
  if (userId !== null) countToPrincipal(userId);
  await requireUnbreachedPassword(deps, newPassword);
  const { pairKey, addressBucket } = await throttleKeys(deps.secrets, email, clientAddress);
  await runCodeBatch(deps, clientAddress, REDEEM_RESET_CODE, {
    ...args,
    pairKey,
    addressBucket,
    passwordHash: await deps.hasher.hash(newPassword),
    mailExpiresAt: deps.clock() + NOTICE_LIFE_SECONDS * SECOND_MS,
  });
}

async function requestReset(
  deps: PasswordDeps,
  clientAddress: string,
  { email, ...options }: ResetRequest,
  { batch, args, params }: { batch: readonly Statement[]; args: SqlArgs; params: SecretMailParams },
): Promise<void> {
  const mailOptions = readMailOptions(deps, options);
  const opId = crypto.randomUUID();
  const now = deps.clock();
  const [keys, sealedParams] = await Promise.all([
    throttleKeys(deps.secrets, email, clientAddress),
    sealMailParams(deps.secrets, opId, params),
  ]);
  const all = { ...args, opId, now, email, address: clientAddress, ...keys, ...mailOptions, sealedParams };
  await countIfKnown(deps, { email, ...keys });
  const row = await writeEvent<ResetRequestRow>(deps.database, batch, all) as ResetRequestRow;
  if (row.accepted) return;
  throw new AppError("TOO_MANY_RESET_MAIL_ATTEMPTS", {
    retryAfterSeconds: Math.ceil((row.freeAt - now) / SECOND_MS),
  });
}

async function runCodeBatch(
  deps: PasswordDeps,
  clientAddress: string,
  batch: readonly Statement[],
  args: SqlArgs,
): Promise<CodeRow> {
  const common = {
    opId: crypto.randomUUID(),
    now: deps.clock(),
    address: clientAddress,
    network: largestNetworkOf(clientAddress),
  };
  const row = await writeEvent<CodeRow>(deps.database, batch, { ...common, ...args });
  if (row?.result !== "ok") throw new AppError("OTP_INVALID_EXPIRED");
  return row;
}

/**
 * Returns the subject of a reset code: the HMAC of the address under the newest key. The address may have no account.
 */
async function codeSubject({ secrets }: PasswordDeps, email: string): Promise<string> {
  return (await secrets.macs("password_reset.subject", email))[0];
}
