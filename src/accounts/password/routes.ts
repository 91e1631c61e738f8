import { PageSchema } from "../../http/common_schemas.ts";
import { createRouter } from "../../http/env.ts";
import { respondLinkPage } from "../../http/link_page/respond_link_page.ts";
import { operation } from "../../http/openapi/openapi.ts";
import { allowAnyQuery, validJson } from "../../http/validation.ts";
import { describeClient } from "../../identity/guards.ts";
import type { PasswordDeps } from "./deps.ts";
import { PASSWORD_EXAMPLES } from "./examples.ts";
import { setPasswordByLink } from "./link_service.ts";
import { createOwnPasswordRoutes } from "./own_password_routes.ts";
import { createResetRoutes, PASSWORD_RULE_ERRORS } from "./reset_routes.ts";
import { renderResetPage } from "./reset_page.ts";
import { LinkPasswordSchema, LinkPasswordSetSchema } from "./schemas.ts";

const tag = "Password";

export function createPasswordRoutes(deps: PasswordDeps) {
  return createRouter()
    .route("/", createResetRoutes(deps))
    .route("/", createOwnPasswordRoutes(deps))
    .put(
      "/user/password/link",
      operation({
        operationId: "setPasswordByLink",
        tag,
        summary: "Set the password via a mailed link",
        description:
          "Sets a password with the token of an invitation or reset link, which works once. A rejected " +
          "password does not use it up. Ends all sessions of the user and returns null: log in " +
          "afterwards. With `signIn`, the invitation of an account that never had a password or second factor " +
          "returns a refresh token, as `POST /auth/login` does, and the address of the account.",
        security: "none",
        takes: "body",
        success: LinkPasswordSetSchema,
        errors: ["OTP_INVALID_EXPIRED", ...PASSWORD_RULE_ERRORS],
        example: PASSWORD_EXAMPLES.setPasswordByLink,
      }),
      validJson(LinkPasswordSchema),
      async (c) => {
        const signedIn = await setPasswordByLink(deps, describeClient(c), c.req.valid("json"));
        if (signedIn === undefined) return c.json(null);
        deps.metrics?.add("rolegrid.sign_ins", 1, {
          "rolegrid.step": "invitation",
          "rolegrid.outcome": "signed_in",
        });
        return c.json(signedIn);
      },
    )
    .get(
      "/reset-password",
      operation({
        operationId: "resetPasswordPage",
        tag,
        summary: "Open the password page",
        description:
          "The page that invitation and reset links open. It changes nothing until its form is submitted.",
        security: "none",
        success: PageSchema,
        successType: "text/html",
        takes: "nothing",
        example: PASSWORD_EXAMPLES.resetPasswordPage,
      }),
      allowAnyQuery(),
      respondLinkPage(deps.issuerName, renderResetPage),
    );
}
