import type { Context, MiddlewareHandler } from "hono";
import { type Actor, keyOfPrincipal, principalOfKey } from "../core/actor.ts";
import { SECOND_MS } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { Secrets } from "../core/secrets.ts";
import { type Consistency, consistencyScope } from "../db/consistency.ts";
import type { AppEnv } from "../http/env.ts";
import { asTokenGuard } from "../http/guard_order.ts";
import { readMaxAge } from "../http/request_max_age.ts";
import type { CallerDeps } from "./caller_life.ts";
import { identify, passGuardsOf, readBearerToken, setActor, withSudoHeader } from "./guards.ts";
import type { KeyUses } from "./key_uses.ts";
import type { ReadAges } from "./read_ages.ts";
import type { AccessTokens } from "./token/access_token.ts";
import type { SudoTokens } from "./token/sudo_token.ts";
import { claimsToBeRoleKey, rememberRoleKeys } from "./token/role_key.ts";

const AT_LEAST = "X-Rolegrid-At-Least";
const REVISION = "X-Rolegrid-Revision";

/**
 * The guards of the operations about the graph: they require an access token or the key of a role, and see to how fresh
 * the data is.
 */
export interface GraphGuards {
  /** For operations that only read. The request may allow data of some age. */
  readonly read: MiddlewareHandler<AppEnv>;
  /** For operations that change something. */
  readonly change: MiddlewareHandler<AppEnv>;
  /**
   * Follows `change` where the result outlasts the session. Sets `sudoActor`. The operation's own batch
   * (`LACKS_LASTING_PROOF`) compares its sudo token with the account.
   */
  readonly proof: MiddlewareHandler<AppEnv>;
}

export interface GraphGuardDeps extends CallerDeps {
  readonly accessTokens: AccessTokens;
  readonly sudoTokens: SudoTokens;
  readonly secrets: Secrets;
  readonly readAges: ReadAges;
  readonly keyUses: KeyUses;
  readonly payers: Payers;
}

/** Finds the payers of keys. */
export interface Payers {
  /** The payer of a key (`Actor.payer`), or undefined if there is no such key. Throws the errors of a read. */
  ofKey(keyId: number): Promise<string | undefined>;
}

/**
 * See `GraphGuards`. Both set `actor`, whose session or key the operation's own statement asks for, and the response
 * headers that `operation` describes.
 */
export function createGraphGuards(deps: GraphGuardDeps): GraphGuards {
  const { accessTokens, sudoTokens, secrets, readAges, keyUses, payers } = deps;
  const readRoleKey = rememberRoleKeys(secrets);

  async function passCaller(c: Context<AppEnv>): Promise<Actor> {
    const actor = await setCaller(c);
    await passGuardsOf(c, deps, actor);
    return actor;
  }

  async function setCaller(c: Context<AppEnv>): Promise<Actor> {
    const token = readBearerToken(c);
    if (!claimsToBeRoleKey(token)) return await setActor(c, accessTokens);
    const key = await readRoleKey(token);
    const payer = key && await payers.ofKey(key.keyId);
    // A deleted key would only be refused later.
    if (key === undefined || payer === undefined) throw new AppError("TOKEN_INVALID");
    return identify(c, { userId: principalOfKey(key.keyId), sessionId: key.mac, payer });
  }

  function noteUse(c: Context<AppEnv>): void {
    const keyId = keyOfPrincipal(c.get("actor").userId);
    if (keyId !== undefined && c.res.status !== 401) keyUses.note(keyId);
  }

  return {
    read: asTokenGuard("access or key", async function guardRead(c, next): Promise<void> {
      const { sessionId } = await passCaller(c);
      const atLeast = readAtLeast(c);
      const seconds = readMaxAge(c.req.header("Cache-Control"));
      const scope: Consistency = seconds === undefined
        ? { maxAgeMs: 0, atLeast: undefined }
        : { maxAgeMs: readAges.limitMs(sessionId, seconds), atLeast };
      await consistencyScope.run(scope, next);
      setHeaders(c, scope);
      noteUse(c);
      // Pages that are read while the response is being sent are fresh, since the headers do not cover them.
      scope.maxAgeMs = 0;
    }),
    change: asTokenGuard("access or key", async function guardChange(c, next): Promise<void> {
      const { sessionId } = await passCaller(c);
      const scope: Consistency = { maxAgeMs: 0, atLeast: undefined };
      await consistencyScope.run(scope, next);
      readAges.noteWrite(sessionId);
      setHeaders(c, scope);
      noteUse(c);
    }),
    async proof(c, next): Promise<void> {
      c.set("sudoActor", await withSudoHeader(c, sudoTokens));
      await next();
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
