import type { Actor, Challenged, SudoActor } from "../../../core/actor.ts";
import { SECOND_MS } from "../../../core/clock.ts";
import { fromBase64Url, toBase64Url } from "../../../core/encoding.ts";
import { AppError } from "../../../core/errors.ts";
import { MissingKeyError } from "../../../core/secrets.ts";
import { bind } from "../../../db/statement.ts";
import {
  challengeArgs,
  type ChallengeTokens,
  completeChallenge,
  type GuessErrors,
  guessWaitLeft,
} from "../../../identity/factor/challenge_service.ts";
import type { IdentityDeps } from "../../../identity/deps.ts";
import { completeActivation, runDeactivation } from "../../../identity/factor/factor_service.ts";
import { type ResultRow, runSecurityBatch } from "../../../identity/security_service.ts";
import {
  ACTIVATE_TOTP,
  DEACTIVATE_TOTP,
  FIND_NEXT_TOTP,
  FIND_TOTP,
  PROVE_TOTP,
  type SecretRow,
  SET_UP_TOTP,
} from "./queries.ts";
import { findStep, otpauthUrl, SECRET_BYTES } from "./rules.ts";

/** Lifetime of a setup, in seconds. */
const SETUP_SECONDS = 600;

/** The dependencies of the TOTP area. */
export interface TotpDeps extends IdentityDeps {
  /** The service's name, as authenticator apps show it. */
  readonly issuerName: string;
}

const ERRORS: GuessErrors = {
  tooMany: "TOO_MANY_TOTP_CHECKS",
  byResult: {
    wrong: "TOTP_INVALID",
    outdated: "TOTP_INVALID",
    inactive: "TOTP_INACTIVE",
    uninitialized: "TOTP_UNINITIALIZED",
  },
};

/** Returns the context of a user's secret, which does not open in another user's row. */
function sealContext(userId: number): string {
  return `totp ${userId}`;
}

/**
 * Makes a secret and returns its `otpauth:` URL. An active secret stays active until the new one is activated, within
 * ten minutes. Throws `SUDO_TOKEN_REQUIRED`.
 */
export async function setUpTotp(deps: TotpDeps, actor: SudoActor, address: string): Promise<string> {
  const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  const { email } = await runSecurityBatch<ResultRow & { email: string }>(deps, actor, address, SET_UP_TOTP, {
    sealedSecret: await deps.secrets.seal(toBase64Url(secret), sealContext(actor.userId)),
    pendingUntil: deps.clock() + SETUP_SECONDS * SECOND_MS,
  });
  return otpauthUrl(secret, { issuer: deps.issuerName, email });
}

/**
 * Activates the secret of the setup. Returns the recovery codes if it is the first factor, otherwise none. Throws
 * `TOTP_INVALID`, `TOTP_UNINITIALIZED`, `TOO_MANY_TOTP_CHECKS`, or `UNAVAILABLE` if the sealing key is missing.
 */
export async function activateTotp(
  deps: TotpDeps,
  actor: Actor,
  address: string,
  totp: string,
): Promise<readonly string[]> {
  const { comparedSecret, step } = await compare(deps, { kind: "session", actor }, "pendingSecret", totp);
  const args = { comparedSecret, step };
  return await completeActivation(deps, actor, address, ACTIVATE_TOTP, { args, errors: ERRORS });
}

/**
 * Verifies a code, and reseals the secret with the newest key if right. Returns a sudo token in a session, all tokens
 * in a login. Throws `TOTP_INVALID`, `TOTP_UNINITIALIZED`, `TOTP_INACTIVE`, `TOO_MANY_TOTP_CHECKS`, or `UNAVAILABLE`
 * if the sealing key is missing.
 */
export async function proveTotp(
  deps: TotpDeps,
  challenged: Challenged,
  address: string,
  totp: string,
): Promise<ChallengeTokens> {
  const { comparedSecret, secret, step } = await compare(deps, challenged, "sealedSecret", totp);
  const isOutdated = comparedSecret !== null && !deps.secrets.isSealedByNewest(comparedSecret);
  const resealedSecret = secret !== null && step !== null && isOutdated
    ? await deps.secrets.seal(secret, sealContext(challengeArgs(challenged).actorId))
    : null;
  const args = { comparedSecret, step, resealedSecret };
  return await completeChallenge(deps, challenged, address, PROVE_TOTP, { args, errors: ERRORS });
}

interface Comparison {
  /** As it is stored. */
  readonly comparedSecret: string | null;
  /** Opened; base64url. */
  readonly secret: string | null;
  readonly step: number | null;
}

/** Finds the step of a code for the stored secret. The batch decides on it and checks all conditions again. */
async function compare(
  deps: TotpDeps,
  challenged: Challenged,
  which: keyof SecretRow,
  code: string,
): Promise<Comparison> {
  const now = deps.clock();
  const who = challengeArgs(challenged);
  const [row] = await deps.database.read(bind(FIND_TOTP, { ...who, now }));
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  const comparedSecret = row[which];
  if (comparedSecret === null) return { comparedSecret, secret: null, step: null };
  const secret = await openSecret(deps, comparedSecret, who.actorId);
  const bytes = fromBase64Url(secret);
  if (bytes === undefined) throw new TypeError("Cannot compare a code: the stored secret is malformed");
  return { comparedSecret, secret, step: findStep(bytes, code, now) ?? null };
}

/** Opens a secret. Without its key, codes are neither right nor wrong; only the log names the key. */
async function openSecret({ secrets }: TotpDeps, sealed: string, userId: number): Promise<string> {
  try {
    return await secrets.open(sealed, sealContext(userId));
  } catch (error) {
    throw error instanceof MissingKeyError ? new AppError("UNAVAILABLE", { cause: error }) : error;
  }
}

/** Returns the seconds until the next guess is checked; 0 means now. Throws `TOTP_UNINITIALIZED`. */
export async function nextTotpGuess(deps: TotpDeps, challenged: Challenged): Promise<number> {
  const now = deps.clock();
  const args = { ...challengeArgs(challenged), now };
  const [row] = await deps.database.read(bind(FIND_NEXT_TOTP, args));
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  if (row.result !== "ok") throw new AppError("TOTP_UNINITIALIZED");
  return guessWaitLeft(row, now);
}

/** Deactivates the factor. Throws `TOTP_ALREADY_INACTIVE`, `SUDO_TOKEN_REQUIRED`. */
export function deactivateTotp(deps: TotpDeps, actor: SudoActor, address: string): Promise<void> {
  return runDeactivation(deps, actor, address, DEACTIVATE_TOTP, "TOTP_ALREADY_INACTIVE");
}
