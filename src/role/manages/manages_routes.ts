import { AppError } from "../../core/errors.ts";
import { createRouter } from "../../http/env.ts";
import { operation } from "../../http/openapi/openapi.ts";
import { validJson, validParam, validQuery } from "../../http/validation.ts";
import type { GraphGuards } from "../../identity/graph_guards.ts";
import type { ManagesDeps, RoleDeps } from "../deps.ts";
import { MANAGES_EXAMPLES } from "../examples.ts";
import { putManagesByPassword } from "./password_relation_service.ts";
import { readHeaderText } from "../password/role_password.ts";
import { deleteManages, putManages, updateManages } from "./manages_service.ts";
import {
  PREVIEWING,
  readMode,
  REFUSING_CASCADE,
  validIfEffect,
} from "../../changes/preview/preview_middleware.ts";
import { toMask, toRights } from "../../graph/rights.ts";
import {
  DeletionQuerySchema,
  DeletionSchema,
  DryRunQuerySchema,
  ManagesBodySchema,
  ManagesPathSchema,
  ManagesResponseSchema,
  ParentPathSchema,
  PutManagesQuerySchema,
} from "../schemas.ts";

const tag = "Manages relations";
const security = "accessBearerAuth";
const PASSWORD_HEADER = "X-Child-Role-Password";

