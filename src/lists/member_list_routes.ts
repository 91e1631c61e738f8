import { respondCollection, withPaging } from "../http/collect.ts";
import { createRouter } from "../http/env.ts";
import { operation } from "../http/openapi/openapi.ts";
import { withSuccessor } from "../http/successor_middleware.ts";
import { validJson, validParam, validQuery } from "../http/validation.ts";
import type { GraphGuards } from "../identity/graph_guards.ts";
import type { RoleDeps } from "../role/deps.ts";
import { MEMBER_EXAMPLES } from "../role/examples.ts";
import { listMembers } from "./member_listing_service.ts";
import { PagingQuerySchema } from "../http/list_schemas.ts";
import {
  MemberCollectSchema,
  MemberListSchema,
  MemberQuerySchema,
  RolesPathSchema,
} from "../role/schemas.ts";

const tag = "Members";
const security = "accessBearerAuth";

export function createMemberListRoutes(deps: RoleDeps, guards: GraphGuards) {
  return createRouter()
    .get(
      "/v1/role/:roleId/member",
      operation({
        operationId: "collectMembers",
        tag,
        summary: "Collect members",
        description:
          "Returns the direct members of roles on which the caller has direct or indirect userManagement " +
          "or indirect roleManagement, and the caller's own memberships. Array parameters can be repeated " +
          "or comma-separated.",
        security,
        data: "graph",
        success: MemberListSchema,
        supersededBy: "POST /v1/role/{roleId}/member/query",
        example: MEMBER_EXAMPLES.collectMembers,
      }),
      withSuccessor(),
      guards.caller,
      validParam(RolesPathSchema),
      validQuery(MemberCollectSchema),
      async (c) => {
        const { limit, cursor, ...filter } = c.req.valid("query");
        const readPage = listMembers.bind(null, deps, c.get("actor"), c.req.valid("param").roleId, filter);
        return await respondCollection(c, { key: "member", limit, cursor, readPage });
      },
    )
    .post(
      "/v1/role/:roleId/member/query",
      operation({
        operationId: "queryMembers",
        tag,
        summary: "Query members",
        description:
          "Returns the direct members of roles on which the caller has direct or indirect userManagement " +
          "or indirect roleManagement, and the caller's own memberships, in order of id.",
        security,
        data: "graph",
        takes: "body",
        success: MemberListSchema,
        example: MEMBER_EXAMPLES.queryMembers,
      }),
      guards.caller,
      validParam(RolesPathSchema),
      validQuery(PagingQuerySchema),
      validJson(MemberQuerySchema, { bodyOptional: true }),
      async (c) => {
        const { filter = {}, limit, cursor } = withPaging(c.req.valid("json"), c.req.valid("query"));
        const readPage = listMembers.bind(null, deps, c.get("actor"), c.req.valid("param").roleId, filter);
        return await respondCollection(c, { key: "member", limit, cursor, readPage });
      },
    );
}
