import type { Context, MiddlewareHandler } from "hono";
import type { Actor, SudoActor } from "../core/actor.ts";
import { AppError } from "../core/errors.ts";
import { countToPrincipal } from "../core/request_scope.ts";
import type { AppEnv } from "../http/env.ts";
import { asTokenGuard, passGuards } from "../http/guard_order.ts";
import { type CallerDeps, requireLiveCaller } from "./caller_life.ts";
import type { AccessTokens } from "./token/access_token.ts";
import type { Client } from "./deps.ts";
import type { PartialTokens } from "./token/partial_token.ts";
import { claimsToBeRoleKey } from "./token/role_key.ts";
import type { SudoTokens } from "./token/sudo_token.ts";

const MAX_CLIENT_NAME = 256;

export interface GuardDeps extends CallerDeps {
  readonly accessTokens: AccessTokens;
}

/**
 * Returns the guard for access tokens, which verifies the token and sets `actor`. Unless the body is long, the
 * operation's own statement checks the session, in the same round trip.
 */
export function requireAccessToken(deps: GuardDeps): MiddlewareHandler<AppEnv> {
  return asTokenGuard("access", async function guardAccess(c, next) {
    await passGuardsOf(c, deps, await setActor(c, deps.accessTokens));
    await next();
  });
}

/** Runs the guards after the token's, for this session or key. */
export function passGuardsOf(
  c: Context<AppEnv>,
  deps: CallerDeps,
  { userId, sessionId }: Pick<Actor, "userId" | "sessionId">,
): Promise<void> {
  return passGuards(c, () => requireLiveCaller(deps, { userId, sessionId, partialLoginId: null }));
}

/**
 * Returns the guard for operations without a body that verify their token themselves, in the same round trip as its
 * session.
 */
export function requireBearerToken(takes: string): MiddlewareHandler<AppEnv> {
  return asTokenGuard(takes, async function guardBearer(c, next) {
    readBearerToken(c);
    await passGuards(c);
    await next();
  });
}

/** Verifies the access token of a request, sets `actor` and returns it. */
export async function setActor(
  c: Context<AppEnv>,
  accessTokens: AccessTokens,
  token = readBearerToken(c),
): Promise<Actor> {
  const { userId, sessionId } = await accessTokens.verify(token);
  return identify(c, { userId, sessionId });
}

/** Sets `actor`, and counts the request to its chain from now on. */
export function identify(c: Context<AppEnv>, actor: Actor): Actor {
  c.set("actor", actor);
  countToPrincipal(actor.userId, c.req.header("Authorization"));
  return actor;
}

/**
 * Returns the guard for fresh proof, which accepts a sudo or an access token and sets `sudoActor`. The operation's
 * batch (`decideForActor`) decides whether an access token is enough, because that depends on the factors.
 */
export function requireSudoToken(
  deps: GuardDeps & { readonly sudoTokens: SudoTokens },
): MiddlewareHandler<AppEnv> {
  const { accessTokens, sudoTokens } = deps;
  return asTokenGuard("sudo or access", async function guardSudo(c, next) {
    const token = readBearerToken(c);
    const { userId, sessionId, sudoVersion } = sudoTokens.claimsToBe(token)
      ? await sudoTokens.verify(token).then(({ securityVersion, ...rest }) => ({
        ...rest,
        sudoVersion: securityVersion,
      }))
      : { ...await accessTokens.verify(token), sudoVersion: null };
    const sudoActor = { userId, sessionId, sudoVersion };
    c.set("sudoActor", sudoActor);
    countToPrincipal(userId);
    await passGuardsOf(c, deps, sudoActor);
    await next();
  });
}

export const SUDO_HEADER = "X-Sudo-Token";

/** Returns the actor with the sudo token of the header. A token of another user or session counts as none. */
export async function withSudoHeader(c: Context<AppEnv>, sudoTokens: SudoTokens): Promise<SudoActor> {
  const actor = c.get("actor");
  const token = c.req.header(SUDO_HEADER);
  const proven = token === undefined ? undefined : await sudoTokens.verify(token).catch(asNone);
  const isTheirs = proven?.userId === actor.userId && proven.sessionId === actor.sessionId;
  return { ...actor, sudoVersion: isTheirs ? proven.securityVersion : null };
}

