import * as v from "valibot";
import { AppError } from "../core/errors.ts";
import { meterQueue } from "../core/metrics.ts";
import { Shares } from "../core/shares.ts";
import { createRouter } from "../http/env.ts";
import { operation } from "../http/openapi/openapi.ts";
import { ENCODING_MESSAGE } from "../http/read_body.ts";
import { respondText } from "../http/respond.ts";
import type { TextParts } from "../http/sender.ts";
import { documentedBody, validJson, validQuery } from "../http/validation.ts";
import type { GraphGuards } from "../identity/graph_guards.ts";
import {
  CHARACTERS_PER_COST,
  KNOWN_SERIES_COST,
  NEW_SERIES_COST,
  POINT_COST,
  QUERY_COST,
  REQUEST_COST,
  VALUES_PER_COST,
  WRITE_COST,
} from "./bucket/bucket.ts";
import { createBucketSizes } from "./bucket/bucket_sizes.ts";
import { collectTelemetry } from "./collect/collect_service.ts";
import type { TelemetryDeps } from "./deps.ts";
import { TELEMETRY_EXAMPLES } from "./examples.ts";
import { parseQueries } from "./collect/parse_query.ts";
import { formatList } from "./collect/result_text.ts";
import { MAX_POINTS_BYTES, MAX_REQUEST_SERIES, MAX_VALUES } from "./points/point_rules.ts";
import { LINE_PROTOCOL_TYPE, POINTS_TYPE_MESSAGE } from "./body/media_types.ts";
import { MAX_RETURNED_POINTS, SCANNED_PER_POINT } from "./read_budget.ts";
import {
  CollectBodySchema,
  CollectResponseSchema,
  findNamespace,
  PointsBodySchema,
  WriteQuerySchema,
} from "./schemas.ts";
import { createInfluxClientRoutes } from "./influx_client_routes.ts";
import { meterOf, takePoints } from "./write_routes.ts";

const tag = "Telemetry";
const security = "accessBearerAuth";

/**
 * Limits of reads per process: concurrent ones (some 100 MB each, and some take many seconds), waiting ones, and the
 * wait in milliseconds.
 */
const READS_AT_ONCE = { file: 4, remote: 8 };
const MAX_WAITING_READS = 1000;
const TURN_TIMEOUT_MS = 10_000;

/** Limits of long writes per process: concurrent ones (some 100 MB each), and waiting ones. */
const LONG_WRITES_AT_ONCE = 1;
const MAX_WAITING_WRITES = 100;

const USAGE_HEADERS =
  "The headers `X-RateLimit-Cost`, `X-RateLimit-Used` and `X-RateLimit-Remaining` show its state.";

