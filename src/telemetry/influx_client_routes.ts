import type { Context, MiddlewareHandler } from "hono";
import type * as v from "valibot";
import { AppError } from "../core/errors.ts";
import { type AppEnv, createRouter } from "../http/env.ts";
import { asBodyReader } from "../http/guard_order.ts";
import { undocumented } from "../http/openapi/openapi.ts";
import { readBody } from "../http/read_body.ts";
import { allowAnyQuery, validQuery } from "../http/validation.ts";
import type { GraphGuards } from "../identity/graph_guards.ts";
import { LINE_PROTOCOL_TYPE } from "./body/media_types.ts";
import { DEFAULT_RETENTION_POLICY, MAX_POINTS_BYTES } from "./points/point_rules.ts";
import { Influx1QuerySchema, Influx2QuerySchema } from "./schemas.ts";
import { type DescribedWrite, type TakeDeps, takePoints } from "./write_routes.ts";

/** Where clients of InfluxDB may find its paths: at the root, or below that of writing, which some are given as their URL. */
const BASES = ["", "/v1/telemetry"] as const;

const MAX_STATEMENT_BYTES = 4096;

/** `CREATE DATABASE` with a name and nothing else. */
const CREATE_DATABASE = /^\s*CREATE\s+DATABASE\s+(?:"(?:[^"\\]|\\.)+"|[A-Za-z_]\w*)\s*;?\s*$/i;

/**
 * Creates the routes for writing as clients of InfluxDB 1.x and 2.x do it. Points go where `POST /v1/telemetry` puts them.
 * Lines that cannot be written are left out by default, as there.
 */
export function createInfluxClientRoutes(deps: TakeDeps, guards: GraphGuards) {
  const router = createRouter();
  const hidden = undocumented();
  const takesPoints = asBodyReader<MiddlewareHandler<AppEnv>>((_c, next) => next(), MAX_POINTS_BYTES);
  for (const base of BASES) {
    router
      .post(
        `${base}/write`,
        hidden,
        guards.influxCaller,
        validQuery(Influx1QuerySchema),
        takesPoints,
        async (c) => {
          const query = c.req.valid("query");
          const { db: database, rp, roleId } = query;
          const destination = { database, retentionPolicy: rp || DEFAULT_RETENTION_POLICY, roleId };
          return await takePoints(deps, c, { ...describe(c, query), destination, client: "influx1" });
        },
      )
      .post(
        `${base}/api/v2/write`,
        hidden,
        guards.influxCaller,
        validQuery(Influx2QuerySchema),
        takesPoints,
        async (c) => {
          const query = c.req.valid("query");
          const destination = { ...query.bucket, roleId: query.roleId };
          return await takePoints(deps, c, {
            ...describe(c, query),
            destination,
            client: "influx2",
          });
        },
      )
      .get(
        `${base}/ping`,
        hidden,
        allowAnyQuery(),
        (c) => c.body(null, 204, { "X-Influxdb-Version": "Rolegrid" }),
      )
      .get(
        `${base}/health`,
        hidden,
        allowAnyQuery(),
        (c) => c.json({ name: "rolegrid", status: "pass" }),
      );
  }
  // Below /v1/telemetry, this path reads.
  return router.post(
    "/query",
    hidden,
    guards.influxCaller,
    allowAnyQuery(),
    asBodyReader<MiddlewareHandler<AppEnv>>((_c, next) => next(), MAX_STATEMENT_BYTES),
    async (c) => {
      const body = new URLSearchParams(await readBody(c, { maxBytes: MAX_STATEMENT_BYTES }));
      // No statement of the database asks.
      await c.get("askLife")?.();
      const statement = c.req.query("q") ?? body.get("q") ?? "";
      if (!CREATE_DATABASE.test(statement)) {
        const message = "Only CREATE DATABASE is possible here: read by POST /v1/telemetry/query";
        throw new AppError("MALFORMED_REQUEST", { message });
      }
      // A database exists as soon as it is written to.
      return c.json({ results: [{ statement_id: 0 }] });
    },
  );
}

/** Returns what the paths of both versions have in common. */
function describe(
  c: Context<AppEnv>,
  { precision = "ns", partial = true }: Pick<
    v.InferOutput<typeof Influx1QuerySchema>,
    "precision" | "partial"
  >,
): Pick<DescribedWrite, "mediaType" | "precision" | "isPartial"> {
  // Whatever else clients name, they send lines.
  const isJson = /^\s*application\/json\s*(;|$)/i.test(c.req.header("Content-Type") ?? "");
  return {
    mediaType: isJson ? "application/json" : LINE_PROTOCOL_TYPE,
    precision: precision === "n" ? "ns" : precision === "u" ? "us" : precision,
    isPartial: partial,
  };
}
