import { nameActor } from "../core/actor.ts";
import { AppError } from "../core/errors.ts";
import { createRouter } from "../http/env.ts";
import { operation } from "../http/openapi/openapi.ts";
import { readUnmodifiedSince } from "../http/unmodified_since.ts";
import { validJson, validParam, validQuery } from "../http/validation.ts";
import type { GraphGuards } from "../identity/graph_guards.ts";
import { readIdempotentRequest, validIdempotencyKey } from "../changes/idempotency_middleware.ts";
import type { DeviceDeps } from "./deps.ts";
import { DEVICE_EXAMPLES } from "./examples.ts";
import { createDevice, createDevices, updateDevice } from "./device_service.ts";
import { PREVIEWING, readMode, validIfEffect } from "../changes/preview/preview_middleware.ts";
import { transferDevice, transferDevices } from "./monitors_service.ts";
import {
  CreatedDevicesSchema,
  CreateDeviceQuerySchema,
  CreateDeviceSchema,
  CreateDevicesSchema,
  DevicePathSchema,
  DeviceResponseSchema,
  TransferManySchema,
  TransferQuerySchema,
  TransferSchema,
  TransfersSchema,
  UpdateDeviceQuerySchema,
  UpdateDeviceSchema,
} from "./schemas.ts";

const tag = "Devices";
const security = "accessBearerAuth";

const UNMODIFIED_SINCE =
  "Updates the device only if its `lastUpdate` is not later than this time. Whole seconds are compared. An HTTP " +
  "date, or an RFC 3339 time such as a `lastUpdate`; any other value is ignored";