export function createTelemetryRoutes(deps: TelemetryDeps, guards: GraphGuards) {
  const timeoutMs = deps.telemetryTurnMs ?? TURN_TIMEOUT_MS;
  const readLimiter = new Shares({
    size: READS_AT_ONCE[deps.database.kind],
    waiting: MAX_WAITING_READS,
    timeoutMs,
    leavesRoom: true,
    meter: meterQueue(deps.metrics, "telemetry_reads"),
  });
  const writeLimiter = new Shares({
    size: LONG_WRITES_AT_ONCE,
    waiting: MAX_WAITING_WRITES,
    timeoutMs,
    meter: meterQueue(deps.metrics, "telemetry_writes"),
  });
  const bucketSizes = createBucketSizes(deps);
  return createRouter()
    .route("/", createInfluxClientRoutes({ ...deps, bucketSizes, writeLimiter }, guards))
    .post(
      "/v1/telemetry/query",
      operation({
        operationId: "collectTelemetry",
        tag,
        summary: "Collect telemetry data",
        description:
          "Executes up to 1000 telemetry queries. The response has the form of the request: one result " +
          "for one query, or a list with the result of each query at its index.\n\n" +
          "Each query reads one device; the caller must be a member, directly or indirectly, of a role " +
          "that monitors it, or did, and reads the points of all such periods, and none of the time between " +
          "them. If less than the range was read, the result has `clipped: true`; if no period meets it, the result of that query is `Unauthorized`, as for a device that " +
          "does not exist. A query that is malformed, not allowed or without data does not affect the " +
          "others. Each tag set is a series of its own.\n\n" +
          `All queries together return at most ${MAX_RETURNED_POINTS} points; a row counts as one point ` +
          "per column.\n\n" +
          `A leaky bucket limits the rate per user, and per role for all of its keys: a request costs ${REQUEST_COST}, each query ` +
          `${QUERY_COST} and each returned point ${POINT_COST}. If all queries together scan more than ` +
          `${SCANNED_PER_POINT} values for each returned point, ${SCANNED_PER_POINT} scanned values cost as much ` +
          `as a point instead. ${USAGE_HEADERS}`,
        security,
        data: "telemetry",
        takes: "body",
        success: CollectResponseSchema,
        errors: [
          "TOO_MUCH_TELEMETRY",
          "TELEMETRY_BUCKET_TOO_SMALL",
          "TELEMETRY_BUCKET_FULL",
        ],
        example: TELEMETRY_EXAMPLES.collectTelemetry,
      }),
      guards.caller,
      // Parsed at once: until then a long body takes thirty times its size.
      validJson(v.pipe(v.unknown(), v.transform(parseQueries)), {
        documentedBy: CollectBodySchema,
        beforeLong: (c) => meterOf({ ...deps, bucketSizes }, c).requireRoom(),
      }),
      async (c) => {
        const parsed = c.req.valid("json");
        if (parsed === undefined) {
          const details = [{ path: "body", message: "Expected one query, or a list of 1 to 1000" }];
          throw new AppError("MALFORMED_REQUEST", { details });
        }
        const { actor, sender } = c.var;
        sender.requireRoom();
        const results = await collectTelemetry(
          { ...deps, readLimiter },
          actor,
          parsed.items,
          meterOf({ ...deps, bucketSizes }, c),
        );
        const text = parsed.single ? results[0] as TextParts : formatList(results);
        return respondText(c, "application/json", text);
      },
    )
    .post(
      "/v1/telemetry",
      operation({
        operationId: "writeTelemetry",
        tag,
        summary: "Write telemetry data",
        description:
          "Writes points of one or more devices: all of them, or none, unless `partial=true`. The body is JSON or InfluxDB line " +
          "protocol (`text/plain`, or without a `Content-Type`; timestamps in the given precision), and may be " +
          "compressed with gzip. The tag `nodeId` names the device of a point.\n\n" +
          "The query string says where the points go, in one of three ways: `db` with or without " +
          "`rp`, or `org` and `bucket`, or `namespace`.\n\n" +
          "Needs, for each device, direct or indirect deviceManagement, or indirect roleManagement, on a " +
          "role that monitors it now. The times of its points must lie in the period of that relation, or of an earlier one on " +
          "whose role the same authorizing role has these rights, too.\n\n" +
          "Points that cannot be written refuse the request: malformed ones (400, the first line), those of a device that " +
          "does not exist or that the caller may not write (403), and those of another type or time than allowed (422). The " +
          "`details` name the lines, up to 20, even without `X-Error-Details`: `line` counts from 1, also in JSON, and " +
          "`nodeId` is that of the line. With `partial=true`, these lines are left out and the others written; " +
          "the response is a 400 with the number of lines (`dropped`) and the same `details`.\n\n" +
          "Clients of InfluxDB 1.x and 2.x find their paths, `/write` and `/api/v2/write`, below this one and at the root.\n\n" +
          "If several points have the same " +
          "series, time and field, the last one is kept. A field keeps the type (number, boolean or " +
          "string) of its first value.\n\n" +
          `A request can hold up to ${MAX_VALUES} values (the fields of all points), ` +
          `${MAX_REQUEST_SERIES} series (combinations of tag set and field) and ` +
          `${MAX_POINTS_BYTES / 1024 / 1024} MiB.\n\n` +
          "An account that writes for several tenants should send `roleId`: a `nodeId` belongs to the " +
          "account that registers it first, perhaps of another tenant.\n\n" +
          `The leaky bucket of telemetry queries is charged for writes, too, also for those that are refused: ` +
          `1 for ${VALUES_PER_COST} values, 1 for ${CHARACTERS_PER_COST} characters, ${KNOWN_SERIES_COST} per ` +
          `series that a recent write has found, and ${NEW_SERIES_COST} per other series, but at least ` +
          `${WRITE_COST}. ${USAGE_HEADERS}`,
        security: ["accessBearerAuth", "keyBearerAuth"],
        takes: "body",
        success: "empty",
        errors: [
          "PARTIAL_WRITE",
          "FORBIDDEN",
          "TELEMETRY_REFUSED",
          "TELEMETRY_BUCKET_TOO_SMALL",
          "TELEMETRY_BUCKET_FULL",
          "TELEMETRY_STORE_FULL",
        ],
        messages: { UNSUPPORTED_MEDIA_TYPE: [POINTS_TYPE_MESSAGE, ENCODING_MESSAGE] },
        example: TELEMETRY_EXAMPLES.writeTelemetry,
      }),
      guards.caller,
      validQuery(WriteQuerySchema),
      documentedBody(
        { "application/json": PointsBodySchema, [LINE_PROTOCOL_TYPE]: v.string() },
        MAX_POINTS_BYTES,
      ),
      async (c) => {
        const query = c.req.valid("query");
        const { precision, roleId, partial = false } = query;
        const [sentType = ""] = (c.req.header("Content-Type") ?? LINE_PROTOCOL_TYPE).split(";");
        const mediaType = sentType.trim().toLowerCase();
        const destination = { ...findNamespace(query), roleId };
        const writeDeps = { ...deps, bucketSizes, writeLimiter };
        return await takePoints(writeDeps, c, { destination, mediaType, precision, isPartial: partial });
      },
    );
}
