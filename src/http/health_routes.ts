import * as v from "valibot";
import { named } from "./common_schemas.ts";
import { AppError } from "../core/errors.ts";
import { createRouter } from "./env.ts";
import { operation } from "./openapi/openapi.ts";
import type { Readiness } from "./readiness.ts";

const tag = "Service";
const RETRY_AFTER_SECONDS = 5;
const HealthSchema = named("Health", { status: v.literal("ok") });
const ReadinessSchema = named("Readiness", {
  ready: v.literal(true),
  parts: v.pipe(
    v.record(v.string(), v.picklist(["ok", "failed", "unavailable"])),
    v.description(
      "`database` and `schema`, which the service depends on; `storage`, `failed` while nothing can be stored; `points`, " +
        "if recent points are carried over in time; and `telemetry` if points are kept in a separate file or engine",
    ),
  ),
});

const READINESS_DESCRIPTION =
  "Responds with 200 if the database and its schema are ready within two seconds, otherwise with 503 and the fields " +
  "`ready: false` and `parts`. A part is `unavailable` if it cannot be reached, and `failed` if it can be reached but " +
  "not used. Storage, points and a separate telemetry engine are listed, but do not cause a 503: everything else works " +
  "without them. The mail server is not checked: messages wait in the outbox until it is available.";

/** `/healthz`: the process is running. `/readyz`: it is ready to serve, according to `checkReadiness`. */
export function createHealthRoutes(checkReadiness: () => Promise<Readiness>) {
  return createRouter()
    .get(
      "/healthz",
      operation({
        operationId: "getHealth",
        tag,
        summary: "Check that the process is running",
        description: "Checks nothing but the process itself.",
        security: "none",
        success: HealthSchema,
        example: { response: { status: "ok" } },
        takes: "nothing",
      }),
      (c) => c.json({ status: "ok" as const }),
    )
    .get(
      "/readyz",
      operation({
        operationId: "getReadiness",
        tag,
        summary: "Check that the service is ready",
        description: READINESS_DESCRIPTION,
        security: "none",
        success: ReadinessSchema,
        example: { response: { ready: true, parts: { database: "ok", schema: "ok" } } },
        takes: "nothing",
      }),
      async (c) => {
        const { ready, parts } = await checkReadiness();
        if (!ready) {
          throw new AppError("UNAVAILABLE", {
            retryAfterSeconds: RETRY_AFTER_SECONDS,
            extra: { ready, parts },
          });
        }
        return c.json({ ready: true as const, parts });
      },
    );
}
