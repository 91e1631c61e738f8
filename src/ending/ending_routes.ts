import { createRouter } from "../http/env.ts";
import { operation } from "../http/openapi/openapi.ts";
import { respondJson } from "../http/respond.ts";
import { validJson, validQuery } from "../http/validation.ts";
import { SUDO_HEADER_TEXT } from "../identity/descriptions.ts";
import type { GraphGuards } from "../identity/graph_guards.ts";
import { SUDO_HEADER } from "../identity/guards.ts";
import type { RoleDeps } from "../role/deps.ts";
import { readMode, validIfEffect } from "../changes/preview/preview_middleware.ts";
import { DryRunQuerySchema } from "../role/schemas.ts";
import { ENDING_EXAMPLES } from "./examples.ts";
import { endAccess } from "./ending_service.ts";
import { EndAccessSchema, EndedAccessSchema } from "./schemas.ts";

export function createEndingRoutes(deps: RoleDeps, guards: GraphGuards) {
  return createRouter().post(
    "/v1/access/end",
    operation({
      operationId: "endAccess",
      tag: "Access",
      summary: "End a person's access",
      description:
        "Ends, at and below the role `under`, what the caller may end of a person's access: their memberships, the keys " +
        "they made, and the role passwords they set; with `granted`, also what they gave. It needs direct or indirect " +
        "userManagement, or indirect roleManagement, on `under`; each thing ends only if the caller could end it alone, " +
        "and nothing of the caller's own ends. All or nothing: up to 1,000 things at once, and a root role keeps a member " +
        "with roleManagement whose membership does not end. The log has a row for each.\n\n" +
        "Relations stay; the response lists them. `left` counts the roles to which the person still has access. A deletion " +
        "that is undone later does not bring the person back at or below `under`; with `granted`, neither those to whom they gave a " +
        "membership that was deleted with its role. An unknown person is like one " +
        "without access.\n\n" +
        "A user sends a sudo token of the same session in `X-Sudo-Token`, at most 5 minutes old. Keys are refused with " +
        "403.\n\n" +
        "With `dryRun=true`, nothing changes, no sudo token is needed, and the response says what would end, and has an " +
        "`effect` with a tag. `If-Effect` ends it only if that is still the same.",
      security: "accessBearerAuth",
      usersOnly: true,
      data: "graph",
      takes: "body",
      headers: { [SUDO_HEADER]: SUDO_HEADER_TEXT },
      success: EndedAccessSchema,
      errors: [
        "SUDO_TOKEN_REQUIRED",
        "FORBIDDEN",
        "ROOT_WITHOUT_MEMBER",
        "TOO_MUCH_TO_END",
        "EFFECT_CHANGED",
      ],
      example: ENDING_EXAMPLES.endAccess,
    }),
    guards.caller,
    guards.proof,
    validIfEffect(),
    validQuery(DryRunQuerySchema),
    validJson(EndAccessSchema),
    async (c) => {
      const mode = readMode({ ...c.req.valid("query"), ...c.req.valid("header") });
      const input = c.req.valid("json");
      return await respondJson(c, () => endAccess(deps, c.get("sudoActor"), input, mode));
    },
  );
}
