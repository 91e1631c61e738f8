import type { Actor, Challenged, SudoActor } from "../../core/actor.ts";
import { SECOND_MS } from "../../core/clock.ts";
import { AppError, type ErrorCode } from "../../core/errors.ts";
import { bind, pickNamed, type SqlArgs, type Statement } from "../../db/statement.ts";
import { NOTICE_LIFE_SECONDS } from "../../mail/outbox.ts";
import { challengeArgs, type GuessErrors, type GuessRow, requireRight } from "./challenge_service.ts";
import type { IdentityDeps } from "../deps.ts";
import { makeFactorLink } from "./confirmation_service.ts";
import { type FactorRow, LIST_FACTORS, NEEDS_CODES } from "./factor_queries.ts";
import { FACTORS, MAIN_FACTORS } from "../factors.ts";
import { makeRecoverySet, type RecoverySet } from "./recovery_set.ts";
import { runSecurityBatch, writeEvent } from "../security_service.ts";

/** The active factors, as their owner sees them. Times are ISO 8601. */
export interface ListedFactors {
  readonly enabled: boolean;
  readonly passkey?: { readonly completedAt: string };
  readonly emailOtp?: { readonly email: string; readonly completedAt: string };
  readonly totp?: { readonly completedAt: string; readonly confirmed: boolean };
  readonly recoveryCodes?: { readonly completedAt: string; readonly remaining: number };
}

/** Reads the active factors. During a login the address is masked. Throws `TOKEN_INVALID`. */
export async function listFactors(deps: IdentityDeps, challenged: Challenged): Promise<ListedFactors> {
  const args = { ...challengeArgs(challenged), now: deps.clock() };
  const rows = await deps.database.read(bind(LIST_FACTORS, args));
  if (rows.length === 0) throw new AppError("TOKEN_INVALID");
  const byKind = new Map(rows.map((row) => [row.kind, row]));
  const passkey = byKind.get("passkey");
  const emailOtp = byKind.get("email_otp");
  const totp = byKind.get("totp");
  const codes = byKind.get("recovery_code");
  const show = challenged.kind === "partial" ? maskEmail : (email: string): string => email;
  return {
    enabled: MAIN_FACTORS.some((kind) => byKind.has(kind)),
    ...(passkey && { passkey: completed(passkey) }),
    ...(emailOtp && { emailOtp: { email: show(emailOtp.email ?? ""), ...completed(emailOtp) } }),
    ...(totp && { totp: { ...completed(totp), confirmed: totp.meets === FACTORS.totp.meets } }),
    ...(codes && { recoveryCodes: { ...completed(codes), remaining: codes.remaining } }),
  };
}

function completed({ activatedAt }: FactorRow): { completedAt: string } {
  return { completedAt: new Date(activatedAt).toISOString() };
}

/** Keeps the first character and the domain, enough for the owner to recognize. */
function maskEmail(email: string): string {
  const [localPart = "", domain = ""] = email.split("@");
  const [first = ""] = localPart;
  return `${first}***@${domain}`;
}

interface ActivationRow extends GuessRow {
  readonly codesMade: number;
}

/**
 * Runs the batch of an activation, and again if it needs the user's first recovery codes, which are only hashed for a
 * correct code. Returns those codes, or none if the user has a set. Throws the factor's errors.
 */
export async function completeActivation(
  deps: IdentityDeps,
  actor: Actor,
  address: string,
  batch: readonly Statement[],
  { args, errors }: { args: SqlArgs; errors: GuessErrors },
): Promise<readonly string[]> {
  const link = await makeFactorLink(deps);
  const run = async (set?: RecoverySet): Promise<ActivationRow | undefined> => {
    const now = deps.clock();
    const common: SqlArgs = {
      ...challengeArgs({ kind: "session", actor }),
      opId: crypto.randomUUID(),
      now,
      address,
      mailExpiresAt: now + NOTICE_LIFE_SECONDS * SECOND_MS,
      recoveryHashes: set === undefined ? null : JSON.stringify(set.hashes),
    };
    const named = { ...pickNamed(batch, { ...common, ...link }), ...args };
    return await writeEvent<ActivationRow>(deps.database, batch, named);
  };
  const row = await run();
  if (row?.result !== NEEDS_CODES) {
    requireRight(row, deps.clock(), errors);
    return [];
  }
  const set = await makeRecoverySet(deps.passwords);
  const second = await run(set);
  requireRight(second, deps.clock(), errors);
  return second?.codesMade ? set.codes : [];
}

/**
 * Runs the batch of a deactivation. Throws the error `inactive` if the factor is not active, or
 * `SUDO_TOKEN_REQUIRED`.
 */
export async function runDeactivation(
  deps: IdentityDeps,
  actor: SudoActor,
  address: string,
  batch: readonly Statement[],
  inactive: ErrorCode,
): Promise<void> {
  const { result } = await runSecurityBatch(deps, actor, address, batch);
  if (result !== "ok") throw new AppError(inactive);
}
