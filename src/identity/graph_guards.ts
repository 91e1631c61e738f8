import type { Context, MiddlewareHandler } from "hono";
import { type Actor, keyOfPrincipal, principalOfKey } from "../core/actor.ts";
import { currentRequest } from "../core/request_scope.ts";
import { AppError } from "../core/errors.ts";
import type { Secrets } from "../core/secrets.ts";
import type { AppEnv } from "../http/env.ts";
import { asTokenGuard } from "../http/guard_order.ts";
import type { CallerDeps } from "./caller_life.ts";
import {
  identify,
  passGuardsOf,
  readBearerToken,
  readInfluxToken,
  setActor,
  withSudoHeader,
} from "./guards.ts";
import type { KeyUses } from "./key_uses.ts";
import type { AccessTokens } from "./token/access_token.ts";
import type { SudoTokens } from "./token/sudo_token.ts";
import { claimsToBeRoleKey, rememberRoleKeys } from "./token/role_key.ts";

const REVISION = "X-Rolegrid-Revision";

/** The guards of operations on the graph. */
export interface GraphGuards {
  /** Requires an access token or the key of a role. */
  readonly caller: MiddlewareHandler<AppEnv>;
  /** The same, in all places where clients of InfluxDB put it (`readInfluxToken`). */
  readonly influxCaller: MiddlewareHandler<AppEnv>;
  /**
   * Follows `caller` if the result outlasts the session. Sets `sudoActor`; the operation's batch compares its sudo
   * token with the account (`LACKS_LASTING_PROOF`).
   */
  readonly proof: MiddlewareHandler<AppEnv>;
}

export interface GraphGuardDeps extends CallerDeps {
  readonly accessTokens: AccessTokens;
  readonly sudoTokens: SudoTokens;
  readonly secrets: Secrets;
  readonly keyUses: KeyUses;
  /** See `RoleDeps`. */
  readonly refuseQuerySecrets: boolean;
}

/**
 * Creates the guards. `caller` sets `actor` and the revision header; the operation's own statement checks the session
 * or key.
 */
export function createGraphGuards(deps: GraphGuardDeps): GraphGuards {
  const { accessTokens, sudoTokens, secrets, keyUses } = deps;
  const readRoleKey = rememberRoleKeys(secrets);

  async function setCaller(c: Context<AppEnv>, token: string): Promise<Actor> {
    if (!claimsToBeRoleKey(token)) return await setActor(c, accessTokens, token);
    const key = await readRoleKey(token);
    if (key === undefined) throw new AppError("TOKEN_INVALID");
    return identify(c, { userId: principalOfKey(key.keyId), sessionId: key.mac });
  }

  function noteUse(c: Context<AppEnv>): void {
    const keyId = keyOfPrincipal(c.get("actor").userId);
    if (keyId !== undefined && c.res.status !== 401) keyUses.note(keyId);
  }

  function guardWith(readToken: (c: Context<AppEnv>) => string): MiddlewareHandler<AppEnv> {
    return asTokenGuard("access or key", async function guardCaller(c, next): Promise<void> {
      await passGuardsOf(c, deps, await setCaller(c, readToken(c)));
      await next();
      const revision = currentRequest()?.revision;
      if (revision !== undefined) c.res.headers.set(REVISION, String(revision));
      noteUse(c);
    });
  }

  return {
    caller: guardWith(readBearerToken),
    influxCaller: guardWith((c) => readInfluxToken(c, deps.refuseQuerySecrets)),
    async proof(c, next): Promise<void> {
      c.set("sudoActor", await withSudoHeader(c, sudoTokens));
      await next();
    },
  };
}
