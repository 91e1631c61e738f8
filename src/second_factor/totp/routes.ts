import { createRouter } from "../../http/env.ts";
import { operation } from "../../http/openapi/openapi.ts";
import { validJson } from "../../http/validation.ts";
import { requireAccessOrPartialToken, requireAccessToken, requireSudoToken } from "../../identity/guards.ts";
import {
  ChallengeTokensSchema,
  DurationSchema,
  EmptyBodySchema,
  NullSchema,
  RecoveryCodesSchema,
} from "../../identity/schemas.ts";
import { TOTP_EXAMPLES } from "./examples.ts";
import { TotpSchema, TotpUrlSchema } from "./schemas.ts";
import {
  activateTotp,
  deactivateTotp,
  nextTotpGuess,
  proveTotp,
  setUpTotp,
  type TotpDeps,
} from "./service.ts";

const tag = "Second factors";
const NO_STORE = { "Cache-Control": "no-store" };
const accessOrPartial = ["accessBearerAuth", "partialBearerAuth"] as const;
const sudoOrFresh = ["sudoBearerAuth", "accessBearerAuth"] as const;

export function createTotpRoutes(deps: TotpDeps) {
  const requireSudo = requireSudoToken(deps);
  const requireChallenged = requireAccessOrPartialToken(deps);

  return createRouter()
    .post(
      "/user/2fa/totp/setup",
      operation({
        operationId: "setUpTotp",
        tag,
        summary: "Set or reset TOTP",
        description:
          "Makes a secret and answers its `otpauth:` address, to be activated within 10 minutes. An active secret goes " +
          "on working until then. Takes a sudo token, or without a second factor an access token of a recent login.",
        security: sudoOrFresh,
        takes: "body",
        success: TotpUrlSchema,
        errors: ["SUDO_TOKEN_REQUIRED"],
        example: TOTP_EXAMPLES.setUpTotp,
      }),
      requireSudo,
      validJson(EmptyBodySchema, { bodyOptional: true }),
      async (c) => {
        const url = await setUpTotp(deps, c.var.sudoActor, c.var.clientAddress);
        return c.json({ url }, 200, NO_STORE);
      },
    )
    .post(
      "/user/2fa/totp/enable",
      operation({
        operationId: "activateTotp",
        tag,
        summary: "Activate TOTP",
        description:
          "Takes an access token and a code of the secret that was set up. The first second factor of an account brings " +
          "its recovery codes. Pending codes, links and setups end, and so do earlier sudo and partial tokens.",
        security: "accessBearerAuth",
        takes: "body",
        success: RecoveryCodesSchema,
        errors: ["TOTP_INVALID", "TOTP_UNINITIALIZED", "TOO_MANY_TOTP_CHECKS"],
        example: TOTP_EXAMPLES.activateTotp,
      }),
      requireAccessToken(deps.accessTokens),
      validJson(TotpSchema),
      async (c) => {
        const { totp } = c.req.valid("json");
        const recoveryCodes = await activateTotp(deps, c.var.actor, c.var.clientAddress, totp);
        return c.json({ recoveryCodes }, 200, NO_STORE);
      },
    )
    .post(
      "/user/2fa/totp/authenticate",
      operation({
        operationId: "proveTotp",
        tag,
        summary: "Verify a TOTP code",
        description:
          "With an access token a right code gives a sudo token, with a partial token all the tokens of a login. A code " +
          "is good once, for 30 seconds before and after its own. Wrong codes wait by the guess schedule, over all " +
          "sessions and logins of the account; a login ends by its fifth.",
        security: accessOrPartial,
        takes: "body",
        success: ChallengeTokensSchema,
        errors: ["TOTP_INVALID", "TOTP_UNINITIALIZED", "TOTP_INACTIVE", "TOO_MANY_TOTP_CHECKS"],
        example: TOTP_EXAMPLES.proveTotp,
      }),
      requireChallenged,
      validJson(TotpSchema),
      async (c) => {
        const { totp } = c.req.valid("json");
        return c.json(await proveTotp(deps, c.var.challenged, c.var.clientAddress, totp), 200, NO_STORE);
      },
    )
    .get(
      "/user/2fa/totp/next-guess",
      operation({
        operationId: "nextTotpGuess",
        tag,
        summary: "Time until the next TOTP guess",
        description: "When the next code is looked at. Takes an access or a partial token; changes nothing.",
        security: accessOrPartial,
        success: DurationSchema,
        errors: ["TOTP_UNINITIALIZED"],
        takes: "nothing",
        example: TOTP_EXAMPLES.nextTotpGuess,
      }),
      requireChallenged,
      async (c) => c.json({ duration: await nextTotpGuess(deps, c.var.challenged) }, 200, NO_STORE),
    )
    .delete(
      "/user/2fa/totp",
      operation({
        operationId: "deactivateTotp",
        tag,
        summary: "Deactivate TOTP",
        description:
          "Takes a sudo token. Ends all other sessions, pending codes and links; with the last factor the recovery " +
          "codes go.",
        security: sudoOrFresh,
        success: NullSchema,
        errors: ["SUDO_TOKEN_REQUIRED", "TOTP_ALREADY_INACTIVE"],
        takes: "nothing",
        example: TOTP_EXAMPLES.deactivateTotp,
      }),
      requireSudo,
      async (c) => {
        await deactivateTotp(deps, c.var.sudoActor, c.var.clientAddress);
        return c.json(null, 200, NO_STORE);
      },
    );
}
