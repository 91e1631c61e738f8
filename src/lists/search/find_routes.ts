import { createRouter } from "../../http/env.ts";
import { operation } from "../../http/openapi/openapi.ts";
import { respondJson } from "../../http/respond.ts";
import { validJson } from "../../http/validation.ts";
import type { GraphGuards } from "../../identity/graph_guards.ts";
import { SEARCH_EXAMPLES } from "./examples.ts";
import { find } from "./find_service.ts";
import { FindQuerySchema, FoundSchema } from "./schemas.ts";
import type { GraphDeps } from "../../graph/deps.ts";

export function createFindRoutes(deps: GraphDeps, guards: GraphGuards) {
  return createRouter().post(
    "/v1/search",
    operation({
      operationId: "search",
      tag: "Roles",
      summary: "Find roles, people and devices",
      description:
        "Returns roles by any part of their name, people by any part of their address, and devices by any part of their " +
        "nodeId or of their property `name`; case does not matter. A text of digits alone also finds the role and the " +
        "device with that id. Of people, it finds members of roles whose members the caller manages (direct or indirect " +
        "userManagement, or indirect roleManagement).\n\n" +
        "Each kind has its own list, in order of id, and its own `nextCursor`, which the next request sends with that " +
        "kind alone. A list may be short, or empty, although more follows.",
      security: "accessBearerAuth",
      data: "graph",
      takes: "body",
      success: FoundSchema,
      example: SEARCH_EXAMPLES.search,
    }),
    guards.caller,
    validJson(FindQuerySchema),
    (c) => {
      const { text, kind, limit, cursor } = c.req.valid("json");
      return respondJson(c, () => find(deps, c.get("actor"), { text, kinds: kind, limit, cursor }));
    },
  );
}
