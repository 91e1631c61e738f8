import type { Actor, SudoActor } from "../core/actor.ts";
import { type Clock, SECOND_MS } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { Database } from "../db/database.ts";
import { pickNamed, type SqlArgs, type Statement } from "../db/statement.ts";
import { writeOnce } from "../db/write_once.ts";
import { NOTICE_LIFE_SECONDS } from "../mail/outbox.ts";
import { FAIL_ATTEMPT, REFUSE_REPEATED_EVENT, REFUSE_REPEATED_VERDICT } from "./security_queries.ts";
import type { SecurityResult } from "./security_result.ts";

/** The last row of a security batch. None if the token is void, or the session is over. */
export interface ResultRow {
  readonly result: SecurityResult;
}

interface SecurityDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/**
 * Runs a batch that begins with the security event of `:opId`, in one round trip and at most once, even if the
 * response is lost. Returns its last row.
 */
export function writeEvent<T extends object>(
  database: Database,
  batch: readonly Statement[],
  args: SqlArgs,
): Promise<T | undefined> {
  return writeOnce<T>(database, { guard: REFUSE_REPEATED_EVENT, batch, args });
}

/** The same for a batch that decides the `started` attempt `:opId` of an earlier batch. */
export function writeVerdict<T extends object>(
  database: Database,
  batch: readonly Statement[],
  args: SqlArgs,
): Promise<T | undefined> {
  return writeOnce<T>(database, { guard: REFUSE_REPEATED_VERDICT, batch, args });
}

/** Closes the `started` attempt `opId`, whose password did not match. Its counters stay as they are. */
export async function failAttempt(
  database: Database,
  opId: string,
  { isUnreadable }: { readonly isUnreadable: boolean },
): Promise<void> {
  const result: SecurityResult = isUnreadable ? "unreadable" : "wrong";
  await writeOnce(database, { batch: [FAIL_ATTEMPT], args: { opId, result } });
}

/**
 * Runs the batch of a security operation in one round trip and returns its last row. Binds these parameters if the
 * batch names them: `:opId` (new), `:now`, `:actorId`, `:sessionId`, `:sudoVersion`, `:address`, `:mailExpiresAt`.
 * Throws `TOKEN_INVALID` without a row, `SUDO_TOKEN_REQUIRED` without proof.
 */
export function runSecurityBatch<T extends ResultRow>(
  deps: SecurityDeps,
  actor: Actor | SudoActor,
  address: string,
  batch: readonly Statement[],
  args: SqlArgs = {},
): Promise<T> {
  return runForActor<T>(deps, writeEvent, batch, { ...actorArgs(deps, actor, address, batch), ...args });
}

/** The same for an operation's second batch, which decides the attempt `args.opId`. */
export function confirmSecurityBatch<T extends ResultRow>(
  deps: SecurityDeps,
  actor: Actor | SudoActor,
  address: string,
  batch: readonly Statement[],
  args: SqlArgs & { readonly opId: string },
): Promise<T> {
  return runForActor<T>(deps, writeVerdict, batch, { ...actorArgs(deps, actor, address, batch), ...args });
}

function actorArgs(
  { clock }: SecurityDeps,
  actor: Actor | SudoActor,
  address: string,
  batch: readonly Statement[],
): SqlArgs {
  const now = clock();
  return pickNamed(batch, {
    opId: crypto.randomUUID(),
    now,
    actorId: actor.userId,
    sessionId: actor.sessionId,
    sudoVersion: "sudoVersion" in actor ? actor.sudoVersion : null,
    address,
    mailExpiresAt: now + NOTICE_LIFE_SECONDS * SECOND_MS,
  });
}

async function runForActor<T extends ResultRow>(
  { database }: SecurityDeps,
  write: typeof writeEvent,
  batch: readonly Statement[],
  args: SqlArgs,
): Promise<T> {
  const row = await write<T>(database, batch, args);
  if (row === undefined || row.result === "void") throw new AppError("TOKEN_INVALID");
  if (row.result === "proof_required") throw new AppError("SUDO_TOKEN_REQUIRED");
  return row;
}
