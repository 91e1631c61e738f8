import { countToPrincipal } from "../core/request_scope.ts";
import { SECOND_MS } from "../core/clock.ts";
import { normalizeEmail } from "../core/email.ts";
import { randomToken } from "../core/encoding.ts";
import { AppError } from "../core/errors.ts";
import { pickNamed } from "../db/statement.ts";
import { writeOnce } from "../db/write_once.ts";
import type { LoginMethod } from "../http/openapi/error_responses.ts";
import { type ThrottleKeys, throttleKeys } from "../throttle/networks.ts";
import { countIfKnown } from "./count_if_known.ts";
import { FACTOR_KINDS, type FactorKind, FACTORS } from "./factors.ts";
import type { Client, IdentityDeps, PasswordVerdict } from "./deps.ts";
import { ABANDON_LOGIN, BEGIN_LOGIN, COMPLETE_LOGIN } from "./login_queries.ts";
import { generateFamily, hashFamily, makeRefreshToken } from "./token/refresh_token.ts";
import { failAttempt, type ResultRow, writeEvent, writeVerdict } from "./security_service.ts";

const SESSION_ID_BYTES = 16;

interface AttemptRow {
  readonly started: number;
  readonly userId: number | null;
  readonly passwordHash: string | null;
  /** 1 if the account knows the client's address; otherwise the attempt counts as a stranger's. */
  readonly known: number;
  readonly nextAt: number;
}

/** The operation id of an attempt, and the keys of its counters. */
interface Attempt extends ThrottleKeys {
  readonly opId: string;
  /** Normalized. */
  readonly email: string;
}

/** A recorded attempt. */
interface RecordedAttempt extends Attempt {
  readonly known: number;
}

export interface LoginInput {
  readonly username: string;
  readonly password: string;
}

/**
 * Logs a user in and returns the session's first refresh token, in three round trips. Throws `PASSWORD_INCORRECT` (also
 * for an unknown user, after the same work), `SECOND_FACTOR_REQUIRED` with a partial token,
 * `TOO_MANY_FAILED_PASSWORD_CHECKS` with the seconds to wait, without a check, or `UNAVAILABLE`.
 */
export async function logIn(deps: IdentityDeps, client: Client, input: LoginInput): Promise<string> {
  const email = normalizeEmail(input.username);
  const keys = await throttleKeys(deps.secrets, email, client.address);
  const attempt = { opId: crypto.randomUUID(), email, ...keys };
  const { userId, passwordHash, known } = await beginLogin(deps, attempt, {
    client,
    password: input.password,
  });
  const recorded = { ...attempt, known };
  const verdict = await verifyPassword(deps, recorded, input.password, passwordHash);
  if (userId === null || passwordHash === null || !verdict.ok) {
    await failAttempt(deps.database, attempt.opId, verdict);
    throw new AppError("PASSWORD_INCORRECT");
  }
  // Strangers with wrong passwords do not hold up the rest.
  countToPrincipal(userId);
  const freshHash = verdict.needsRehash ? await rehash(deps, input.password) : null;
  const compared = { userId, comparedHash: passwordHash, freshHash };
  const refreshToken = await completeLogin(deps, recorded, client, compared);
  if (refreshToken !== undefined) return refreshToken;
  // The hash was replaced during the comparison: by another login of this user, or with a new password.
  if (verdict.needsRehash) return await logIn(deps, client, input);
  throw new AppError("PASSWORD_INCORRECT");
}

async function beginLogin(
  deps: IdentityDeps,
  attempt: Attempt,
  { client, password }: { readonly client: Client; readonly password: string },
): Promise<AttemptRow> {
  const now = deps.clock();
  const args = { ...attempt, now, address: client.address };
  await countIfKnown(deps, attempt);
  deps.passwords.requireRoom(password);
  const row = await writeEvent<AttemptRow>(deps.database, BEGIN_LOGIN, args) as AttemptRow;
  if (row.started) return row;
  throw new AppError("TOO_MANY_FAILED_PASSWORD_CHECKS", {
    retryAfterSeconds: (row.nextAt - now) / SECOND_MS,
  });
}

/** Verifies a password, with the same work whether or not there is an account or a hash. */
async function verifyPassword(
  deps: IdentityDeps,
  attempt: RecordedAttempt,
  password: string,
  passwordHash: string | null,
): Promise<PasswordVerdict> {
  try {
    return passwordHash === null
      ? await deps.passwords.verifyDummy(password)
      : await deps.passwords.verify(password, passwordHash);
  } catch (error) {
    const args = pickNamed(ABANDON_LOGIN, { ...attempt, now: deps.clock() });
    await writeOnce(deps.database, { batch: ABANDON_LOGIN, args });
    throw error;
  }
}

/** Returns a hash with the current parameters, or null if the hasher is overloaded; the next login tries again. */
async function rehash(deps: IdentityDeps, password: string): Promise<string | null> {
  try {
    return await deps.passwords.hash(password);
  } catch (error) {
    if (error instanceof AppError && error.code === "UNAVAILABLE") return null;
    throw error;
  }
}

interface ComparedPassword {
  readonly userId: number;
  readonly comparedHash: string;
  /** Replaces a stored hash with outdated parameters; null if they are current. */
  readonly freshHash: string | null;
}

/** Returns undefined if the compared hash is no longer the stored one. */
async function completeLogin(
  deps: IdentityDeps,
  attempt: RecordedAttempt,
  client: Client,
  compared: ComparedPassword,
): Promise<string | undefined> {
  const family = generateFamily();
  const id = randomToken(SESSION_ID_BYTES);
  const [familyHash, refreshToken] = await Promise.all([
    hashFamily(family),
    makeRefreshToken(deps.secrets, family, 1),
  ]);
  const args = pickNamed(COMPLETE_LOGIN, {
    ...attempt,
    ...compared,
    familyHash,
    now: deps.clock(),
    sessionId: id,
    client: client.name,
  });
  const row = await writeVerdict<CompletedRow>(deps.database, COMPLETE_LOGIN, args);
  if (row?.result === "second_factor") {
    throw await askForSecondFactor(deps, compared.userId, id, JSON.parse(row.methods));
  }
  return row?.result === "ok" ? refreshToken : undefined;
}

interface CompletedRow extends ResultRow {
  /** JSON list of kinds. */
  readonly methods: string;
}

async function askForSecondFactor(
  deps: IdentityDeps,
  userId: number,
  partialLoginId: string,
  kinds: readonly FactorKind[],
): Promise<AppError> {
  const partialAuthToken = await deps.partialTokens.sign({ userId, partialLoginId });
  const methods: readonly LoginMethod[] = FACTOR_KINDS.filter((kind) => kinds.includes(kind))
    .map((kind) => FACTORS[kind].name);
  return new AppError("SECOND_FACTOR_REQUIRED", { extra: { partialAuthToken, methods } });
}
