import { createRouter } from "../../http/env.ts";
import { operation } from "../../http/openapi/openapi.ts";
import { respondJson } from "../../http/respond.ts";
import { validJson } from "../../http/validation.ts";
import type { GraphGuards } from "../../identity/graph_guards.ts";
import type { AccessDeps } from "../access/people_service.ts";
import { GRANT_EXAMPLES } from "./examples.ts";
import { listGrants } from "./grant_service.ts";
import { GrantListSchema, GrantQuerySchema } from "./schemas.ts";

export function createGrantRoutes(deps: AccessDeps, guards: GraphGuards) {
  return createRouter().post(
    "/v1/grant/query",
    operation({
      operationId: "queryGrants",
      tag: "Access",
      summary: "Query what a user or key gave",
      description:
        "Returns what a user or a key gave and what still stands: memberships and keys of roles whose members the caller " +
        "manages (direct or indirect userManagement, or indirect roleManagement), and passwords of roles and relations " +
        "from or to roles on which the caller has direct or indirect roleManagement. In order of role. A user who is not " +
        "known has given nothing. Later changes do not change who gave something; what an administrator or an import " +
        "made, nobody gave.\n\n" +
        "A page may be short, or empty, although others follow: read on until `nextCursor` is null. Without `limit`, it " +
        "has up to 100 grants.",
      security: "accessBearerAuth",
      data: "graph",
      takes: "body",
      success: GrantListSchema,
      example: GRANT_EXAMPLES.queryGrants,
    }),
    guards.caller,
    validJson(GrantQuerySchema),
    async (c) => {
      const { filter: { grantedBy, roleId, kind }, limit, cursor } = c.req.valid("json");
      const kinds = kind === undefined ? undefined : [kind].flat();
      return await respondJson(
        c,
        () => listGrants(deps, c.get("actor"), { grantedBy, roleId, kinds, limit, cursor }),
      );
    },
  );
}
