import type { Context } from "hono";
import { type AppEnv, createRouter } from "../http/env.ts";
import { withEtag } from "../http/etag_middleware.ts";
import { operation } from "../http/openapi/openapi.ts";
import { validJson, validQuery } from "../http/validation.ts";
import type { IdentityDeps } from "./deps.ts";
import { AUTH_EXAMPLES } from "./examples.ts";
import { METHODS } from "./factors.ts";
import { describeClient, readBearerToken, requireBearerToken, setActor } from "./guards.ts";
import { logIn } from "./login_service.ts";
import { AudienceQuerySchema, JwksSchema, LoginSchema, TokenTextSchema, UserIdSchema } from "./schemas.ts";
import { countSignIns } from "./sign_in_middleware.ts";
import {
  issueAccessToken,
  logOut,
  rotateRefreshToken,
  tokensFor,
  validateAccess,
  validateRefreshToken,
} from "./session_service.ts";
import { publicJwks } from "./token/token_keys.ts";

const tag = "Tokens";
/** Short: a new key signs tokens at once, before clients have fetched it. */
const JWKS_FRESHNESS = "public, max-age=60";
const METHOD_LIST = METHODS.map((name) => `\`${name}\``).join(", ");

const describeAccessToken = {
  tag,
  description:
    "Returns an access token, valid for 10 minutes. A refresh token that has been replaced remains valid for up to " +
    "10 seconds after its successor is first used. After that, using it ends the session, because it may have been " +
    "copied.\n\n" +
    "With `audience`, the token is for that service alone (RFC 8707): its `aud` is that URL, and this service accepts " +
    "it nowhere but in `GET /auth/accesstoken/validate?audience=…`.",
  security: "refreshBearerAuth",
  success: TokenTextSchema,
  successType: "text/plain",
  example: AUTH_EXAMPLES.getAccessToken,
} as const;

