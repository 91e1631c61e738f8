import { NullSchema } from "../../http/common_schemas.ts";
import { createRouter } from "../../http/env.ts";
import { operation } from "../../http/openapi/openapi.ts";
import { validJson } from "../../http/validation.ts";
import { requireAccessToken, requireSudoToken } from "../../identity/guards.ts";
import type { PasswordDeps } from "./deps.ts";
import { PASSWORD_EXAMPLES } from "./examples.ts";
import { changePassword, provePassword } from "./own_password_service.ts";
import { PASSWORD_RULE_ERRORS } from "./reset_routes.ts";
import { ChangePasswordSchema, ProvePasswordSchema, SudoTokenSchema } from "./schemas.ts";

const tag = "Password";

export function createOwnPasswordRoutes(deps: PasswordDeps) {
  return createRouter()
    .put(
      "/user/password/old-password",
      operation({
        operationId: "changePassword",
        tag,
        summary: "Update password via sudo token",
        description:
          "Replaces the password, given the old one. Needs a sudo token, or an access token while no " +
          "second factor is active. Wrong old passwords are throttled per account; on 429, `retryAfter` " +
          "says when the next attempt is checked. Ends the user's other sessions and pending codes and " +
          "links, and makes all sudo tokens invalid.",
        security: ["sudoBearerAuth", "accessBearerAuth"],
        takes: "body",
        success: NullSchema,
        errors: [
          "PASSWORD_INCORRECT",
          "SUDO_TOKEN_REQUIRED",
          "TOO_MANY_FAILED_PASSWORD_CHECKS",
          ...PASSWORD_RULE_ERRORS,
        ],
        example: PASSWORD_EXAMPLES.changePassword,
      }),
      requireSudoToken(deps),
      validJson(ChangePasswordSchema),
      async (c) => {
        await changePassword(deps, c.var.sudoActor, c.var.clientAddress, c.req.valid("json"));
        return c.json(null);
      },
    )
    .post(
      "/user/password/authenticate",
      operation({
        operationId: "provePassword",
        tag,
        summary: "Get a sudo token with the password",
        description:
          "Step-up for users without an active second factor; users with one verify that factor instead. " +
          "Wrong passwords are counted together with those of `PUT /user/password/old-password`.",
        security: "accessBearerAuth",
        takes: "body",
        success: SudoTokenSchema,
        errors: ["PASSWORD_INCORRECT", "SUDO_TOKEN_REQUIRED", "TOO_MANY_FAILED_PASSWORD_CHECKS"],
        example: PASSWORD_EXAMPLES.provePassword,
      }),
      requireAccessToken(deps),
      validJson(ProvePasswordSchema),
      async (c) => {
        const { password } = c.req.valid("json");
        const sudoToken = await provePassword(deps, c.var.actor, c.var.clientAddress, password);
        return c.json({ sudoToken });
      },
    );
}
