import type { Context, MiddlewareHandler } from "hono";
import type { Actor } from "../core/actor.ts";
import { SECOND_MS } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import { type Consistency, consistencyScope } from "../db/consistency.ts";
import type { AppEnv } from "../http/env.ts";
import { readMaxAge } from "../http/request_max_age.ts";
import { setActor } from "./guards.ts";
import type { ReadAges } from "./read_ages.ts";
import type { AccessTokens } from "./token/access_token.ts";

const AT_LEAST = "X-Rolegrid-At-Least";
const REVISION = "X-Rolegrid-Revision";

/** The guards of the operations under /v1: they require an access token, and see to how fresh the data is. */
export interface GraphGuards {
  /** For operations that only read. The request may allow data of some age. */
  readonly read: MiddlewareHandler<AppEnv>;
  /** For operations that change something. */
  readonly change: MiddlewareHandler<AppEnv>;
}

export interface GraphGuardDeps {
  readonly accessTokens: AccessTokens;
  readonly readAges: ReadAges;
}

/** See `GraphGuards`. Both set `actor` like `requireAccessToken`, and the response headers that `operation` describes. */
export function createGraphGuards({ accessTokens, readAges }: GraphGuardDeps): GraphGuards {
  return {
    async read(c, next): Promise<void> {
      const { sessionId } = await setActor(c, accessTokens);
      const atLeast = readAtLeast(c);
      const seconds = readMaxAge(c.req.header("Cache-Control"));
      const scope: Consistency = seconds === undefined
        ? { maxAgeMs: 0, atLeast: undefined }
        : { maxAgeMs: readAges.limitMs(sessionId, seconds), atLeast };
      await consistencyScope.run(scope, next);
      setHeaders(c, scope);
      // Pages that are read while the response is being sent are fresh, since the headers do not cover them.
      scope.maxAgeMs = 0;
    },
    async change(c, next): Promise<void> {
      const { sessionId } = await setActor(c, accessTokens);
      const scope: Consistency = { maxAgeMs: 0, atLeast: undefined };
      await consistencyScope.run(scope, next);
      readAges.noteWrite(sessionId);
      setHeaders(c, scope);
    },
  };
}

/** Notes the writes of sessions to accounts, so that what they read later under /v1 is not from before. */
export function noteOwnWrites(readAges: ReadAges): MiddlewareHandler<AppEnv> {
  return async function noteOwnWrite(c, next) {
    await next();
    // Either guard may have run, or none.
    const actor: Actor | undefined = c.get("actor") ?? c.get("sudoActor");
    if (actor !== undefined && c.req.method !== "GET") readAges.noteWrite(actor.sessionId);
  };
}

/** Throws `MALFORMED_REQUEST`. */
function readAtLeast(c: Context<AppEnv>): number | undefined {
  const text = c.req.header(AT_LEAST);
  if (text === undefined) return undefined;
  if (/^[0-9]+$/.test(text)) return Number(text);
  const details = [{ path: `header.${AT_LEAST}`, message: "Expected a revision: a whole number from 0" }];
  throw new AppError("MALFORMED_REQUEST", { details });
}

function setHeaders(c: Context<AppEnv>, { revision, ageMs }: Consistency): void {
  if (revision !== undefined) c.res.headers.set(REVISION, String(revision));
  // Rounded up, so that nothing is older than the header says.
  if (ageMs !== undefined) c.res.headers.set("Age", String(Math.ceil(ageMs / SECOND_MS)));
}
