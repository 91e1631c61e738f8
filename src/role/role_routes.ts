import { countChecks } from "../core/metrics.ts";
import { NullSchema } from "../http/common_schemas.ts";
import { createRouter } from "../http/env.ts";
import { checkPastRights } from "../graph/history/check_service.ts";
import { operation } from "../http/openapi/openapi.ts";
import { validJson, validParam, validQuery } from "../http/validation.ts";
import { LASTING_RULE, SUDO_HEADER_TEXT } from "../identity/descriptions.ts";
import type { GraphGuards } from "../identity/graph_guards.ts";
import { SUDO_HEADER } from "../identity/guards.ts";
import type { RoleDeps } from "./deps.ts";
import { ROLE_EXAMPLES } from "./examples.ts";
import { readIdempotentRequest, validIdempotencyKey } from "../changes/idempotency_middleware.ts";
import { PREVIEWING, readMode, validIfEffect } from "../changes/preview/preview_middleware.ts";
import { findRolePassword, setRolePassword } from "./password/role_password_service.ts";
import { summarizeRoles } from "./summary_service.ts";
import { checkRights, createRole, requireSession, updateRole } from "./role_service.ts";
import {
  CompanyListSchema,
  CreatedRoleSchema,
  CreateRoleQuerySchema,
  CreateRoleSchema,
  DryRunQuerySchema,
  FoundRolePasswordSchema,
  RightsCheckResponseSchema,
  RightsCheckSchema,
  RolePasswordSchema,
  RolePathSchema,
  RoleResponseSchema,
  SummaryListSchema,
  SummaryQuerySchema,
  UpdateRoleSchema,
  UsageSchema,
} from "./schemas.ts";
import { findUsage, type UsageDeps } from "./usage_service.ts";

const tag = "Roles";
const security = "accessBearerAuth";

