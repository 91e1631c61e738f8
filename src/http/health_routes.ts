import * as v from "valibot";
import { AppError } from "../core/errors.ts";
import { createRouter } from "./env.ts";
import { operation } from "./openapi.ts";

const tag = "Service";
const HealthSchema = v.object({ status: v.literal("ok") });

/** `/healthz`: the process answers. `/readyz`: it can serve, which `isReady` finds out. */
// deno-lint-ignore explicit-module-boundary-types -- the chained routes are the type that clients are built from
export function createHealthRoutes(isReady: () => Promise<boolean>) {
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
        description: "200 if the database answers and has the schema that this program needs; else 503.",
        security: "none",
        success: HealthSchema,
        takes: "nothing",
      }),
      async (c) => {
        if (!await isReady()) throw new AppError("UNAVAILABLE", { retryAfterSeconds: 5 });
        return c.json({ status: "ok" as const }, 200, { "Cache-Control": "no-store" });
      },
    );
}
