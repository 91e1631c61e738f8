import type { Actor } from "../../core/actor.ts";
import type { Clock } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import type { Database } from "../../db/database.ts";
import { bind, bindNamed, type SqlArgs, type Statement } from "../../db/statement.ts";
import { acrOf } from "../../identity/session_proof.ts";
import { asIfMeeting, HAS_DORMANT, STEP_UP_LEVELS, type StepUpLevel } from "./step_up_queries.ts";

type StepUpDeps = { readonly database: Database; readonly clock: Clock };

/** A statement that refused the actor, and whether rows of it refuse. */
export interface Judgement<R extends object> {
  readonly statement: Statement<never, R>;
  /** The values that it names; others are ignored. */
  readonly args: SqlArgs;
  readonly refuses: (row: R | undefined) => boolean;
  /** The refusal may have come from elsewhere, so that the statement as it is has to refuse, too. */
  readonly isLate?: boolean;
}

/**
 * Returns the error of a refusal: `STEP_UP_REQUIRED` if the actor would not be refused in a session that met more,
 * otherwise `FORBIDDEN`.
 */
export async function refusalOf<R extends object>(
  deps: StepUpDeps,
  actor: Actor,
  judgement: Judgement<R>,
): Promise<AppError> {
  const level = await levelToStepUp(deps, actor, judgement);
  return level === undefined ? new AppError("FORBIDDEN") : stepUpTo(level);
}

/** Returns the lowest level at which a session of the actor would not be refused, or undefined if none is enough. */
export async function levelToStepUp<R extends object>(
  deps: StepUpDeps,
  actor: Actor,
  { statement, args, refuses, isLate = false }: Judgement<R>,
): Promise<StepUpLevel | undefined> {
  const principal = { actorId: actor.userId, sessionId: actor.sessionId, now: deps.clock() };
  const asIs = statement as Statement<SqlArgs, R>;
  const isRefused = async (judging: Statement<SqlArgs, R>): Promise<boolean> => {
    const [row] = await deps.database.read<R>(bindNamed(judging, { ...principal, ...args }));
    return refuses(row);
  };
  return await lowestLevel(deps, actor, async (level) => {
    if (level === STEP_UP_LEVELS[0] && isLate && !await isRefused(asIs)) return "always";
    return await isRefused(asIfMeeting(asIs, level)) ? "refused" : "allowed";
  });
}

/** Whether a session that met a level would be refused; `always`: the level does not matter. */
type Outcome = "allowed" | "refused" | "always";

/** Returns the lowest level at which the actor is allowed. Judges only for users with a dormant membership. */
export async function lowestLevel(
  { database, clock }: StepUpDeps,
  { userId: actorId, sessionId }: Actor,
  judge: (level: StepUpLevel) => Promise<Outcome>,
): Promise<StepUpLevel | undefined> {
  if (actorId < 0) return undefined;
  const dormant = await database.read(bind(HAS_DORMANT, { actorId, sessionId, now: clock() }));
  if (dormant.length === 0) return undefined;
  for (const level of STEP_UP_LEVELS) {
    const outcome = await judge(level);
    if (outcome === "allowed") return level;
    if (outcome === "always") return undefined;
  }
  return undefined;
}

/** Returns the error that asks for a session which meets the level. */
export function stepUpTo(level: StepUpLevel): AppError {
  return new AppError("STEP_UP_REQUIRED", { acr: acrOf(level) });
}
