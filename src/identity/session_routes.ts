import { NullSchema } from "../http/common_schemas.ts";
import { createRouter } from "../http/env.ts";
import { operation } from "../http/openapi/openapi.ts";
import { validParam, validQuery } from "../http/validation.ts";
import { SESSION_EXAMPLES } from "./examples.ts";
import { requireAccessToken, requireSudoToken } from "./guards.ts";
import {
  EndSessionsQuerySchema,
  SessionListQuerySchema,
  SessionListSchema,
  SessionPathSchema,
} from "./schemas.ts";
import { endOtherSessions, endSession, listSessions, type SessionDeps } from "./session_service.ts";

const tag = "Sessions";
const security = "accessBearerAuth";

export function createSessionRoutes(deps: SessionDeps) {
  const requireAccess = requireAccessToken(deps);

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
      async (c) => c.json(await listSessions(deps, c.var.actor, c.req.valid("query"))),
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
        return c.json(null);
      },
    )
    .delete(
      "/user/session",
      operation({
        operationId: "endOtherSessions",
        tag,
        summary: "End all other sessions",
        description:
          "Ends all sessions of the user except the one that makes this request. With `keys=true`, also deletes the keys " +
          "that the user made, in roles of which they are a member, directly or indirectly. That needs a sudo token, however recent the sign-in is. " +
          "Others have to delete the keys that `GET /user/key` still lists afterwards.",
        security: ["sudoBearerAuth", "accessBearerAuth"],
        success: NullSchema,
        errors: ["SUDO_TOKEN_REQUIRED"],
        example: SESSION_EXAMPLES.endOtherSessions,
      }),
      requireSudoToken(deps),
      validQuery(EndSessionsQuerySchema),
      async (c) => {
        await endOtherSessions(deps, c.var.sudoActor, c.var.clientAddress, c.req.valid("query"));
        return c.json(null);
      },
    );
}
