import { NullSchema } from "../../../http/common_schemas.ts";
import { createRouter } from "../../../http/env.ts";
import { operation } from "../../../http/openapi/openapi.ts";
import { validJson } from "../../../http/validation.ts";
import { GUESS_RULE, SUDO_RULE } from "../../../identity/descriptions.ts";
import {
  requireAccessOrPartialToken,
  requireAccessToken,
  requireSudoToken,
} from "../../../identity/guards.ts";
import {
  ChallengeTokensSchema,
  DurationSchema,
  EmptyBodySchema,
  RecoveryCodesSchema,
} from "../../../identity/schemas.ts";
import { countSignIns } from "../../../identity/sign_in_middleware.ts";
import { TOTP_EXAMPLES } from "./examples.ts";
import { drawQrCode } from "./qr_code.ts";
import { TotpSchema, TotpSetupSchema } from "./schemas.ts";
import {
  activateTotp,
  deactivateTotp,
  nextTotpGuess,
  proveTotp,
  setUpTotp,
  type TotpDeps,
} from "./service.ts";

const tag = "Second factors";
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
          "Creates a secret and returns it as an `otpauth:` URL, and that as a QR code; activate it within 10 " +
          "minutes. An active secret remains in use until then.\n\n" +
          SUDO_RULE,
        security: sudoOrFresh,
        takes: "body",
        success: TotpSetupSchema,
        errors: ["SUDO_TOKEN_REQUIRED"],
        example: TOTP_EXAMPLES.setUpTotp,
      }),
      requireSudo,
      validJson(EmptyBodySchema, { bodyOptional: true }),
      async (c) => {
        const url = await setUpTotp(deps, c.var.sudoActor, c.var.clientAddress);
        return c.json({ url, qrCode: drawQrCode(url) });
      },
    )
    .post(
      "/user/2fa/totp/enable",
      operation({
        operationId: "activateTotp",
        tag,
        summary: "Activate TOTP",
        description:
          "Activates the secret that was set up, with a code from the authenticator app. If this is the " +
          "account's first second factor, the response contains its recovery codes, which are not shown " +
          "again. Ends pending codes, links and setups, and makes earlier sudo and partial tokens " +
          "invalid.\n\n" +
          GUESS_RULE,
        security: "accessBearerAuth",
        takes: "body",
        success: RecoveryCodesSchema,
        errors: ["TOTP_INVALID", "TOTP_UNINITIALIZED", "TOO_MANY_TOTP_CHECKS"],
        example: TOTP_EXAMPLES.activateTotp,
      }),
      requireAccessToken(deps),
      validJson(TotpSchema),
      async (c) => {
        const { totp } = c.req.valid("json");
        const recoveryCodes = await activateTotp(deps, c.var.actor, c.var.clientAddress, totp);
        return c.json({ recoveryCodes });
      },
    )
    .post(
      "/user/2fa/totp/authenticate",
      operation({
        operationId: "proveTotp",
        tag,
        summary: "Verify TOTP code",
        description:
          "With an access token (step-up), a correct code returns a sudo token. With a partial token, it " +
          "completes the login and returns a sudo, a refresh and an access token. A code works once, in " +
          "its own 30 seconds and the 30 seconds before and after. A login ends at its fifth wrong code.\n\n" +
          GUESS_RULE,
        security: accessOrPartial,
        takes: "body",
        success: ChallengeTokensSchema,
        errors: ["TOTP_INVALID", "TOTP_UNINITIALIZED", "TOTP_INACTIVE", "TOO_MANY_TOTP_CHECKS"],
        example: TOTP_EXAMPLES.proveTotp,
      }),
      requireChallenged,
      validJson(TotpSchema),
      countSignIns(deps.metrics, "totp"),
      async (c) => {
        const { totp } = c.req.valid("json");
        return c.json(await proveTotp(deps, c.var.challenged, c.var.clientAddress, totp));
      },
    )
    .get(
      "/user/2fa/totp/next-guess",
      operation({
        operationId: "nextTotpGuess",
        tag,
        summary: "Time until the next TOTP guess",
        description: "Seconds until the next code is checked; 0 means now. Changes nothing.",
        security: accessOrPartial,
        success: DurationSchema,
        errors: ["TOTP_UNINITIALIZED"],
        takes: "nothing",
        example: TOTP_EXAMPLES.nextTotpGuess,
      }),
      requireChallenged,
      async (c) => c.json({ duration: await nextTotpGuess(deps, c.var.challenged) }),
    )
    .delete(
      "/user/2fa/totp",
      operation({
        operationId: "deactivateTotp",
        tag,
        summary: "Deactivate TOTP",
        description:
          "If this is the account's last second factor, the recovery codes are deleted, too. Ends the " +
          "user's other sessions and pending codes and links. Needs a sudo token.",
        security: sudoOrFresh,
        success: NullSchema,
        errors: ["SUDO_TOKEN_REQUIRED", "TOTP_ALREADY_INACTIVE"],
        takes: "nothing",
        example: TOTP_EXAMPLES.deactivateTotp,
      }),
      requireSudo,
      async (c) => {
        await deactivateTotp(deps, c.var.sudoActor, c.var.clientAddress);
        return c.json(null);
      },
    );
}
