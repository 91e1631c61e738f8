import { withPaging } from "../../http/collect.ts";
import { createRouter } from "../../http/env.ts";
import { operation } from "../../http/openapi/openapi.ts";
import { respondJson } from "../../http/respond.ts";
import { validJson, validParam, validQuery } from "../../http/validation.ts";
import type { GraphGuards } from "../../identity/graph_guards.ts";
import { RolePathSchema } from "../../role/schemas.ts";
import { NEIGHBOURHOOD_EXAMPLES } from "./examples.ts";
import { readNeighbourhood } from "./neighbourhood_service.ts";
import { CHILDREN, ChildrenQuerySchema, NeighbourhoodQuerySchema, NeighbourhoodSchema } from "./schemas.ts";
import type { GraphDeps } from "../../graph/deps.ts";

export function createNeighbourhoodRoutes(
  deps: GraphDeps,
  guards: GraphGuards,
) {
  return createRouter().post(
    "/v1/role/:roleId/neighbourhood/query",
    operation({
      operationId: "queryNeighbourhood",
      tag: "Roles",
      summary: "Query what is around a role",
      description:
        "Returns what a picture of the hierarchy around a role needs, of one revision: the role with the roles above it " +
        "that the caller sees, up to 100, and a page of its children; up to 1,000 relations that lead to these; and what " +
        "`POST /v1/role/summary` says of them. Of a role of which the caller is not a member, directly or indirectly, and " +
        "of an unknown one, everything is empty.\n\n" +
        "With `userEmail`, it also returns what `POST /v1/access/query` says of that person on these roles. An address " +
        "that is not known has access to nothing.\n\n" +
        "The way up is walked like that of an explanation, over up to 2,000 relations. " +
        "For callers with more than 32 memberships, and with `userEmail`, there are fewer roles if hundreds are above " +
        "each of them. Counts from 2,000 on may be of a later revision.\n\n" +
        "With `asOf`, the relations, rights and names are those of a moment in the past, where history has no name that " +
        "of now; nothing is counted, and there are no external ids. What the caller sees, and whom they may ask about, " +
        "is decided as of now. A page looks at up to 2,000 relations that ever led from the role, so it may have few " +
        "children although others follow. Earlier than the history that is kept, or than that of the role: 410 with " +
        "`since`. Up to 10,000 relations are followed; more: 422.",
      security: "accessBearerAuth",
      data: "graph",
      errors: ["BEFORE_HISTORY", "LINEAGE_TOO_LARGE"],
      takes: "body",
      success: NeighbourhoodSchema,
      example: NEIGHBOURHOOD_EXAMPLES.queryNeighbourhood,
    }),
    guards.caller,
    validParam(RolePathSchema),
    validQuery(ChildrenQuerySchema),
    validJson(NeighbourhoodQuerySchema, { bodyOptional: true }),
    async (c) => {
      const { userEmail, asOf, limit = CHILDREN, cursor } = withPaging(
        c.req.valid("json"),
        c.req.valid("query"),
      );
      const { roleId } = c.req.valid("param");
      return await respondJson(c, async () => {
        const page = { afterId: cursor === undefined ? -1 : Number(cursor), limit };
        const { next, ...around } = await readNeighbourhood(
          deps,
          c.get("actor"),
          { roleId, userEmail, asOf },
          page,
        );
        return { ...around, nextCursor: next === null ? null : String(next) };
      });
    },
  );
}
