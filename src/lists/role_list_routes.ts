import { mapPage } from "../core/page.ts";
import { respondCollection, withPaging } from "../http/collect.ts";
import { createRouter } from "../http/env.ts";
import { operation } from "../http/openapi/openapi.ts";
import { withSuccessor } from "../http/successor_middleware.ts";
import { validJson, validQuery } from "../http/validation.ts";
import type { GraphGuards } from "../identity/graph_guards.ts";
import type { RoleDeps } from "../role/deps.ts";
import { ROLE_EXAMPLES } from "../role/examples.ts";
import { listRoles } from "./role_listing_service.ts";
import { RIGHT_NAMES, type Rights } from "../graph/rights.ts";
import { type Role } from "../role/role_service.ts";
import { PagingQuerySchema } from "../http/list_schemas.ts";
import { RoleCollectSchema, RoleListSchema, RoleQuerySchema } from "../role/schemas.ts";

const tag = "Roles";
const security = "accessBearerAuth";

/** Returns a function that limits a role's `userRights` to the requested rights. Without any, it keeps all six. */
function narrowing(asked: Partial<Record<keyof Rights, boolean | undefined>> = {}): (role: Role) => Role {
  const names = RIGHT_NAMES.filter((name) => asked[name] === true);
  if (names.length === 0) return (role) => role;
  return (role) => ({
    ...role,
    userRights: Object.fromEntries(names.map((name) => [name, role.userRights[name]])),
  });
}

export function createRoleListRoutes(deps: RoleDeps, guards: GraphGuards) {
  return createRouter()
    .get(
      "/v1/role",
      operation({
        operationId: "collectRoles",
        tag,
        summary: "Collect roles",
        description:
          "Returns the roles of which the caller is a member, directly or indirectly. Array parameters " +
          "can be repeated or comma-separated. `userRights.<right>=true` limits the returned `userRights` " +
          "to the rights named.",
        security,
        data: "graph",
        success: RoleListSchema,
        supersededBy: "POST /v1/role/query",
        example: ROLE_EXAMPLES.collectRoles,
      }),
      withSuccessor(),
      guards.caller,
      validQuery(RoleCollectSchema),
      (c) => {
        const { limit, cursor, ...filter } = c.req.valid("query");
        const userRights = Object.fromEntries(
          RIGHT_NAMES.map((right) => [right, filter[`userRights.${right}` as const]]),
        );
        return respondCollection(c, {
          key: "role",
          limit,
          cursor,
          readPage: async (page) => {
            return mapPage(await listRoles(deps, c.get("actor"), filter, page), narrowing(userRights));
          },
        });
      },
    )
    .post(
      "/v1/role/query",
      operation({
        operationId: "queryRoles",
        tag,
        summary: "Query roles",
        description:
          "Returns the roles of which the caller is a member, directly or indirectly, in order of id. " +
          "Different filters must all match; the values of one filter are alternatives, and an empty list " +
          "matches nothing. An `ancestorRoleId` of which the caller is not a member matches nothing.",
        security,
        data: "graph",
        takes: "body",
        success: RoleListSchema,
        example: ROLE_EXAMPLES.queryRoles,
      }),
      guards.caller,
      validQuery(PagingQuerySchema),
      validJson(RoleQuerySchema, { bodyOptional: true }),
      (c) => {
        const { filter = {}, userRights, limit, cursor } = withPaging(
          c.req.valid("json"),
          c.req.valid("query"),
        );
        return respondCollection(c, {
          key: "role",
          limit,
          cursor,
          readPage: async (page) => {
            return mapPage(await listRoles(deps, c.get("actor"), filter, page), narrowing(userRights));
          },
        });
      },
    );
}
