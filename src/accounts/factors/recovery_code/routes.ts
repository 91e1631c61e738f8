import { createRouter } from "../../../http/env.ts";
import { operation } from "../../../http/openapi/openapi.ts";
import { validJson } from "../../../http/validation.ts";
import type { IdentityDeps } from "../../../identity/deps.ts";
import { GUESS_RULE } from "../../../identity/descriptions.ts";
import { requireAccessOrPartialToken, requireSudoToken } from "../../../identity/guards.ts";
import {
  ChallengeTokensSchema,
  DurationSchema,
  EmptyBodySchema,
  RecoveryCodesSchema,
} from "../../../identity/schemas.ts";
import { countSignIns } from "../../../identity/sign_in_middleware.ts";
import { RECOVERY_CODE_EXAMPLES } from "./examples.ts";
import { RecoveryCodeSchema } from "./schemas.ts";
import { nextRecoveryGuess, proveRecoveryCode, resetRecoveryCodes } from "./service.ts";

const tag = "Second factors";
const accessOrPartial = ["accessBearerAuth", "partialBearerAuth"] as const;

export function createRecoveryCodeRoutes(deps: IdentityDeps) {
  const requireChallenged = requireAccessOrPartialToken(deps);

  return createRouter()
    .post(
      "/user/2fa/recovery-code/reset",
      operation({
        operationId: "resetRecoveryCodes",
        tag,
        summary: "Reset the recovery codes of a user",
        description:
          "Replaces the recovery codes and returns ten new ones, which are not shown again. Ends the " +
          "user's other sessions and pending codes and links. Needs a sudo token and an active second " +
          "factor.",
        security: ["sudoBearerAuth", "accessBearerAuth"],
        takes: "body",
        success: RecoveryCodesSchema,
        errors: ["SUDO_TOKEN_REQUIRED", "SECOND_FACTOR_DISABLED"],
        example: RECOVERY_CODE_EXAMPLES.resetRecoveryCodes,
      }),
      requireSudoToken(deps),
      validJson(EmptyBodySchema, { bodyOptional: true }),
      async (c) => {
        const recoveryCodes = await resetRecoveryCodes(deps, c.var.sudoActor, c.var.clientAddress);
        return c.json({ recoveryCodes });
      },
    )
    .post(
      "/user/2fa/recovery-code/authenticate",
      operation({
        operationId: "proveRecoveryCode",
        tag,
        summary: "Verify a recovery code",
        description:
          "With an access token (step-up), a correct code returns a sudo token. With a partial token, it " +
          "completes the login and returns a sudo, a refresh and an access token. A recovery code works " +
          "once; a mail tells the user how many are left. A login ends at its fifth wrong code.\n\n" +
          GUESS_RULE,
        security: accessOrPartial,
        takes: "body",
        success: ChallengeTokensSchema,
        errors: ["RECOVERY_CODE_INVALID", "RECOVERY_CODES_UNINITIALIZED", "TOO_MANY_RECOVERY_CODE_CHECKS"],
        example: RECOVERY_CODE_EXAMPLES.proveRecoveryCode,
      }),
      requireChallenged,
      validJson(RecoveryCodeSchema),
      countSignIns(deps.metrics, "recovery_code"),
      async (c) => {
        const { recoveryCode } = c.req.valid("json");
        const tokens = await proveRecoveryCode(deps, c.var.challenged, c.var.clientAddress, recoveryCode);
        return c.json(tokens);
      },
    )
    .get(
      "/user/2fa/recovery-code/next-guess",
      operation({
        operationId: "nextRecoveryGuess",
        tag,
        summary: "Time until the next recovery code guess",
        description: "Seconds until the next recovery code is checked; 0 means now. Changes nothing.",
        security: accessOrPartial,
        success: DurationSchema,
        errors: ["RECOVERY_CODES_UNINITIALIZED"],
        takes: "nothing",
        example: RECOVERY_CODE_EXAMPLES.nextRecoveryGuess,
      }),
      requireChallenged,
      async (c) => c.json({ duration: await nextRecoveryGuess(deps, c.var.challenged) }),
    );
}
