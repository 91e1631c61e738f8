import { createRouter } from "../http/env.ts";
import { operation } from "../http/openapi/openapi.ts";
import { validJson, validParam, validQuery } from "../http/validation.ts";
import type { GraphGuards } from "../identity/graph_guards.ts";
import { DeletionQuerySchema, DeletionSchema, RolePathSchema } from "../role/schemas.ts";
import {
  PREVIEWING,
  readMode,
  REFUSING_CASCADE,
  validIfEffect,
} from "../changes/preview/preview_middleware.ts";
import type { DeviceDeps } from "./deps.ts";
import { MONITORS_EXAMPLES } from "./examples.ts";
import { MAX_MONITORS, MAX_PERIODS } from "./monitors_queries.ts";
import { putMonitors, removeMonitors } from "./monitors_service.ts";
import {
  MonitorsPathSchema,
  MonitorsResponseSchema,
  PutMonitorsQuerySchema,
  PutMonitorsSchema,
} from "./schemas.ts";

const tag = "Monitors relations";
const security = "accessBearerAuth";

export function createMonitorsRoutes(deps: DeviceDeps, guards: GraphGuards) {
  return createRouter()
    .put(
      "/v1/role/:roleId/monitors",
      operation({
        operationId: "addMonitors",
        tag,
        summary: "Create or update a monitors relation",
        description:
          "Lets a role monitor an existing device, or changes the period in which it does. Its members read the " +
          "telemetry from `from` up to `until`, and see, manage and write the device while the relation is open, " +
          "that is, between both times.\n\n" +
          "One authorizing role must have direct or indirect deviceManagement both on this role and on a role that " +
          "monitors the device now, and the period must lie within that of this other relation. Who may delete a " +
          "relation may also let it end earlier, or begin later. `until` now ends it and keeps its past.\n\n" +
          "A role has at most one relation with a device that is open or to come: that one is changed. Closed ones " +
          "stay as they are. `from` never moves back.\n\n" +
          `At most ${MAX_MONITORS} roles monitor a device, and it has at most ${MAX_PERIODS} relations in all.\n\n` +
          PREVIEWING,
        security,
        data: "graph",
        takes: "body",
        success: MonitorsResponseSchema,
        errors: [
          "FORBIDDEN",
          "TOO_MANY_MONITORS",
          "OUTSIDE_PERIOD",
          "PERIOD_BEGINS_EARLIER",
          "PERIOD_EMPTY",
          "EFFECT_CHANGED",
        ],
        example: MONITORS_EXAMPLES.addMonitors,
      }),
      guards.caller,
      validIfEffect(),
      validParam(RolePathSchema),
      validQuery(PutMonitorsQuerySchema),
      validJson(PutMonitorsSchema, { bodyOptional: true }),
      async (c) => {
        const { dryRun, ...query } = c.req.valid("query");
        const input = { ...c.req.valid("param"), ...query, ...c.req.valid("json") };
        const mode = readMode({ dryRun, ...c.req.valid("header") });
        return c.json(await putMonitors(deps, c.get("actor"), input, mode));
      },
    )
    .delete(
      "/v1/role/:roleId/monitors/:monitorsId",
      operation({
        operationId: "removeMonitors",
        tag,
        summary: "Delete a monitors relation",
        description:
          "Detaches a device from a role, and takes the past of this relation from it. A device without any other " +
          "relation, open or closed, is deleted, together with its telemetry, once it has been in the trash for " +
          "`TRASH_DAYS`. Until then, the deletion can be undone, and the nodeId is free only to this role. Needs direct or " +
          "indirect deviceManagement, or indirect roleManagement, on the role. To keep the past, end the relation instead " +
          "(`PUT` with `until`).\n\n" + REFUSING_CASCADE + "\n\n" + PREVIEWING,
        security,
        data: "graph",
        success: DeletionSchema,
        errors: ["FORBIDDEN", "WOULD_DELETE", "EFFECT_CHANGED"],
        example: MONITORS_EXAMPLES.removeMonitors,
      }),
      guards.caller,
      validIfEffect(),
      validParam(MonitorsPathSchema),
      validQuery(DeletionQuerySchema),
      async (c) => {
        const { cascade, permanent, ...query } = c.req.valid("query");
        const mode = readMode({ ...query, ...c.req.valid("header") });
        const input = { ...c.req.valid("param"), cascade, permanent };
        return c.json(await removeMonitors(deps, c.get("actor"), input, mode));
      },
    );
}