export function createManagesRoutes(deps: ManagesDeps, guards: GraphGuards) {
  return createRouter()
    .put(
      "/v1/role/:parentRoleId/manages",
      operation({
        operationId: "putManages",
        tag,
        summary: "Create or update a manages relation",
        description: "Creates a relation between two roles, or updates the rights of an existing one.\n\n" +
          "Without the child role's password, one authorizing role must have direct or indirect " +
          "roleManagement on the parent role and indirect roleManagement on the child role. With the " +
          `password (header \`${PASSWORD_HEADER}\`, UTF-8), direct or indirect roleManagement on the ` +
          "parent role is enough, and the relation can carry at most the rights of the password.\n\n" +
          "Keys use no passwords. A wrong or empty password is rejected even if the caller does not need one. Wrong passwords " +
          "are throttled per child role and caller, per child role, and per caller.\n\n" +
          "With `replaces`, another relation to the child role is deleted in the same change, which needs the " +
          "right to delete it, and is not possible together with a password. So a role is moved, and never " +
          "without a parent in between.\n\n" + PREVIEWING,
        security,
        data: "graph",
        takes: "body",
        headers: { [PASSWORD_HEADER]: "Password of the child role, in UTF-8" },
        success: ManagesResponseSchema,
        errors: [
          "FORBIDDEN",
          "WOULD_CREATE_CYCLE",
          "ROLE_WITHOUT_MANAGER",
          "CLOSURE_CHANGE_TOO_LARGE",
          "TOO_MANY_ROLE_PASSWORD_CHECKS",
          "EFFECT_CHANGED",
        ],
        example: MANAGES_EXAMPLES.putManages,
      }),
      guards.caller,
      validIfEffect(),
      validParam(ParentPathSchema),
      validQuery(PutManagesQuerySchema),
      validJson(ManagesBodySchema),
      async (c) => {
        const { childRoleId, replaces, ...query } = c.req.valid("query");
        const childRolePassword = pickPassword(deps, query.childRolePassword, c.req.header(PASSWORD_HEADER));
        const mode = readMode({ dryRun: query.dryRun, ...c.req.valid("header") });
        const rights = toRights(toMask(c.req.valid("json")));
        const input = { ...c.req.valid("param"), childRoleId, rights };
        const { actor } = c.var;
        if (childRolePassword === undefined) {
          return c.json(await putManages(deps, actor, { ...input, replaces }, mode));
        }
        if (replaces !== undefined) throw replacesByPassword();
        const byPassword = { ...input, childRolePassword };
        return c.json(await putManagesByPassword(deps, actor, byPassword, mode));
      },
    )
    .put(
      "/v1/role/:parentRoleId/manages/:managesId",
      operation({
        operationId: "updateManages",
        tag,
        summary: "Update an existing manages relation",
        description:
          "Sets the rights of a manages relation. To add a right, one authorizing role must have direct " +
          "or indirect roleManagement on the parent role and indirect roleManagement on the child role. " +
          "To remove rights, it is enough to be allowed to delete the relation.\n\n" + PREVIEWING,
        security,
        data: "graph",
        takes: "body",
        success: ManagesResponseSchema,
        errors: ["FORBIDDEN", "ROLE_WITHOUT_MANAGER", "CLOSURE_CHANGE_TOO_LARGE", "EFFECT_CHANGED"],
        example: MANAGES_EXAMPLES.updateManages,
      }),
      guards.caller,
      validIfEffect(),
      validParam(ManagesPathSchema),
      validQuery(DryRunQuerySchema),
      validJson(ManagesBodySchema),
      async (c) => {
        const mode = readMode({ ...c.req.valid("query"), ...c.req.valid("header") });
        const rights = toRights(toMask(c.req.valid("json")));
        return c.json(
          await updateManages(deps, c.get("actor"), { ...c.req.valid("param"), rights }, mode),
        );
      },
    )
    .delete(
      "/v1/role/:parentRoleId/manages/:managesId",
      operation({
        operationId: "deleteManages",
        tag,
        summary: "Delete a manages relation",
        description:
          "Deletes the relation. If no other relation leads to the child role and it is not a root role, " +
          "it is deleted, too, together with all roles and devices below it that would be left " +
          "unconnected.\n\n" +
          "Needs direct or indirect roleManagement on the parent role, or indirect roleManagement on the " +
          "child role. A relation that was only possible with the child role's password can also be " +
          "deleted with direct roleManagement on the child role, as long as the child is a root role or " +
          "has another parent.\n\n" +
          "Deleted devices lie in the trash for `TRASH_DAYS`. Until then, the deletion can be undone, and a nodeId is " +
          "free only to the parent role.\n\n" + REFUSING_CASCADE + "\n\n" + PREVIEWING,
        security,
        data: "graph",
        success: DeletionSchema,
        errors: [
          "FORBIDDEN",
          "ROLE_WITHOUT_MANAGER",
          "WOULD_DELETE",
          "CLOSURE_CHANGE_TOO_LARGE",
          "EFFECT_CHANGED",
        ],
        example: MANAGES_EXAMPLES.deleteManages,
      }),
      guards.caller,
      validIfEffect(),
      validParam(ManagesPathSchema),
      validQuery(DeletionQuerySchema),
      async (c) => {
        const { permanent, cascade, ...query } = c.req.valid("query");
        const mode = readMode({ ...query, ...c.req.valid("header") });
        return c.json(
          await deleteManages(deps, c.get("actor"), { ...c.req.valid("param"), permanent, cascade }, mode),
        );
      },
    );
}

/** Returns the password of a request, or undefined without one. Throws `MALFORMED_REQUEST` for two different ones. */
function pickPassword(
  { refuseQuerySecrets }: Pick<RoleDeps, "refuseQuerySecrets">,
  ofQuery: string | undefined,
  header: string | undefined,
): string | undefined {
  if (ofQuery !== undefined && refuseQuerySecrets) throw refusedQuerySecret();
  const ofHeader = header === undefined ? undefined : readHeaderText(header);
  if (ofQuery !== undefined && ofHeader !== undefined && ofQuery !== ofHeader) {
    const details = [{
      path: "query.childRolePassword",
      message: `Expected the same value as the header ${PASSWORD_HEADER}`,
    }];
    throw new AppError("MALFORMED_REQUEST", { details });
  }
  return ofHeader ?? ofQuery;
}

function replacesByPassword(): AppError {
  const details = [{ path: "query.replaces", message: "Not together with a password" }];
  return new AppError("MALFORMED_REQUEST", { details });
}

function refusedQuerySecret(): AppError {
  const message =
    `The query parameter childRolePassword is not accepted here: use the header ${PASSWORD_HEADER} instead`;
  return new AppError("MALFORMED_REQUEST", { message });
}
