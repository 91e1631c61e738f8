import { createRouter } from "../../http/env.ts";
import { operation } from "../../http/openapi/openapi.ts";
import { validJson } from "../../http/validation.ts";
import type { IdentityDeps } from "../../identity/deps.ts";
import { requireAccessOrPartialToken, requireSudoToken } from "../../identity/guards.ts";
import {
  ChallengeTokensSchema,
  DurationSchema,
  EmptyBodySchema,
  RecoveryCodesSchema,
} from "../../identity/schemas.ts";
import { RECOVERY_CODE_EXAMPLES } from "./examples.ts";
import { RecoveryCodeSchema } from "./schemas.ts";
import { nextRecoveryGuess, proveRecoveryCode, resetRecoveryCodes } from "./service.ts";

const tag = "Second factors";
const NO_STORE = { "Cache-Control": "no-store" };
const accessOrPartial = ["accessBearerAuth", "partialBearerAuth"] as const;

export function createRecoveryCodeRoutes(deps: IdentityDeps) {
  const requireChallenged = requireAccessOrPartialToken(deps);

  return createRouter()
    .post(
      "/user/2fa/recovery-code/reset",
      operation({
        operationId: "resetRecoveryCodes",
        tag,
        summary: "Reset the recovery codes",
        description:
          "Answers ten new recovery codes, this once, in place of those before. Takes a sudo token. Ends all other " +
          "sessions, pending codes and links.",
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
        return c.json({ recoveryCodes }, 200, NO_STORE);
      },
    )
    .post(
      "/user/2fa/recovery-code/authenticate",
      operation({
        operationId: "proveRecoveryCode",
        tag,
        summary: "Verify a recovery code",
        description:
          "With an access token a right code gives a sudo token, with a partial token all the tokens of a login. Each " +
          "code is good for one use, and a mail says how many are left. Wrong codes wait by the guess schedule, over all " +
          "sessions and logins of the account; a login ends by its fifth.",
        security: accessOrPartial,
        takes: "body",
        success: ChallengeTokensSchema,
        errors: ["RECOVERY_CODE_INVALID", "RECOVERY_CODES_UNINITIALIZED", "TOO_MANY_RECOVERY_CODE_CHECKS"],
        example: RECOVERY_CODE_EXAMPLES.proveRecoveryCode,
      }),
      requireChallenged,
      validJson(RecoveryCodeSchema),
      async (c) => {
        const { recoveryCode } = c.req.valid("json");
        const tokens = await proveRecoveryCode(deps, c.var.challenged, c.var.clientAddress, recoveryCode);
        return c.json(tokens, 200, NO_STORE);
      },
    )
    .get(
      "/user/2fa/recovery-code/next-guess",
      operation({
        operationId: "nextRecoveryGuess",
        tag,
        summary: "Time until the next recovery code guess",
        description: "When the next code is looked at. Takes an access or a partial token; changes nothing.",
        security: accessOrPartial,
        success: DurationSchema,
        errors: ["RECOVERY_CODES_UNINITIALIZED"],
        takes: "nothing",
        example: RECOVERY_CODE_EXAMPLES.nextRecoveryGuess,
      }),
      requireChallenged,
      async (c) => c.json({ duration: await nextRecoveryGuess(deps, c.var.challenged) }, 200, NO_STORE),
    );
}
