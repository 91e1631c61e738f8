import { NullSchema } from "../http/common_schemas.ts";
import { createRouter } from "../http/env.ts";
import { operation } from "../http/openapi/openapi.ts";
import { validParam, validQuery } from "../http/validation.ts";
import type { IdentityDeps } from "./deps.ts";
import { SESSION_EXAMPLES } from "./examples.ts";
import { requireAccessToken } from "./guards.ts";
import { SessionListQuerySchema, SessionListSchema, SessionPathSchema } from "./schemas.ts";
import { endOtherSessions, endSession, listSessions } from "./session_service.ts";

const tag = "Sessions";
const security = "accessBearerAuth";
const NO_STORE = { "Cache-Control": "no-store" };

export function createSessionRoutes(deps: IdentityDeps) {
  const requireAccess = requireAccessToken(deps.accessTokens);

  return createRouter()
    .get(
      "/user/session",
      operation({
        operationId: "listSessions",
        tag,
        summary: "List sessions",
        description:
          "The active sessions of the user, newest first. A user has at most 100: a login that makes one more " +
          "ends the session whose latest token is the oldest.",
        security,
        success: SessionListSchema,
        example: SESSION_EXAMPLES.listSessions,
      }),
      requireAccess,
      validQuery(SessionListQuerySchema),
      async (c) => c.json(await listSessions(deps, c.var.actor, c.req.valid("query")), 200, NO_STORE),
    )
    .delete(
      "/user/session/:id",
      operation({
        operationId: "endSession",
        tag,
        summary: "End a session",
        description:
          "All tokens of the session stop working immediately. Responds with 403 if the session does not " +
          "exist, has already ended or belongs to another user.",
        security,
        success: NullSchema,
        errors: ["FORBIDDEN"],
        example: SESSION_EXAMPLES.endSession,
      }),
      requireAccess,
      validParam(SessionPathSchema),
      async (c) => {
        await endSession(deps, c.var.actor, c.req.valid("param").id, c.var.clientAddress);
        return c.json(null, 200, NO_STORE);
      },
    )
    .delete(
      "/user/session",
      operation({
        operationId: "endOtherSessions",
        tag,
        summary: "End all other sessions",
        description: "Ends all sessions of the user except the one that makes this request.",
        security,
        success: NullSchema,
        takes: "nothing",
        example: SESSION_EXAMPLES.endOtherSessions,
      }),
      requireAccess,
      async (c) => {
        await endOtherSessions(deps, c.var.actor, c.var.clientAddress);
        return c.json(null, 200, NO_STORE);
      },
    );
}