export function createAuthRoutes(deps: IdentityDeps) {
  const requireRefresh = requireBearerToken("refresh");

  async function respondAccessToken(
    c: Context<AppEnv>,
    { audience }: { audience?: string | undefined },
  ): Promise<Response> {
    const token = await issueAccessToken(deps, readBearerToken(c), c.var.clientAddress, audience);
    return c.text(token);
  }

  return createRouter()
    .post(
      "/auth/login",
      operation({
        operationId: "login",
        tag,
        summary: "Log in",
        description:
          "Returns a refresh token for an email address and its password. If a second factor is active, " +
          "the correct password gets 401 `2FA_REQUIRED` with a `partialAuthToken` and the available " +
          `\`methods\` (${METHOD_LIST}); complete the login with one of them within 10 minutes.\n\n` +
          "An unknown address gets the same error as a wrong password. Wrong passwords are throttled per " +
          "account and client address, and per network for clients that never signed in to the account; on 429, " +
          "`retryAfter` says when the next attempt can be checked.",
        security: "none",
        takes: "body",
        success: TokenTextSchema,
        successType: "text/plain",
        errors: ["PASSWORD_INCORRECT", "SECOND_FACTOR_REQUIRED", "TOO_MANY_FAILED_PASSWORD_CHECKS"],
        example: AUTH_EXAMPLES.login,
      }),
      validJson(LoginSchema),
      countSignIns(deps.metrics, "password"),
      async (c) => c.text(await logIn(deps, describeClient(c), c.req.valid("json"))),
    )
    .get(
      "/auth/accesstoken",
      operation({
        operationId: "getAccessToken",
        summary: "Get an access token",
        ...describeAccessToken,
      }),
      requireRefresh,
      validQuery(AudienceQuerySchema),
      (c) => respondAccessToken(c, c.req.valid("query")),
    )
    .get(
      "/accesstoken",
      operation({
        operationId: "getAccessTokenAlias",
        summary: "Get an access token (short path)",
        ...describeAccessToken,
      }),
      requireRefresh,
      validQuery(AudienceQuerySchema),
      (c) => respondAccessToken(c, c.req.valid("query")),
    )
    .get(
      "/auth/refreshtoken",
      operation({
        operationId: "rotateRefreshToken",
        tag,
        summary: "Rotate the refresh token",
        description:
          "Returns the successor of the refresh token, valid for 14 days. After a lost response it is safe " +
          "to repeat the request: within 10 seconds and from the same network (IPv4 address or IPv6 /64), " +
          "it returns the same successor; otherwise another one, which replaces the first. A token whose " +
          "successor was used ends the session, and so does a successor that was replaced, because the " +
          "token may have been copied.\n\n" +
          "Store a successor before using it. Tabs and processes of one client share one token, replace it " +
          "one at a time (Web Locks), and keep the one with the higher number between the dots. A thief who " +
          "asks from the client's network within the same 10 seconds is not noticed.\n\n" +
          "A session ends 90 days after its login; during its last 14 days this operation responds with " +
          "401, and the current token remains valid until the end.",
        security: "refreshBearerAuth",
        success: TokenTextSchema,
        successType: "text/plain",
        takes: "nothing",
        example: AUTH_EXAMPLES.rotateRefreshToken,
      }),
      requireRefresh,
      async (c) => c.text(await rotateRefreshToken(deps, readBearerToken(c), c.var.clientAddress)),
    )
    .get(
      "/auth/refreshtoken/validate",
      operation({
        operationId: "validateRefreshToken",
        tag,
        summary: "Validate a refresh token",
        description: "Returns the id of the user that the token belongs to.",
        security: "refreshBearerAuth",
        success: UserIdSchema,
        takes: "nothing",
        example: AUTH_EXAMPLES.validateRefreshToken,
      }),
      requireRefresh,
      async (c) => {
        const userId = await validateRefreshToken(deps, readBearerToken(c), c.var.clientAddress);
        return c.json({ userId });
      },
    )
    .get(
      "/auth/accesstoken/validate",
      operation({
        operationId: "validateAccessToken",
        tag,
        summary: "Validate an access token",
        description:
          "Returns the id of the user that the token belongs to, unless its session has ended. With `audience`, the " +
          "token must be for that service: a service that was shown a token asks with its own URL.",
        security: "accessBearerAuth",
        success: UserIdSchema,
        example: AUTH_EXAMPLES.validateAccessToken,
      }),
      requireBearerToken("access"),
      validQuery(AudienceQuerySchema),
      async (c) => {
        const { audience } = c.req.valid("query");
        // Another audience is named wrong only to callers with a token of this service.
        const isKnown = audience === undefined || deps.audienceTokens.has(audience);
        const actor = await setActor(c, isKnown ? tokensFor(deps, audience) : deps.accessTokens);
        if (!isKnown) tokensFor(deps, audience);
        return c.json({ userId: await validateAccess(deps, actor) });
      },
    )
    .post(
      "/auth/logout",
      operation({
        operationId: "logout",
        tag,
        summary: "Log out",
        description: "Ends the session. All its tokens stop working immediately.",
        security: "refreshBearerAuth",
        success: "empty",
        takes: "nothing",
        example: AUTH_EXAMPLES.logout,
      }),
      requireRefresh,
      async (c) => {
        await logOut(deps, readBearerToken(c), c.var.clientAddress);
        return c.body(null, 204);
      },
    )
    .get(
      "/.well-known/jwks.json",
      operation({
        operationId: "getJwks",
        tag,
        summary: "Get the public keys",
        description:
          "The keys with which other services verify access tokens, as a JSON Web Key Set (RFC 7517). A " +
          "new key signs tokens immediately, so fetch the set again when a token names an unknown `kid`.",
        security: "none",
        success: JwksSchema,
        takes: "nothing",
        example: AUTH_EXAMPLES.getJwks,
      }),
      withEtag(),
      (c) => c.json(publicJwks(deps.tokenKeys), 200, { "Cache-Control": JWKS_FRESHNESS }),
    );
}
