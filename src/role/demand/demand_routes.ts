import { createRouter } from "../../http/env.ts";
import { operation } from "../../http/openapi/openapi.ts";
import { validJson, validParam, validQuery } from "../../http/validation.ts";
import { SUDO_HEADER_TEXT } from "../../identity/descriptions.ts";
import type { GraphGuards } from "../../identity/graph_guards.ts";
import { SUDO_HEADER } from "../../identity/guards.ts";
import type { RoleDeps } from "../deps.ts";
import { ROLE_EXAMPLES } from "../examples.ts";
import { PREVIEWING, readMode, validIfEffect } from "../../changes/preview/preview_middleware.ts";
import {
  DryRunQuerySchema,
  FoundPolicySchema,
  PolicyResponseSchema,
  RolePathSchema,
  SetPolicySchema,
} from "../schemas.ts";
import { findPolicy, setPolicy } from "./demand_service.ts";

const tag = "Roles";
const security = "accessBearerAuth";
const path = "/v1/role/:roleId/authentication-policy";

export function createDemandRoutes(deps: RoleDeps, guards: GraphGuards) {
  return createRouter()
    .get(
      path,
      operation({
        operationId: "getAuthenticationPolicy",
        tag,
        summary: "Get what a role demands of its members",
        description:
          "Returns which second factor a session of a member must have proved for the membership to count. " +
          "Needs indirect roleManagement on the role, direct roleManagement on a root role, or direct or indirect " +
          "userManagement.",
        security,
        data: "graph",
        success: FoundPolicySchema,
        errors: ["STEP_UP_REQUIRED", "FORBIDDEN"],
        example: ROLE_EXAMPLES.getAuthenticationPolicy,
      }),
      guards.caller,
      validParam(RolePathSchema),
      async (c) => c.json(await findPolicy(deps, c.get("actor"), c.req.valid("param").roleId)),
    )
    .put(
      path,
      operation({
        operationId: "setAuthenticationPolicy",
        tag,
        summary: "Set what a role demands of its members",
        description:
          "Sets which second factor a session of a member must have proved, or none. In a session that has not, the " +
          "membership is _dormant_: it counts as absent, and a refusal for that reason is a 401 with the message " +
          "`SECOND_FACTOR_REQUIRED`. `required` is met by TOTP or a passkey, `phishing-resistant` by a passkey. Codes by " +
          "mail and recovery codes meet neither, and a factor only once its owner has confirmed it by the mailed link.\n\n" +
          "Needs indirect roleManagement on the role, or direct roleManagement on a root role; a session that meets the demand in force and " +
          "the new one; and a sudo token of the same session in `X-Sudo-Token`. A root role keeps a member with " +
          "roleManagement and without an end who has met the demand: otherwise the response is a 409. A role that is " +
          "made later below this one begins with its demand. This cannot be undone, only set anew.\n\n" +
          PREVIEWING +
          " No sudo token is needed then.",
        security,
        usersOnly: true,
        data: "graph",
        takes: "body",
        headers: { [SUDO_HEADER]: SUDO_HEADER_TEXT },
        success: PolicyResponseSchema,
        errors: [
          "SUDO_TOKEN_REQUIRED",
          "STEP_UP_REQUIRED",
          "FORBIDDEN",
          "ROOT_WITHOUT_AWAKE_MANAGER",
          "CLOSURE_CHANGE_TOO_LARGE",
          "EFFECT_CHANGED",
        ],
        example: ROLE_EXAMPLES.setAuthenticationPolicy,
      }),
      guards.caller,
      guards.proof,
      validIfEffect(),
      validParam(RolePathSchema),
      validQuery(DryRunQuerySchema),
      validJson(SetPolicySchema),
      async (c) => {
        const mode = readMode({ ...c.req.valid("query"), ...c.req.valid("header") });
        const input = { ...c.req.valid("param"), ...c.req.valid("json") };
        return c.json(await setPolicy(deps, c.get("sudoActor"), input, mode));
      },
    );
}
