import type { Context, MiddlewareHandler } from "hono";
import { type Actor, type SudoActor, userActor } from "../core/actor.ts";
import { setAskingPayer, setAskingUser } from "../core/asker.ts";
import { AppError } from "../core/errors.ts";
import type { AppEnv } from "../http/env.ts";
import type { AccessTokens } from "./token/access_token.ts";
import type { Client } from "./deps.ts";
import type { PartialTokens } from "./token/partial_token.ts";
import type { SudoTokens } from "./token/sudo_token.ts";

const MAX_CLIENT_NAME = 256;

/**
 * The guard of operations that require an access token: verifies it and sets `actor`. The operation's own
 * database statement checks whether the session is live, in the same round trip as everything else.
 */
export function requireAccessToken(accessTokens: AccessTokens): MiddlewareHandler<AppEnv> {
  return async function guardAccess(c, next) {
    await setActor(c, accessTokens);
    await next();
  };
}

/** Verifies the access token of a request, sets `actor` and returns it. */
export async function setActor(c: Context<AppEnv>, accessTokens: AccessTokens): Promise<Actor> {
  const { userId, sessionId } = await accessTokens.verify(readBearerToken(c));
  return identify(c, userActor(userId, sessionId));
}

/** Sets `actor`: from here on the request counts as their payer's. */
export function identify(c: Context<AppEnv>, actor: Actor): Actor {
  c.set("actor", actor);
  setAskingPayer(actor.payer);
  return actor;
}

/**
 * The guard of operations that require fresh proof: accepts a sudo or an access token and sets `sudoActor`. The
 * operation's own batch (`decideForActor`), which knows the factors, decides whether an access token is enough.
 */
export function requireSudoToken(
  { accessTokens, sudoTokens }: { accessTokens: AccessTokens; sudoTokens: SudoTokens },
): MiddlewareHandler<AppEnv> {
  return async function guardSudo(c, next) {
    const token = readBearerToken(c);
    if (sudoTokens.claimsToBe(token)) {
      const { userId, sessionId, securityVersion } = await sudoTokens.verify(token);
      c.set("sudoActor", { ...userActor(userId, sessionId), sudoVersion: securityVersion });
      setAskingUser(userId);
    } else {
      const { userId, sessionId } = await accessTokens.verify(token);
      c.set("sudoActor", { ...userActor(userId, sessionId), sudoVersion: null });
      setAskingUser(userId);
    }
    await next();
  };
}

export const SUDO_HEADER = "X-Sudo-Token";

/** The actor, with the sudo token of the header beside their access token. A token that is not theirs counts as none. */
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

/** The guard of the challenges: accepts an access token, to step up, or a partial token, to complete a login. */
export function requireAccessOrPartialToken(
  { accessTokens, partialTokens }: { accessTokens: AccessTokens; partialTokens: PartialTokens },
): MiddlewareHandler<AppEnv> {
  return async function guardChallenge(c, next) {
    const token = readBearerToken(c);
    if (partialTokens.claimsToBe(token)) {
      const { userId, partialLoginId } = await partialTokens.verify(token);
      c.set("challenged", { kind: "partial", userId, partialLoginId });
      setAskingUser(userId);
    } else {
      const { userId, sessionId } = await accessTokens.verify(token);
      c.set("challenged", { kind: "session", actor: userActor(userId, sessionId) });
      setAskingUser(userId);
    }
    await next();
  };
}

/**
 * The bearer token of a request (RFC 6750, 2.1). Throws `TOKEN_MISSING`, also for another scheme (RFC 6750, 3.1), and
 * `TOKEN_INVALID` unless exactly one token follows `Bearer`.
 */
export function readBearerToken(c: Context<AppEnv>): string {
  const header = c.req.header("Authorization") ?? "";
  if (!/^Bearer( |$)/i.test(header)) throw new AppError("TOKEN_MISSING");
  const token = /^Bearer +(\S+)$/i.exec(header)?.[1];
  if (token === undefined) throw new AppError("TOKEN_INVALID");
  return token;
}

/** The client of a request: its address and its User-Agent, shortened. */
export function describeClient(c: Context<AppEnv>): Client {
  const name = (c.req.header("User-Agent") ?? "").replace(/\p{Cc}/gu, " ").slice(0, MAX_CLIENT_NAME);
  return { address: c.var.clientAddress, name };
}
