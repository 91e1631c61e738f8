import { respondCollection, withPaging } from "../http/collect.ts";
import { createRouter } from "../http/env.ts";
import { operation } from "../http/openapi/openapi.ts";
import { withSuccessor } from "../http/successor_middleware.ts";
import { validJson, validParam, validQuery } from "../http/validation.ts";
import type { GraphGuards } from "../identity/graph_guards.ts";
import { PagingQuerySchema } from "../http/list_schemas.ts";
import { RolesPathSchema } from "../role/schemas.ts";
import type { DeviceDeps } from "../device/deps.ts";
import { MONITORS_EXAMPLES } from "../device/examples.ts";
import { listMonitors } from "./device_listing_service.ts";
import { MonitorsCollectSchema, MonitorsListSchema, MonitorsQuerySchema } from "../device/schemas.ts";

const tag = "Monitors relations";
const security = "accessBearerAuth";

export function createMonitorsListRoutes(deps: DeviceDeps, guards: GraphGuards) {
  return createRouter()
    .get(
      "/v1/role/:roleId/monitors",
      operation({
        operationId: "collectMonitors",
        tag,
        summary: "Collect monitors relations",
        description: "Returns the monitors relations of roles of which the caller is a member, directly or " +
          "indirectly. Array parameters can be repeated or comma-separated.",
        security,
        data: "graph",
        success: MonitorsListSchema,
        supersededBy: "POST /v1/role/{roleId}/monitors/query",
        example: MONITORS_EXAMPLES.collectMonitors,
      }),
      withSuccessor(),
      guards.caller,
      validParam(RolesPathSchema),
      validQuery(MonitorsCollectSchema),
      (c) => {
        const { limit, cursor, ...filter } = c.req.valid("query");
        const readPage = listMonitors.bind(null, deps, c.get("actor"), c.req.valid("param").roleId, filter);
        return respondCollection(c, { key: "monitors", limit, cursor, readPage });
      },
    )
    .post(
      "/v1/role/:roleId/monitors/query",
      operation({
        operationId: "queryMonitors",
        tag,
        summary: "Query monitors relations",
        description: "Returns the monitors relations of roles of which the caller is a member, directly or " +
          "indirectly, in order of id. A relation is returned only if it matches every filter. Ids that " +
          "do not exist or that the caller may not see match nothing.",
        security,
        data: "graph",
        takes: "body",
        success: MonitorsListSchema,
        example: MONITORS_EXAMPLES.queryMonitors,
      }),
      guards.caller,
      validParam(RolesPathSchema),
      validQuery(PagingQuerySchema),
      validJson(MonitorsQuerySchema, { bodyOptional: true }),
      (c) => {
        const { filter = {}, limit, cursor } = withPaging(c.req.valid("json"), c.req.valid("query"));
        const readPage = listMonitors.bind(null, deps, c.get("actor"), c.req.valid("param").roleId, filter);
        return respondCollection(c, { key: "monitors", limit, cursor, readPage });
      },
    );
}