function asNone(error: unknown): undefined {
  if (error instanceof AppError && error.code === "TOKEN_INVALID") return undefined;
  throw error;
}

/**
 * Returns the guard of challenges, which accepts an access token, to step up, or a partial token, to complete a
 * login.
 */
export function requireAccessOrPartialToken(
  deps: GuardDeps & { readonly partialTokens: PartialTokens },
): MiddlewareHandler<AppEnv> {
  const { accessTokens, partialTokens } = deps;
  return asTokenGuard("access or partial", async function guardChallenge(c, next) {
    const token = readBearerToken(c);
    if (partialTokens.claimsToBe(token)) {
      const { userId, partialLoginId } = await partialTokens.verify(token);
      c.set("challenged", { kind: "partial", userId, partialLoginId });
      countToPrincipal(userId);
      await passGuards(c, () => requireLiveCaller(deps, { userId, sessionId: null, partialLoginId }));
    } else {
      const { userId, sessionId } = await accessTokens.verify(token);
      c.set("challenged", { kind: "session", actor: { userId, sessionId } });
      countToPrincipal(userId);
      await passGuardsOf(c, deps, { userId, sessionId });
    }
    await next();
  });
}

/**
 * Returns the bearer token of a request (RFC 6750, 2.1). Throws `TOKEN_MISSING`, also for another scheme (RFC 6750,
 * 3.1), and `TOKEN_INVALID` unless exactly one token follows `Bearer`.
 */
export function readBearerToken(c: Context<AppEnv>): string {
  const header = c.req.header("Authorization") ?? "";
  if (!/^Bearer( |$)/i.test(header)) throw new AppError("TOKEN_MISSING");
  const token = /^Bearer +(\S+)$/i.exec(header)?.[1];
  if (token === undefined) throw new AppError("TOKEN_INVALID");
  return token;
}

/**
 * Returns the token of a client of InfluxDB: `Bearer` or `Token`, whose content may be `user:token`; or the key of a role as
 * the password of `Basic` or the parameter `p`. A user's name does not matter. Throws like `readBearerToken`, and
 * `MALFORMED_REQUEST` for a `p` that is refused.
 */
export function readInfluxToken(c: Context<AppEnv>, refuseQuerySecrets: boolean): string {
  const header = c.req.header("Authorization");
  const ofQuery = c.req.query("p");
  if (ofQuery !== undefined && refuseQuerySecrets) {
    const message = "The query parameter p is not accepted here: use the header Authorization instead";
    throw new AppError("MALFORMED_REQUEST", { message });
  }
  if (header === undefined) return asKey(ofQuery);
  const [, scheme = "", credentials = ""] = /^([A-Za-z]+) +(\S+)$/.exec(header) ?? [];
  switch (scheme.toLowerCase()) {
    case "token":
      return credentials.slice(credentials.indexOf(":") + 1);
    case "basic":
      return asKey(readPassword(credentials));
    default:
      return readBearerToken(c);
  }
}

/** Takes keys alone, since people may send their own password here: that is no token. */
function asKey(password = ""): string {
  if (!claimsToBeRoleKey(password)) throw new AppError("TOKEN_MISSING");
  return password;
}

/** Returns the password of `Basic` credentials (RFC 7617). */
function readPassword(credentials: string): string | undefined {
  try {
    const pair = atob(credentials);
    return pair.slice(pair.indexOf(":") + 1);
  } catch {
    return undefined;
  }
}

/** Returns the client of a request: its address and its User-Agent, shortened. */
export function describeClient(c: Context<AppEnv>): Client {
  const name = (c.req.header("User-Agent") ?? "").replace(/\p{Cc}/gu, " ").slice(0, MAX_CLIENT_NAME);
  return { address: c.var.clientAddress, name };
}
