import { NullSchema, PageSchema } from "../../http/common_schemas.ts";
import { createRouter } from "../../http/env.ts";
import { respondLinkPage } from "../../http/link_page/respond_link_page.ts";
import { operation } from "../../http/openapi/openapi.ts";
import { allowAnyQuery, validJson } from "../../http/validation.ts";
import type { IdentityDeps } from "../deps.ts";
import { FACTOR_EXAMPLES } from "../examples.ts";
import { renderConfirmationPage } from "./confirmation_page.ts";
import { confirmFactor } from "./confirmation_service.ts";
import { listFactors } from "./factor_service.ts";
import { requireAccessOrPartialToken } from "../guards.ts";
import { ConfirmFactorSchema, FactorListSchema } from "../schemas.ts";

export interface FactorRoutesDeps extends IdentityDeps {
  /** The service's name, as the page shows it. */
  readonly issuerName: string;
}

export function createFactorRoutes(deps: FactorRoutesDeps) {
  return createRouter()
    .get(
      "/user/2fa",
      operation({
        operationId: "getSecondFactors",
        tag: "Second factors",
        summary: "Get active 2FA methods",
        description:
          "The active second factors, when each was activated, and how many recovery codes are left. With " +
          "a partial token, the email address is masked.",
        security: ["accessBearerAuth", "partialBearerAuth"],
        success: FactorListSchema,
        takes: "nothing",
        example: FACTOR_EXAMPLES.getSecondFactors,
      }),
      requireAccessOrPartialToken(deps),
      async (c) => c.json(await listFactors(deps, c.var.challenged)),
    )
    .post(
      "/user/2fa/confirm",
      operation({
        operationId: "confirmFactor",
        tag: "Second factors",
        summary: "Confirm a second factor",
        description:
          "Takes the token of the link that was mailed when a TOTP app or a passkey was added; it works once, within 7 " +
          "days. Only a confirmed factor is named by the claim `acr` of access tokens. While an email address transfer " +
          "can be undone, the link goes to the old address. A factor needs no link if it was added in a session that " +
          "had shown one of the same strength.",
        security: "none",
        takes: "body",
        success: NullSchema,
        errors: ["OTP_INVALID_EXPIRED"],
        example: FACTOR_EXAMPLES.confirmFactor,
      }),
      validJson(ConfirmFactorSchema),
      async (c) => {
        await confirmFactor(deps, c.var.clientAddress, c.req.valid("json").token);
        return c.json(null);
      },
    )
    .get(
      "/confirm-factor",
      operation({
        operationId: "confirmFactorPage",
        tag: "Second factors",
        summary: "Open the page to confirm a second factor",
        description: "The page that mailed links open. It changes nothing until its form is submitted.",
        security: "none",
        success: PageSchema,
        successType: "text/html",
        takes: "nothing",
        example: FACTOR_EXAMPLES.confirmFactorPage,
      }),
      allowAnyQuery(),
      respondLinkPage(deps.issuerName, renderConfirmationPage),
    );
}
