import type { Context } from "hono";
import { type AppEnv, createRouter } from "../http/env.ts";
import { withEtag } from "../http/etag_middleware.ts";
import { operation } from "../http/openapi/openapi.ts";
import { validJson } from "../http/validation.ts";
import type { IdentityDeps } from "./deps.ts";
import { AUTH_EXAMPLES } from "./examples.ts";
import { describeClient, readBearerToken, requireAccessToken } from "./guards.ts";
import { logIn } from "./login_service.ts";
import { JwksSchema, LoginSchema, TokenTextSchema, UserIdSchema } from "./schemas.ts";
import {
  issueAccessToken,
  logOut,
  rotateRefreshToken,
  validateAccess,
  validateRefreshToken,
} from "./session_service.ts";
import { publicJwks } from "./token/token_keys.ts";

const tag = "Tokens";
const NO_STORE = { "Cache-Control": "no-store" };
/** Short: after a rotation tokens of a key that is not in a cached answer are in use at once. */
const JWKS_FRESHNESS = "public, max-age=60";

const describeAccessToken = {
  tag,
  summary: "Get an access token",
  description:
    "Answers an access token, valid for 10 minutes. A refresh token that was replaced long ago ends its " +
    "session: it must have been copied.",
  security: "refreshBearerAuth",
  success: TokenTextSchema,
  successType: "text/plain",
  takes: "nothing",
  example: AUTH_EXAMPLES.getAccessToken,
} as const;

export function createAuthRoutes(deps: IdentityDeps) {
  async function answerAccessToken(c: Context<AppEnv>): Promise<Response> {
    return c.text(await issueAccessToken(deps, readBearerToken(c), c.var.clientAddress), 200, NO_STORE);
  }

  return createRouter()
    .post(
      "/auth/login",
      operation({
        operationId: "login",
        tag,
        summary: "Log in",
        description:
          "Answers a refresh token. An unknown user and a wrong password are answered alike. Wrong " +
          "passwords are throttled per account and client address: 429 says when the next try is looked at. Where " +
          "a second factor is active, a right password is answered with 401 `2FA_REQUIRED`, a `partialAuthToken` and the " +
          "`methods` (`totp`, `emailOtp`, `recoveryCode`) that complete the login within 10 minutes.",
        security: "none",
        takes: "body",
        success: TokenTextSchema,
        successType: "text/plain",
        errors: ["PASSWORD_INCORRECT", "SECOND_FACTOR_REQUIRED", "TOO_MANY_FAILED_PASSWORD_CHECKS"],
        example: AUTH_EXAMPLES.login,
      }),
      validJson(LoginSchema),
      async (c) => c.text(await logIn(deps, describeClient(c), c.req.valid("json")), 200, NO_STORE),
    )
    .get(
      "/auth/accesstoken",
      operation({ operationId: "getAccessToken", ...describeAccessToken }),
      answerAccessToken,
    )
    .get(
      "/accesstoken",
      operation({ operationId: "getAccessTokenAlias", ...describeAccessToken }),
      answerAccessToken,
    )
    .get(
      "/auth/refreshtoken",
      operation({
        operationId: "rotateRefreshToken",
        tag,
        summary: "Replace the refresh token",
        description:
          "Answers the successor of the refresh token; asked again, the same one. It serves 14 days from " +
          "then on. A session ends 90 days after its login: in its last 14 days there is no successor any more, and " +
          "the current token serves to its end.",
        security: "refreshBearerAuth",
        success: TokenTextSchema,
        successType: "text/plain",
        takes: "nothing",
        example: AUTH_EXAMPLES.rotateRefreshToken,
      }),
      async (c) =>
        c.text(await rotateRefreshToken(deps, readBearerToken(c), c.var.clientAddress), 200, NO_STORE),
    )
    .get(
      "/auth/refreshtoken/validate",
      operation({
        operationId: "validateRefreshToken",
        tag,
        summary: "Validate a refresh token",
        description: "Answers whose it is.",
        security: "refreshBearerAuth",
        success: UserIdSchema,
        takes: "nothing",
        example: AUTH_EXAMPLES.validateRefreshToken,
      }),
      async (c) => {
        const userId = await validateRefreshToken(deps, readBearerToken(c), c.var.clientAddress);
        return c.json({ userId }, 200, NO_STORE);
      },
    )
    .get(
      "/auth/accesstoken/validate",
      operation({
        operationId: "validateAccessToken",
        tag,
        summary: "Validate an access token",
        description: "Answers whose it is, as long as its session lives.",
        security: "accessBearerAuth",
        success: UserIdSchema,
        takes: "nothing",
        example: AUTH_EXAMPLES.validateAccessToken,
      }),
      requireAccessToken(deps.accessTokens),
      async (c) => c.json({ userId: await validateAccess(deps, c.var.actor) }, 200, NO_STORE),
    )
    .post(
      "/auth/logout",
      operation({
        operationId: "logout",
        tag,
        summary: "Log out",
        description: "Ends the session: every token of it is dead at once.",
        security: "refreshBearerAuth",
        success: "empty",
        takes: "nothing",
        example: AUTH_EXAMPLES.logout,
      }),
      async (c) => {
        await logOut(deps, readBearerToken(c), c.var.clientAddress);
        return c.body(null, 204, NO_STORE);
      },
    )
    .get(
      "/.well-known/jwks.json",
      operation({
        operationId: "getJwks",
        tag,
        summary: "Public keys",
        description:
          "The keys that sibling services verify access tokens with (RFC 7517). A new key signs at " +
          "once: an unknown `kid` is a reason to ask again.",
        security: "none",
        success: JwksSchema,
        takes: "nothing",
        example: AUTH_EXAMPLES.getJwks,
      }),
      withEtag(),
      (c) => c.json(publicJwks(deps.tokenKeys), 200, { "Cache-Control": JWKS_FRESHNESS }),
    );
}