export function createDeviceRoutes(deps: DeviceDeps, guards: GraphGuards) {
  return createRouter()
    .post(
      "/v1/device",
      operation({
        operationId: "createDevice",
        tag,
        summary: "Create devices",
        description:
          "Creates a device and the monitors relation that connects it to a role, or as many as a list has: all or none, " +
          "with the rows in the log and the charge of single ones, and a response in the order of the list. Needs direct or " +
          "indirect deviceManagement, or indirect roleManagement, on the role. The nodeId of a deleted " +
          "device can be used again once its telemetry has been deleted, and that of one which no role has monitored " +
          "for 30 days. To repeat the request safely " +
          "after a lost response, send an `Idempotency-Key`.\n\n" + PREVIEWING,
        security,
        data: "graph",
        takes: "body",
        success: CreatedDevicesSchema,
        errors: [
          "FORBIDDEN",
          "NODE_ID_TAKEN",
          "EXTERNAL_ID_TAKEN",
          "IDEMPOTENCY_KEY_REUSED",
          "EFFECT_CHANGED",
        ],
        example: DEVICE_EXAMPLES.createDevice,
      }),
      guards.caller,
      validIdempotencyKey(),
      validIfEffect(),
      validQuery(CreateDeviceQuerySchema),
      validJson(CreateDeviceSchema, { orList: CreateDevicesSchema, keepsNumbers: true }),
      async (c) => {
        const [{ key, tag }, body] = [c.req.valid("header"), c.req.valid("json")];
        const { dryRun, ...query } = c.req.valid("query");
        const mode = readMode({ dryRun, tag });
        const idempotency = readIdempotentRequest(c, { key, query, body });
        const input = { ...query, idempotency };
        const actor = c.get("actor");
        try {
          if (!Array.isArray(body)) {
            return c.json(await createDevice(deps, actor, { ...input, device: body }, mode));
          }
          return c.json(await createDevices(deps, actor, { ...input, devices: body }, mode));
        } catch (error) {
          // Repeats by one user may be a search for the devices of others, or an attempt to register them first.
          if (error instanceof AppError && error.code === "NODE_ID_TAKEN") {
            c.get("log").warn("device.node_id_taken", {
              requestId: c.get("requestId"),
              ...nameActor(actor),
            });
          }
          throw error;
        }
      },
    )
    .post(
      "/v1/device/:deviceId/transfer",
      operation({
        operationId: "transferDevice",
        tag,
        summary: "Transfer a device",
        description:
          "Gives a device to a role: every relation that monitors it now ends at this moment and keeps its past, " +
          "those to come are deleted, and a new one begins. Each side reads the telemetry of its own time. Changes " +
          "nothing if the role alone monitors the device.\n\n" +
          "Needs direct or indirect deviceManagement on the role, and for each of these relations what deleting it " +
          "needs. Otherwise the response is a 409 whose `monitors` names those that the caller sees but may not end, " +
          "and the number of others.\n\n" + PREVIEWING,
        security,
        data: "graph",
        success: TransferSchema,
        errors: ["FORBIDDEN", "CANNOT_END_MONITORS", "TOO_MANY_MONITORS", "EFFECT_CHANGED"],
        example: DEVICE_EXAMPLES.transferDevice,
      }),
      guards.caller,
      validIfEffect(),
      validParam(DevicePathSchema),
      validQuery(TransferQuerySchema),
      async (c) => {
        const { toRoleId, ...query } = c.req.valid("query");
        const mode = readMode({ ...query, ...c.req.valid("header") });
        const input = { ...c.req.valid("param"), toRoleId };
        return c.json(await transferDevice(deps, c.get("actor"), input, mode));
      },
    )
    .post(
      "/v1/device/transfer",
      operation({
        operationId: "transferDevices",
        tag,
        summary: "Transfer devices",
        description:
          "Gives several devices to a role, as the transfer of a single one does: all of them, or none. The log has one " +
          "row of it for the role, and one for each role that loses devices; one undo takes all of it back. " +
          "Devices that the role alone monitors stay as they are.\n\n" +
          "Needs deviceManagement on the role, and for each device what its transfer alone needs. A refusal is about the first device that is in the way, " +
          "and names it in `deviceId`. To repeat the request safely after a lost response, send an `Idempotency-Key`.\n\n" +
          PREVIEWING,
        security,
        data: "graph",
        takes: "body",
        success: TransfersSchema,
        errors: [
          "FORBIDDEN",
          "CANNOT_END_MONITORS",
          "TOO_MANY_MONITORS",
          "IDEMPOTENCY_KEY_REUSED",
          "EFFECT_CHANGED",
        ],
        example: DEVICE_EXAMPLES.transferDevices,
      }),
      guards.caller,
      validIdempotencyKey(),
      validIfEffect(),
      validQuery(TransferQuerySchema),
      validJson(TransferManySchema),
      async (c) => {
        const [{ key, tag }, body] = [c.req.valid("header"), c.req.valid("json")];
        const { dryRun, ...query } = c.req.valid("query");
        const idempotency = readIdempotentRequest(c, { key, query, body });
        const input = { ...query, deviceIds: body.deviceId, idempotency };
        return c.json(await transferDevices(deps, c.get("actor"), input, readMode({ dryRun, tag })));
      },
    )
    .put(
      "/v1/device/:deviceId",
      operation({
        operationId: "updateDevice",
        tag,
        summary: "Update a device",
        description:
          "Sets properties of a device. By default it keeps the top-level properties that the request does not " +
          "mention; `mode=replace` removes them. A property whose value is `null` is stored as `null`, and an " +
          "object replaces the former one as a whole. `nodeId` cannot change and may be left out. The external id " +
          "changes if the request names one. Needs direct " +
          "or indirect deviceManagement, or indirect roleManagement, on a role that monitors the device.",
        security,
        data: "graph",
        takes: "body",
        headers: { "If-Unmodified-Since": UNMODIFIED_SINCE },
        success: DeviceResponseSchema,
        errors: [
          "FORBIDDEN",
          "NODE_ID_FIXED",
          "DEVICE_MODIFIED",
          "PROPERTIES_TOO_LARGE",
          "EXTERNAL_ID_TAKEN",
        ],
        example: DEVICE_EXAMPLES.updateDevice,
      }),
      guards.caller,
      validParam(DevicePathSchema),
      validQuery(UpdateDeviceQuerySchema),
      validJson(UpdateDeviceSchema, { keepsNumbers: true }),
      async (c) => {
        const { mode = "legacy" } = c.req.valid("query");
        const { properties, externalId } = c.req.valid("json");
        const device = await updateDevice(deps, c.get("actor"), {
          ...c.req.valid("param"),
          properties,
          externalId,
          mode: mode === "legacy" ? "legacy" : "replace",
          unmodifiedSince: readUnmodifiedSince(c.req.header("If-Unmodified-Since") ?? "", deps.clock()),
        });
        return c.json({ device });
      },
    );
}
