import { createRouter } from "../../http/env.ts";
import { operation } from "../../http/openapi/openapi.ts";
import type { IdentityDeps } from "../deps.ts";
import { FACTOR_EXAMPLES } from "../examples.ts";
import { listFactors } from "./factor_service.ts";
import { requireAccessOrPartialToken } from "../guards.ts";
import { FactorListSchema } from "../schemas.ts";

export function createFactorRoutes(deps: IdentityDeps) {
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
      async (c) => c.json(await listFactors(deps, c.var.challenged), 200, { "Cache-Control": "no-store" }),
    );
}
