import * as v from "valibot";
import { AppError } from "../core/errors.ts";
import { createRouter } from "./env.ts";
import { operation } from "./openapi/openapi.ts";
import type { Readiness } from "./readiness.ts";

const tag = "Service";
const RETRY_AFTER_SECONDS = 5;
const HealthSchema = v.object({ status: v.literal("ok") });
const ReadinessSchema = v.object({
  ready: v.literal(true),
  parts: v.pipe(
    v.record(v.string(), v.picklist(["ok", "failed", "unavailable"])),
    v.description(
      "What the service cannot serve without, `database` and `schema`, and where an engine of its own keeps the " +
        "points, `telemetry`",
    ),
  ),
});

const READINESS_DESCRIPTION = "200 if every part that the service cannot serve without answers within two " +
  "seconds. Else 503, which also carries `ready: false` and the same `parts`: `unavailable` cannot be reached, " +
  "`failed` is there and not fit to serve. An engine for telemetry is told, and no reason for a 503: everything else " +
  "works without it. Mail is no part: messages wait in the outbox while it is away.";

/** `/healthz`: the process answers. `/readyz`: it can serve, which `checkReadiness` finds out. */
export function createHealthRoutes(checkReadiness: () => Promise<Readiness>) {
  return createRouter()
    .get(
      "/healthz",
      operation({
        operationId: "getHealth",
        tag,
        summary: "Is the process alive?",
        description: "Asks nothing but the process itself.",
        security: "none",
        success: HealthSchema,
        example: { answer: { status: "ok" } },
        takes: "nothing",
      }),
      (c) => c.json({ status: "ok" as const }, 200, { "Cache-Control": "no-store" }),
    )
    .get(
      "/readyz",
      operation({
        operationId: "getReadiness",
        tag,
        summary: "Can the service serve?",
        description: READINESS_DESCRIPTION,
        security: "none",
        success: ReadinessSchema,
        example: { answer: { ready: true, parts: { database: "ok", schema: "ok" } } },
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
        return c.json({ ready: true as const, parts }, 200, { "Cache-Control": "no-store" });
      },
    );
}
