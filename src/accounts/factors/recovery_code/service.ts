import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import type { Challenged, SudoActor } from "../../../core/actor.ts";
import { readCrockford } from "../../../core/codes.ts";
import { AppError } from "../../../core/errors.ts";
import { bind } from "../../../db/statement.ts";
import { writeOnce } from "../../../db/write_once.ts";
import {
  challengeArgs,
  type ChallengeTokens,
  completeChallenge,
  type GuessErrors,
  type GuessRow,
  guessWaitLeft,
  requireRight,
} from "../../../identity/factor/challenge_service.ts";
import type { IdentityDeps } from "../../../identity/deps.ts";
import { NEEDS_CODES } from "../../../identity/factor/factor_queries.ts";
import { makeRecoverySet } from "../../../identity/factor/recovery_set.ts";
import { runSecurityBatch, writeEvent } from "../../../identity/security_service.ts";
import {
  ABANDON_RECOVERY,
  BEGIN_RECOVERY,
  FIND_NEXT_RECOVERY,
  PROVE_RECOVERY,
  RESET_RECOVERY,
} from "./queries.ts";

const ERRORS: GuessErrors = {
  tooMany: "TOO_MANY_RECOVERY_CODE_CHECKS",
  byResult: {
    wrong: "RECOVERY_CODE_INVALID",
    uninitialized: "RECOVERY_CODES_UNINITIALIZED",
    over: "TOKEN_INVALID",
  },
};

/**
 * Verifies a recovery code, in two round trips. Returns a sudo token in a session, all tokens in a login. Throws
 * `RECOVERY_CODE_INVALID`, `RECOVERY_CODES_UNINITIALIZED`, `TOO_MANY_RECOVERY_CODE_CHECKS` without a check, or
 * `UNAVAILABLE`.
 */
export async function proveRecoveryCode(
  deps: IdentityDeps,
  challenged: Challenged,
  address: string,
  submitted: string,
): Promise<ChallengeTokens> {
  const opId = crypto.randomUUID();
  const hashes = await beginGuess(deps, challenged, address, opId);
  const matchedHash = await findHash(deps, opId, hashes, readCrockford(submitted));
  return await completeChallenge(deps, challenged, address, PROVE_RECOVERY, {
    args: { opId, matchedHash },
    errors: ERRORS,
  });
}

async function beginGuess(
  deps: IdentityDeps,
  challenged: Challenged,
  address: string,
  opId: string,
): Promise<readonly string[]> {
  const now = deps.clock();
  const args = { ...challengeArgs(challenged), opId, now, address };
  const row = await writeEvent<GuessRow & { hashes: string }>(deps.database, BEGIN_RECOVERY, args);
  if (row?.result !== "started") requireRight(row, now, ERRORS);
  return JSON.parse(row?.hashes ?? "[]");
}

/** Hashes the guess once and compares it with the whole set, so that timing reveals nothing. */
async function findHash(
  deps: IdentityDeps,
  opId: string,
  hashes: readonly string[],
  code: string,
): Promise<string | null> {
  try {
    const guess = await deps.passwords.hashLike(code, hashes[0] ?? "");
    let found: string | null = null;
    for (const hash of hashes) found = isEqual(hash, guess) ? hash : found;
    return found;
  } catch (error) {
    await writeOnce(deps.database, { batch: ABANDON_RECOVERY, args: { opId } });
    throw error;
  }
}

function isEqual(stored: string, guess: string): boolean {
  const [a, b] = [Buffer.from(stored), Buffer.from(guess)];
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}

/** Returns the seconds until the next guess is checked; 0 means now. Throws `RECOVERY_CODES_UNINITIALIZED`. */
export async function nextRecoveryGuess(deps: IdentityDeps, challenged: Challenged): Promise<number> {
  const now = deps.clock();
  const args = { ...challengeArgs(challenged), now };
  const [row] = await deps.database.read(bind(FIND_NEXT_RECOVERY, args));
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  if (row.result !== "ok") throw new AppError("RECOVERY_CODES_UNINITIALIZED");
  return guessWaitLeft(row, now);
}

/**
 * Replaces the set of recovery codes and returns the new one. Throws `SECOND_FACTOR_DISABLED`, `SUDO_TOKEN_REQUIRED`.
 * Takes two round trips, so that nothing is hashed before authorization.
 */
export async function resetRecoveryCodes(
  deps: IdentityDeps,
  actor: SudoActor,
  address: string,
): Promise<readonly string[]> {
  const asked = await runSecurityBatch(deps, actor, address, RESET_RECOVERY, { recoveryHashes: null });
  if (asked.result !== NEEDS_CODES) throw new AppError("SECOND_FACTOR_DISABLED");
  const set = await makeRecoverySet(deps.passwords);
  const recoveryHashes = JSON.stringify(set.hashes);
  const { result } = await runSecurityBatch(deps, actor, address, RESET_RECOVERY, { recoveryHashes });
  if (result !== "ok") throw new AppError("SECOND_FACTOR_DISABLED");
  return set.codes;
}
