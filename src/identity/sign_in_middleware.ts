import type { Context, MiddlewareHandler } from "hono";
import type { ErrorCode } from "../core/errors.ts";
import type { Metrics, SignInOutcome, SignInStep } from "../core/metrics.ts";
import type { AppEnv } from "../http/env.ts";
import { toAppError } from "../http/error_handler.ts";

const OUTCOMES: Readonly<Partial<Record<ErrorCode, SignInOutcome>>> = {
  SECOND_FACTOR_REQUIRED: "second_factor",
  UNAVAILABLE: "unavailable",
  CANNOT_STORE: "unavailable",
  INTERNAL: "failed",
};

/** Counts well-formed requests of one step of a sign-in. A step-up within a session is none. */
export function countSignIns(metrics: Metrics | undefined, step: SignInStep): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    await next();
    // Only operations for a second factor have a challenge.
    if (c.get("challenged")?.kind === "session") return;
    metrics?.add("rolegrid.sign_ins", 1, { "rolegrid.step": step, "rolegrid.outcome": outcomeOf(c) });
  };
}

function outcomeOf({ error }: Context<AppEnv>): SignInOutcome {
  if (error === undefined) return "signed_in";
  const { code } = toAppError(error);
  return OUTCOMES[code] ?? (code.startsWith("TOO_MANY_") ? "throttled" : "refused");
}
