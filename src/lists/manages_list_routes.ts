import { respondCollection, withPaging } from "../http/collect.ts";
import { createRouter } from "../http/env.ts";
import { operation } from "../http/openapi/openapi.ts";
import { withSuccessor } from "../http/successor_middleware.ts";
import { validJson, validParam, validQuery } from "../http/validation.ts";
import type { GraphGuards } from "../identity/graph_guards.ts";
import type { RoleDeps } from "../role/deps.ts";
import { MANAGES_EXAMPLES } from "../role/examples.ts";
import { listManagedBy, listManages } from "./manages_listing_service.ts";
import { PagingQuerySchema } from "../http/list_schemas.ts";
import {
  ManagedByQuerySchema,
  ManagesCollectSchema,
  ManagesListSchema,
  ManagesQuerySchema,
  ParentsPathSchema,
  RolesPathSchema,
} from "../role/schemas.ts";

const tag = "Manages relations";
const security = "accessBearerAuth";

export function createManagesListRoutes(deps: RoleDeps, guards: GraphGuards) {
  return createRouter()
    .get(
      "/v1/role/:parentRoleId/manages",
      operation({
        operationId: "collectManages",
        tag,
        summary: "Collect manages relations",
        description:
          "Returns the manages relations that start from a role of which the caller is a member, directly " +
          "or indirectly. Array parameters can be repeated or comma-separated.",
        security,
        data: "graph",
        success: ManagesListSchema,
        supersededBy: "POST /v1/role/{parentRoleId}/manages/query",
        example: MANAGES_EXAMPLES.collectManages,
      }),
      withSuccessor(),
      guards.caller,
      validParam(ParentsPathSchema),
      validQuery(ManagesCollectSchema),
      (c) => {
        const { limit, cursor, ...filter } = c.req.valid("query");
        const { parentRoleId } = c.req.valid("param");
        const readPage = listManages.bind(null, deps, c.get("actor"), parentRoleId, filter);
        return respondCollection(c, { key: "manages", limit, cursor, readPage });
      },
    )
    .post(
      "/v1/role/:parentRoleId/manages/query",
      operation({
        operationId: "queryManages",
        tag,
        summary: "Query manages relations",
        description:
          "Returns the manages relations that start from a role of which the caller is a member, directly " +
          "or indirectly, in order of id. A relation is returned only if it matches every filter. Ids " +
          "that do not exist or that the caller may not see match nothing.",
        security,
        data: "graph",
        takes: "body",
        success: ManagesListSchema,
        example: MANAGES_EXAMPLES.queryManages,
      }),
      guards.caller,
      validParam(ParentsPathSchema),
      validQuery(PagingQuerySchema),
      validJson(ManagesQuerySchema, { bodyOptional: true }),
      (c) => {
        const { filter = {}, limit, cursor } = withPaging(c.req.valid("json"), c.req.valid("query"));
        const { parentRoleId } = c.req.valid("param");
        const readPage = listManages.bind(null, deps, c.get("actor"), parentRoleId, filter);
        return respondCollection(c, { key: "manages", limit, cursor, readPage });
      },
    )
    .post(
      "/v1/role/:roleId/managed-by/query",
      operation({
        operationId: "queryManagedBy",
        tag,
        summary: "Query the managers of a role",
        description:
          "Returns the manages relations that lead to the role, and so the roles that manage it. Covers " +
          "only roles on which the caller has direct or indirect roleManagement.",
        security,
        data: "graph",
        takes: "body",
        success: ManagesListSchema,
        example: MANAGES_EXAMPLES.queryManagedBy,
      }),
      guards.caller,
      validParam(RolesPathSchema),
      validQuery(PagingQuerySchema),
      validJson(ManagedByQuerySchema, { bodyOptional: true }),
      (c) => {
        const { limit, cursor } = withPaging(c.req.valid("json"), c.req.valid("query"));
        const readPage = listManagedBy.bind(null, deps, c.get("actor"), c.req.valid("param").roleId);
        return respondCollection(c, { key: "manages", limit, cursor, readPage });
      },
    );
}
