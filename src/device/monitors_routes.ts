import { respondCollection, withPaging } from "../http/collect.ts";
import { createRouter } from "../http/env.ts";
import { operation } from "../http/openapi/openapi.ts";
import { withSuccessor } from "../http/successor_middleware.ts";
import { validJson, validParam, validQuery } from "../http/validation.ts";
import type { GraphGuards } from "../identity/graph_guards.ts";
import { PagingQuerySchema } from "../http/list_schemas.ts";
import { DeletionSchema, EmptyBodySchema, RolePathSchema, RolesPathSchema } from "../role/schemas.ts";
import type { DeviceDeps } from "./deps.ts";
import { MONITORS_EXAMPLES } from "./examples.ts";
import { listMonitors } from "./listing_service.ts";
import { MAX_MONITORS } from "./monitors_queries.ts";
import { addMonitors, removeMonitors } from "./monitors_service.ts";
import {
  MonitorsCollectSchema,
  MonitorsListSchema,
  MonitorsPathSchema,
  MonitorsQuerySchema,
  MonitorsResponseSchema,
  PutMonitorsQuerySchema,
} from "./schemas.ts";

const tag = "Monitors relations";
const security = "accessBearerAuth";

export function createMonitorsRoutes(deps: DeviceDeps, guards: GraphGuards) {
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
    )
    .put(
      "/v1/role/:roleId/monitors",
      operation({
        operationId: "addMonitors",
        tag,
        summary: "Create a monitors relation",
        description:
          "Lets a role monitor an existing device; changes nothing if it already does. One authorizing " +
          "role must have direct or indirect deviceManagement both on this role and on a role that " +
          `already monitors the device. At most ${MAX_MONITORS} roles monitor a device.`,
        security,
        data: "graph",
        takes: "body",
        success: MonitorsResponseSchema,
        errors: ["FORBIDDEN", "TOO_MANY_MONITORS"],
        example: MONITORS_EXAMPLES.addMonitors,
      }),
      guards.caller,
      validParam(RolePathSchema),
      validQuery(PutMonitorsQuerySchema),
      validJson(EmptyBodySchema, { bodyOptional: true }),
      async (c) => {
        const input = { ...c.req.valid("param"), ...c.req.valid("query") };
        return c.json({ monitors: await addMonitors(deps, c.get("actor"), input) });
      },
    )
    .delete(
      "/v1/role/:roleId/monitors/:monitorsId",
      operation({
        operationId: "removeMonitors",
        tag,
        summary: "Delete a monitors relation",
        description:
          "Detaches a device from a role. A device that no role monitors any more is deleted, together " +
          "with its telemetry. Needs direct or indirect deviceManagement, or indirect roleManagement, on " +
          "the role.",
        security,
        data: "graph",
        success: DeletionSchema,
        errors: ["FORBIDDEN"],
        example: MONITORS_EXAMPLES.removeMonitors,
      }),
      guards.caller,
      validParam(MonitorsPathSchema),
      async (c) => c.json(await removeMonitors(deps, c.get("actor"), c.req.valid("param"))),
    );
}
