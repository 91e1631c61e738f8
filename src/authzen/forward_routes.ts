import type { Context, MiddlewareHandler } from "hono";
import { nameActor } from "../core/actor.ts";
import { type AppEnv, createRouter } from "../http/env.ts";
import { operation } from "../http/openapi/openapi.ts";
import { documentedQuery } from "../http/validation.ts";
import type { GraphGuards } from "../identity/graph_guards.ts";
import type { AuthzenDeps } from "./deps.ts";
import { FORWARD_PATH } from "./discovery.ts";
import { AUTHZEN_EXAMPLES } from "./examples.ts";
import { requireForward } from "./forward_service.ts";
import { ForwardQuerySchema } from "./schemas.ts";

const SUBJECT = "X-Rolegrid-Subject";

/** Returns the route at which a proxy asks whether it may pass on a request. */
export function createForwardRoutes(deps: AuthzenDeps, guards: GraphGuards) {
  async function answer(c: Context<AppEnv>): Promise<Response> {
    const actor = c.get("actor");
    const [, query = ""] = /\?(.*)$/.exec(c.req.url) ?? [];
    await requireForward(deps, actor, query);
    const named = nameActor(actor);
    return c.body(null, 200, { [SUBJECT]: "keyId" in named ? `key:${named.keyId}` : `user:${named.userId}` });
  }
  // A proxy may ask with the method of the request that it holds; the document describes one.
  return createRouter()
    .get(
      FORWARD_PATH,
      operation({
        operationId: "forwardAuth",
        tag: "AuthZEN",
        summary: "Decide whether a proxy may pass on a request",
        description:
          "For proxies that ask before they pass on a request (`auth_request`, `forward_auth`, `ext_authz`): does the " +
          "caller, whose token the proxy sends along, have the right on the resource? The response has no body. It is a " +
          "200 for yes, and a 403 for no and for all that does not exist. `right` is one of the six rights, such as " +
          "`viewManagement`, or `member`; on a device, it is held on a role that monitors the device, or is an action: " +
          "`read`, `write` or `manage`. The query is the whole question: `right` and one of `roleId`, `deviceId` and " +
          "`nodeId`, each once. With any other query, the response is a 403. Every method asks the same. No body is read, " +
          "and headers other than `Authorization` do not matter.",
        security: "accessBearerAuth",
        data: "graph",
        success: "headers",
        successHeaders: { [SUBJECT]: "The caller: `user:` or `key:` and the id" },
        errors: ["FORBIDDEN", "STEP_UP_REQUIRED"],
        example: AUTHZEN_EXAMPLES.forwardAuth,
      }),
      documentedQuery(ForwardQuerySchema),
      answerProxy,
      guards.caller,
      answer,
    )
    .all(FORWARD_PATH, answerProxy, guards.caller, answer);
}

/**
 * Lets no part of the request but its query be malformed, since proxies pass on what clients send, and removes the body
 * of an error, which a proxy would show to a client of another service.
 */
const answerProxy: MiddlewareHandler<AppEnv> = async (c, next) => {
  c.set("shapeChecks", []);
  await next();
  if (c.res.status >= 400) c.res = new Response(null, { status: c.res.status });
};
