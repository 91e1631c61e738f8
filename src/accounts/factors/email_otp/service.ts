import type { Actor, Challenged, SudoActor } from "../../../core/actor.ts";
import { SECOND_MS } from "../../../core/clock.ts";
import { randomDigits } from "../../../core/codes.ts";
import { AppError } from "../../../core/errors.ts";
import { bind } from "../../../db/statement.ts";
import {
  challengeArgs,
  type ChallengeTokens,
  completeChallenge,
  type GuessErrors,
} from "../../../identity/factor/challenge_service.ts";
import { completeActivation, runDeactivation } from "../../../identity/factor/factor_service.ts";
import { type MailOptions, readMailOptions } from "../../../identity/mail_options.ts";
import { CODE_SECONDS, codeMacs } from "../../../identity/factor/one_time_code.ts";
import { runSecurityBatch, writeEvent } from "../../../identity/security_service.ts";
import { sealMailParams } from "../../../mail/outbox.ts";
import type { EmailOtpDeps } from "./deps.ts";
import {
  ACTIVATE_EMAIL_OTP,
  DEACTIVATE_EMAIL_OTP,
  FIND_NEXT_MAIL,
  type MailRow,
  PROVE_EMAIL_OTP,
  SEND_EMAIL_OTP,
  SET_UP_EMAIL_OTP,
} from "./queries.ts";

const OTP_DIGITS = 6;

/** Lifetime of a setup, in seconds: longer than any wait for a new code. */
const SETUP_SECONDS = 86_400;

const ERRORS: GuessErrors = {
  tooMany: "TOO_MANY_EMAIL_OTP_CHECKS",
  byResult: {
    wrong: "OTP_INVALID_EXPIRED",
    no_code: "OTP_INVALID_EXPIRED",
    inactive: "EMAIL_OTP_INACTIVE",
    uninitialized: "EMAIL_OTP_UNINITIALIZED",
  },
};

/** Returns the id of the asking session or partial login; a code is valid for it alone. */
function askerOf(challenged: Challenged): string {
  return challenged.kind === "partial" ? challenged.partialLoginId : challenged.actor.sessionId;
}

interface NewCode {
  readonly challengeMac: string;
  readonly activationMac: string;
  /** Arguments of its mail, whose id is that of the operation. */
  readonly mail: { readonly opId: string; readonly sealedParams: string; readonly codeExpiresAt: number };
}

/** Makes a code for the asker. Only the sealed mail contains it in clear. */
async function makeCode(deps: EmailOtpDeps, asker: string): Promise<NewCode> {
  const otp = randomDigits(OTP_DIGITS);
  const opId = crypto.randomUUID();
  const [[challengeMac], [activationMac], sealedParams] = await Promise.all([
    codeMacs(deps.secrets, "email_otp.challenge", asker, otp),
    codeMacs(deps.secrets, "email_otp.activation", asker, otp),
    sealMailParams(deps.secrets, opId, { otp }),
  ]);
  const codeExpiresAt = deps.clock() + CODE_SECONDS * SECOND_MS;
  return { challengeMac, activationMac, mail: { opId, sealedParams, codeExpiresAt } };
}

/**
 * Mails an activation code to a normalized address. An active address stays active. Throws `TOO_MANY_OTP_EMAILS` with
 * the seconds to wait, `SUDO_TOKEN_REQUIRED`, or `MALFORMED_REQUEST` for an unknown brand.
 */
export async function setUpEmailOtp(
  deps: EmailOtpDeps,
  actor: SudoActor,
  address: string,
  { email, ...options }: MailOptions & { readonly email: string },
): Promise<void> {
  const mailOptions = readMailOptions(deps, options);
  const { activationMac, mail } = await makeCode(deps, actor.sessionId);
  const row = await runSecurityBatch<MailRow>(deps, actor, address, SET_UP_EMAIL_OTP, {
    ...mailOptions,
    ...mail,
    codeMac: activationMac,
    email,
    pendingUntil: deps.clock() + SETUP_SECONDS * SECOND_MS,
  });
  requireSent(deps, row);
}

