import type { Actor, SudoActor } from "../core/actor.ts";
import { type Clock, SECOND_MS } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import { lastRow } from "../db/rows.ts";
import type { Database } from "../db/database.ts";
import { bindBatch, pickNamed, type SqlArgs, type Statement } from "../db/statement.ts";
import { NOTICE_LIFE_SECONDS } from "../mail/outbox.ts";

/** The row that a security batch ends in. No row: the token or the session is over. */
export interface ResultRow {
  readonly result: string;
}

interface SecurityDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/**
 * Runs the batch of one security operation as one round trip, with the actor, his address, the time and a fresh
 * operation id, and answers its last row. Throws `TOKEN_INVALID` if there is none, `SUDO_TOKEN_REQUIRED` where proof is
 * missing. `batch` may name any of: opId, now, actorId, sessionId, sudoVersion, address, mailExpiresAt.
 */
export async function runSecurityBatch<T extends ResultRow>(
  deps: SecurityDeps,
  actor: Actor | SudoActor,
  address: string,
  batch: readonly Statement[],
  args: SqlArgs = {},
): Promise<T> {
  const now = deps.clock();
  const common: SqlArgs = {
    opId: crypto.randomUUID(),
    now,
    actorId: actor.userId,
    sessionId: actor.sessionId,
    sudoVersion: "sudoVersion" in actor ? actor.sudoVersion : null,
    address,
    mailExpiresAt: now + NOTICE_LIFE_SECONDS * SECOND_MS,
  };
  const results = await deps.database.write(bindBatch(batch, { ...pickNamed(batch, common), ...args }));
  const row = lastRow<T>(results);
  if (row === undefined || row.result === "void") throw new AppError("TOKEN_INVALID");
  if (row.result === "proof_required") throw new AppError("SUDO_TOKEN_REQUIRED");
  return row;
}
