import type { Context } from "hono";
import { AppError } from "../core/errors.ts";
import { mapPage, type Page, type PageRequest } from "../core/page.ts";
import { respondCollection, withPaging } from "../http/collect.ts";
import { type AppEnv, createRouter } from "../http/env.ts";
import { operation } from "../http/openapi/openapi.ts";
import { withSuccessor } from "../http/successor_middleware.ts";
import { validJson, validQuery } from "../http/validation.ts";
import type { GraphGuards } from "../identity/graph_guards.ts";
import { PagingQuerySchema } from "../http/list_schemas.ts";
import type { DeviceDeps } from "../device/deps.ts";
import { DEVICE_EXAMPLES } from "../device/examples.ts";
import { type DeviceFields, pickFields } from "../device/device_fields.ts";
import { type DeviceFilter, hasUpdateHash, listDevices, listEndedDevices } from "./device_listing_service.ts";
import { DeviceCollectSchema, DeviceListSchema, DeviceQuerySchema } from "../device/schemas.ts";

const tag = "Devices";
const security = "accessBearerAuth";

const UNCHANGED = "The hash in `skipHash` is that of the devices: nothing has changed";

/** These would tell what a device is by now. */
const NOT_BESIDE_ENDED = "Expected neither externalId, property, fields nor skipHash beside it";

interface DeviceListing {
  readonly filter: DeviceFilter & { readonly ended?: boolean | undefined };
  readonly fields?: readonly string[] | undefined;
  readonly skipHash?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

async function respondDevices(c: Context<AppEnv>, deps: DeviceDeps, listing: DeviceListing) {
  const { filter: { ended, ...filter }, fields, skipHash, limit, cursor } = listing;
  const actor = c.get("actor");
  if (ended === true) {
    const { externalId, property, ...others } = filter;
    if ([externalId, property, fields, skipHash].some((given) => given !== undefined)) {
      const details = [{ path: "filter.ended", message: NOT_BESIDE_ENDED }];
      throw new AppError("MALFORMED_REQUEST", { details });
    }
    const readEnded = listEndedDevices.bind(null, deps, actor, others);
    return await respondCollection(c, { key: "device", limit, cursor, readPage: readEnded });
  }
  if (skipHash !== undefined) {
    // The hash is that of all devices, so a page does not tell it.
    if (limit !== undefined || cursor !== undefined) {
      const source = c.req.method === "POST" ? "body" : "query";
      const details = [{
        path: `${source}.skipHash`,
        message: "Expected neither limit nor cursor beside it",
      }];
      throw new AppError("MALFORMED_REQUEST", { details });
    }
    // A listing ends if the client fetches no further page, but the hash would go on without the client.
    const { signal } = c.req.raw;
    if (await hasUpdateHash(deps, actor, filter, skipHash, signal)) return c.body(null, 204);
  }
  const pick = pickFields(fields);
  const readPage = async (page: PageRequest): Promise<Page<DeviceFields>> =>
    mapPage(await listDevices(deps, actor, filter, page), pick);
  return await respondCollection(c, { key: "device", limit, cursor, readPage });
}

export function createDeviceListRoutes(deps: DeviceDeps, guards: GraphGuards) {
  return createRouter()
    .get(
      "/v1/device",
      operation({
        operationId: "collectDevices",
        tag,
        summary: "Collect devices",
        description:
          "Returns the devices that are monitored by a role of which the caller is a member, directly or " +
          "indirectly. Array parameters can be repeated or comma-separated.",
        security,
        data: "graph",
        success: DeviceListSchema,
        orEmpty: UNCHANGED,
        supersededBy: "POST /v1/device/query",
        example: DEVICE_EXAMPLES.collectDevices,
      }),
      withSuccessor(),
      guards.caller,
      validQuery(DeviceCollectSchema),
      (c) => {
        const { fields, skipHash, limit, cursor, ...filter } = c.req.valid("query");
        return respondDevices(c, deps, { filter, fields, skipHash, limit, cursor });
      },
    )
    .post(
      "/v1/device/query",
      operation({
        operationId: "queryDevices",
        tag,
        summary: "Query devices",
        description:
          "Returns the devices that are monitored by a role of which the caller is a member, directly or " +
          "indirectly, in order of id. Different filters must all match; the values of one filter are " +
          "alternatives, and an empty list matches nothing. A `roleId` or `ancestorRoleId` of which the caller is not a " +
          "member matches nothing.",
        security,
        data: "graph",
        takes: "body",
        success: DeviceListSchema,
        orEmpty: UNCHANGED,
        example: DEVICE_EXAMPLES.queryDevices,
      }),
      guards.caller,
      validQuery(PagingQuerySchema),
      validJson(DeviceQuerySchema, { bodyOptional: true }),
      (c) => {
        const { filter = {}, ...listing } = withPaging(c.req.valid("json"), c.req.valid("query"));
        return respondDevices(c, deps, { filter, ...listing });
      },
    );
}