/**
 * Mails a code to the active address, or in a session without one, a new activation code. Throws
 * `EMAIL_OTP_UNINITIALIZED`, or `TOO_MANY_OTP_EMAILS` with the seconds to wait.
 */
export async function sendEmailOtp(
  deps: EmailOtpDeps,
  challenged: Challenged,
  address: string,
  options: MailOptions,
): Promise<void> {
  const mailOptions = readMailOptions(deps, options);
  const { challengeMac: codeMac, activationMac, mail } = await makeCode(deps, askerOf(challenged));
  const now = deps.clock();
  const args = {
    ...challengeArgs(challenged),
    ...mailOptions,
    ...mail,
    codeMac,
    activationMac,
    address,
    now,
  };
  const row = await writeEvent<MailRow>(deps.database, SEND_EMAIL_OTP, args);
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  requireSent(deps, row);
}

function requireSent(deps: EmailOtpDeps, { result, nextMailAt }: MailRow): void {
  if (result === "uninitialized") throw new AppError("EMAIL_OTP_UNINITIALIZED");
  if (result !== "waiting") return;
  throw new AppError("TOO_MANY_OTP_EMAILS", {
    retryAfterSeconds: (nextMailAt - deps.clock()) / SECOND_MS,
  });
}

/** Returns the seconds until the next code may be mailed; 0 means now. Throws `EMAIL_OTP_UNINITIALIZED`. */
export async function nextEmailOtp(deps: EmailOtpDeps, challenged: Challenged): Promise<number> {
  const now = deps.clock();
  const args = { ...challengeArgs(challenged), now };
  const [row] = await deps.database.read(bind(FIND_NEXT_MAIL, args));
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  if (row.result !== "ok") throw new AppError("EMAIL_OTP_UNINITIALIZED");
  return Math.max(0, Math.ceil((row.nextMailAt - now) / SECOND_MS));
}

/**
 * Activates the address of the setup. Returns the recovery codes if it is the first factor, otherwise none. Throws
 * `OTP_INVALID_EXPIRED`, `EMAIL_OTP_UNINITIALIZED`, `TOO_MANY_EMAIL_OTP_CHECKS`.
 */
export async function activateEmailOtp(
  deps: EmailOtpDeps,
  actor: Actor,
  address: string,
  otp: string,
): Promise<readonly string[]> {
  const macs = await codeMacs(deps.secrets, "email_otp.activation", actor.sessionId, otp);
  const args = { codeMacs: JSON.stringify(macs) };
  return await completeActivation(deps, actor, address, ACTIVATE_EMAIL_OTP, { args, errors: ERRORS });
}

/**
 * Verifies a code and returns a sudo token in a session, all tokens in a login. Throws `OTP_INVALID_EXPIRED`,
 * `EMAIL_OTP_INACTIVE`, `TOO_MANY_EMAIL_OTP_CHECKS`.
 */
export async function proveEmailOtp(
  deps: EmailOtpDeps,
  challenged: Challenged,
  address: string,
  otp: string,
): Promise<ChallengeTokens> {
  const macs = await codeMacs(deps.secrets, "email_otp.challenge", askerOf(challenged), otp);
  const args = { codeMacs: JSON.stringify(macs) };
  return await completeChallenge(deps, challenged, address, PROVE_EMAIL_OTP, { args, errors: ERRORS });
}

/** Deactivates the factor. Throws `EMAIL_OTP_ALREADY_INACTIVE`, `SUDO_TOKEN_REQUIRED`. */
export function deactivateEmailOtp(deps: EmailOtpDeps, actor: SudoActor, address: string): Promise<void> {
  return runDeactivation(deps, actor, address, DEACTIVATE_EMAIL_OTP, "EMAIL_OTP_ALREADY_INACTIVE");
}