export function createRoleRoutes(deps: RoleDeps & UsageDeps, guards: GraphGuards) {
  return createRouter()
    .post(
      "/v1/role/summary",
      operation({
        operationId: "summarizeRoles",
        tag,
        summary: "Summarize what is around roles",
        description:
          "Returns, for each of these roles of which the caller is a member, directly or indirectly, the number of its " +
          "parents that the caller sees, of its children, and of all roles below it, in order of id. Children and roles " +
          "below are counted to 100,000; parents among the first 1,000 relations. If more than 30 of the roles have more " +
          "than 20,000 below them, those with the greatest ids are counted to 20,000.",
        security,
        data: "graph",
        takes: "body",
        success: SummaryListSchema,
        example: ROLE_EXAMPLES.summarizeRoles,
      }),
      guards.caller,
      validJson(SummaryQuerySchema),
      async (c) => {
        const { id } = c.req.valid("json");
        return c.json({ summary: await summarizeRoles(deps, c.get("actor"), id) });
      },
    )
    .post(
      "/v1/role",
      operation({
        operationId: "createRole",
        tag,
        summary: "Create a new role",
        description:
          "Creates a role and the manages relation that connects it to its parent. Needs direct or " +
          "indirect roleManagement on the parent role. The relation must carry roleManagement, so that " +
          "the new role has a role that manages it. To repeat the request safely after a lost response, " +
          "send an `Idempotency-Key`.",
        security,
        data: "graph",
        takes: "body",
        success: CreatedRoleSchema,
        errors: [
          "FORBIDDEN",
          "ROLE_WITHOUT_MANAGER",
          "EXTERNAL_ID_TAKEN",
          "CLOSURE_CHANGE_TOO_LARGE",
          "IDEMPOTENCY_KEY_REUSED",
        ],
        example: ROLE_EXAMPLES.createRole,
      }),
      guards.caller,
      validIdempotencyKey(),
      validQuery(CreateRoleQuerySchema),
      validJson(CreateRoleSchema),
      async (c) => {
        const [{ key }, query, body] = [c.req.valid("header"), c.req.valid("query"), c.req.valid("json")];
        const { manages, role } = body;
        const idempotency = readIdempotentRequest(c, { key, query, body });
        const { parentRoleId } = query;
        const { name, externalId, selfRights } = role;
        const input = { parentRoleId, name, externalId, selfRights, manages, idempotency };
        return c.json(await createRole(deps, c.get("actor"), input));
      },
    )
    .put(
      "/v1/role/:roleId",
      operation({
        operationId: "updateRole",
        tag,
        summary: "Update a role",
        description:
          "Sets the name and the self rights of a role, and its external id if the request names one. Needs indirect " +
          "roleManagement on the role: no role can raise its own self rights.\n\n" + PREVIEWING,
        security,
        data: "graph",
        takes: "body",
        success: RoleResponseSchema,
        errors: ["FORBIDDEN", "EXTERNAL_ID_TAKEN", "EFFECT_CHANGED"],
        example: ROLE_EXAMPLES.updateRole,
      }),
      guards.caller,
      validIfEffect(),
      validParam(RolePathSchema),
      validQuery(DryRunQuerySchema),
      validJson(UpdateRoleSchema),
      async (c) => {
        const { name, externalId, selfRights } = c.req.valid("json");
        const mode = readMode({ ...c.req.valid("query"), ...c.req.valid("header") });
        const input = { ...c.req.valid("param"), name, externalId, selfRights };
        return c.json(await updateRole(deps, c.get("actor"), input, mode));
      },
    )
    .get(
      "/v1/role/:roleId/usage",
      operation({
        operationId: "getRoleUsage",
        tag,
        summary: "Get what a role uses of its quotas",
        description:
          "Returns how many roles and devices count to the root role that members of the role act through, and how much " +
          "changes have stored lately, with what is allowed. A direct member of the root gets the figures of the whole " +
          "root. A direct member of a role below it gets those of their branch (all whom the same person has brought, directly " +
          "or not), which may use up to an eighth of each. Roles and devices count to the root that their creator acted " +
          "through, and imported ones to none.\n\n" +
          "Needs a direct membership of the role, with or without a right such as userManagement.",
        security,
        data: "graph",
        success: UsageSchema,
        errors: ["FORBIDDEN"],
        example: ROLE_EXAMPLES.getRoleUsage,
      }),
      guards.caller,
      validParam(RolePathSchema),
      async (c) => c.json(await findUsage(deps, c.get("actor"), c.req.valid("param").roleId)),
    )
    .get(
      "/v1/role/:roleId/password",
      operation({
        operationId: "getRolePassword",
        tag,
        summary: "Get what is known of a role password",
        description:
          "Returns whether the role has a password, who set it when and with which `rights`, and whether it " +
          "still works. Needs the right to set it: direct or indirect roleManagement on the role.",
        security,
        usersOnly: true,
        data: "graph",
        success: FoundRolePasswordSchema,
        errors: ["FORBIDDEN"],
        example: ROLE_EXAMPLES.getRolePassword,
      }),
      guards.caller,
      validParam(RolePathSchema),
      async (c) => c.json(await findRolePassword(deps, c.get("actor"), c.req.valid("param").roleId)),
    )
    .put(
      "/v1/role/:roleId/password",
      operation({
        operationId: "setRolePassword",
        tag,
        summary: "Set or remove a role password",
        description:
          "A caller who knows the password of a role, and has roleManagement on another one, can place the first below " +
          "the second, with at most `rights`. Needs direct or indirect roleManagement on " +
          "the role.\n\n" +
          "With indirect roleManagement, `rights` can be any; the default is all six. With direct " +
          "roleManagement alone, they are limited to the selfRights of the role without roleManagement, " +
          "which is also the default. `null` removes the password; relations created with it remain.\n\n" +
          "At each use the password carries at most what its setter could still give. If the setter could no longer set " +
          "one, for example after their removal from the role, it is void, like a wrong password. A " +
          "password that is to be sent in a header must not begin or end with white space.\n\n" +
          LASTING_RULE,
        security,
        usersOnly: true,
        data: "graph",
        takes: "body",
        headers: { [SUDO_HEADER]: SUDO_HEADER_TEXT },
        success: NullSchema,
        errors: ["SUDO_TOKEN_REQUIRED", "FORBIDDEN"],
        example: ROLE_EXAMPLES.setRolePassword,
      }),
      guards.caller,
      guards.proof,
      validParam(RolePathSchema),
      validJson(RolePasswordSchema),
      async (c) => {
        await setRolePassword(deps, c.var.sudoActor, { ...c.req.valid("param"), ...c.req.valid("json") });
        return c.json(null);
      },
    )
    .post(
      "/v1/rights/check",
      operation({
        operationId: "checkRights",
        tag,
        summary: "Check rights",
        description:
          "Returns, in the order of the checks, whether the caller has each right on the role, directly " +
          "or indirectly. A role that does not exist gives false.\n\n" +
          "With `asOf`, returns whether the caller had each right then, on the roles of which they are a member now, and " +
          "the revision that `asOf` stands for. Ends of memberships are judged at its time. History is kept for " +
          "HISTORY_DAYS, and of an older database from its upgrade on; earlier: 410. Up to 10,000 relations above the " +
          "roles are followed; more: 422.",
        security,
        data: "graph",
        takes: "body",
        success: RightsCheckResponseSchema,
        errors: ["BEFORE_HISTORY", "LINEAGE_TOO_LARGE"],
        example: ROLE_EXAMPLES.checkRights,
      }),
      guards.caller,
      validJson(RightsCheckSchema),
      async (c) => {
        const { checks, asOf } = c.req.valid("json");
        const actor = c.get("actor");
        if (asOf !== undefined) return c.json(await checkPastRights(deps, actor, checks, asOf));
        const allowed = await checkRights(deps, actor, checks);
        countChecks(deps.metrics, "rights", allowed);
        return c.json({ allowed });
      },
    )
    .get(
      "/v1/company",
      operation({
        operationId: "collectCompanies",
        tag,
        summary: "Collect companies",
        description:
          "Returns an empty list: this service knows roles and no companies. It exists for clients that begin " +
          "with this request.",
        security,
        data: "graph",
        success: CompanyListSchema,
        example: ROLE_EXAMPLES.collectCompanies,
      }),
      guards.caller,
      async (c) => {
        await requireSession(deps, c.get("actor"));
        return c.json({ company: [] });
      },
    );
}
