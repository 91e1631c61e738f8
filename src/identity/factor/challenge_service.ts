import type { Challenged } from "../../core/actor.ts";
import { SECOND_MS } from "../../core/clock.ts";
import { randomToken } from "../../core/encoding.ts";
import { AppError, type ErrorCode } from "../../core/errors.ts";
import { pickNamed, type SqlArgs, type Statement } from "../../db/statement.ts";
import { addressBucket } from "../../http/client_address.ts";
import { NOTICE_LIFE_SECONDS } from "../../mail/outbox.ts";
import { GUESS_LOCK_FAILURES, GUESS_LOCK_SECONDS } from "../../throttle/limits.ts";
import type { IdentityDeps } from "../deps.ts";
import { generateFamily, hashFamily, makeRefreshToken } from "../token/refresh_token.ts";
import type { SecurityResult } from "../security_result.ts";
import type { Meets } from "../session_proof.ts";
import { type ResultRow, writeEvent, writeVerdict } from "../security_service.ts";

const SESSION_ID_BYTES = 16;

/** The tokens for a proven second factor: a sudo token in a session, all three in a login. */
export type ChallengeTokens =
  | { readonly sudoToken: string }
  | { readonly accessToken: string; readonly refreshToken: string; readonly sudoToken: string };

/** The last row of a guess's batch. None if the token is void, or the session or login is over. */
export interface GuessRow extends ResultRow {
  readonly securityVersion: number;
  /** Time of the login's password check; null in a session. */
  readonly authenticatedAt: number | null;
  readonly failures: number | null;
  readonly nextGuessAt: number | null;
  /** What the session that completes a login has proved; null in a session. */
  readonly methods?: number | null;
  readonly meets?: Meets | null;
}

/** The errors of a factor by result. All factors treat `waiting` and missing entries alike. */
export interface GuessErrors {
  readonly tooMany: ErrorCode;
  readonly byResult: Readonly<Partial<Record<SecurityResult, ErrorCode>>>;
}

/**
 * Runs the batch of a guess and returns the tokens for a correct code. With `args.opId`, decides the recorded guess
 * of that id. Throws the factor's errors: `tooMany` with the seconds to wait, `TOKEN_INVALID` if the token is void or
 * the session or login is over.
 */
export async function completeChallenge(
  deps: IdentityDeps,
  challenged: Challenged,
  address: string,
  batch: readonly Statement[],
  { args, errors }: { args: SqlArgs; errors: GuessErrors },
): Promise<ChallengeTokens> {
  const family = generateFamily();
  const newSessionId = randomToken(SESSION_ID_BYTES);
  const now = deps.clock();
  const common: SqlArgs = {
    ...challengeArgs(challenged),
    opId: crypto.randomUUID(),
    now,
    address,
    addressBucket: addressBucket(address),
    newSessionId,
    familyHash: await hashFamily(family),
    mailExpiresAt: now + NOTICE_LIFE_SECONDS * SECOND_MS,
  };
  // With an operation id, the batch decides a recorded attempt.
  const write = args["opId"] === undefined ? writeEvent : writeVerdict;
  const row = await write<GuessRow>(deps.database, batch, { ...pickNamed(batch, common), ...args });
  requireRight(row, now, errors);
  if (challenged.kind === "session") return { sudoToken: await signSudo(deps, challenged.actor, row) };
  const actor = { userId: challenged.userId, sessionId: newSessionId };
  const [accessToken, refreshToken, sudoToken] = await Promise.all([
    deps.accessTokens.sign({
      ...actor,
      authenticatedAtMs: row.authenticatedAt ?? now,
      assuranceLevel: 2,
      methods: row.methods ?? undefined,
      meets: row.meets ?? undefined,
    }),
    makeRefreshToken(deps.secrets, family, 1),
    signSudo(deps, actor, row),
  ]);
  return { accessToken, refreshToken, sudoToken };
}

/** Returns the arguments of `CHALLENGED`. */
export function challengeArgs(
  challenged: Challenged,
): { actorId: number; sessionId: string | null; partialLoginId: string | null } {
  if (challenged.kind === "partial") {
    return { actorId: challenged.userId, sessionId: null, partialLoginId: challenged.partialLoginId };
  }
  const { userId, sessionId } = challenged.actor;
  return { actorId: userId, sessionId, partialLoginId: null };
}

/** Throws the error of a guess, unless it was correct. */
export function requireRight(
  row: GuessRow | undefined,
  now: number,
  errors: GuessErrors,
): asserts row is GuessRow {
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  if (row.result === "ok") return;
  if (row.result === "waiting") {
    throw new AppError(errors.tooMany, { retryAfterSeconds: guessWaitLeft(row, now) });
  }
  throw new AppError(errors.byResult[row.result] ?? "INTERNAL", { cause: new Error(row.result) });
}

/** Returns the seconds until the factor's next guess is checked; 0 means now. */
export function guessWaitLeft(
  { failures, nextGuessAt }: Pick<GuessRow, "failures" | "nextGuessAt">,
  now: number,
): number {
  if ((failures ?? 0) >= GUESS_LOCK_FAILURES) return GUESS_LOCK_SECONDS;
  return Math.max(0, Math.ceil(((nextGuessAt ?? 0) - now) / SECOND_MS));
}

function signSudo(
  deps: IdentityDeps,
  actor: { userId: number; sessionId: string },
  row: GuessRow,
): Promise<string> {
  return deps.sudoTokens.sign({ ...actor, securityVersion: row.securityVersion });
}
