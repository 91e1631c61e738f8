import { createRouter } from "../../http/env.ts";
import { operation } from "../../http/openapi/openapi.ts";
import { respondJson } from "../../http/respond.ts";
import { validJson } from "../../http/validation.ts";
import type { GraphDeps } from "../../graph/deps.ts";
import type { GraphGuards } from "../../identity/graph_guards.ts";
import { PERSON_EXAMPLES } from "./examples.ts";
import { listPeople } from "./person_service.ts";
import { PersonListSchema, PersonQuerySchema } from "./schemas.ts";

export function createPersonRoutes(deps: GraphDeps, guards: GraphGuards) {
  return createRouter().post(
    "/v1/person/query",
    operation({
      operationId: "queryPeople",
      tag: "Members",
      summary: "Query people",
      description:
        "Returns the name, the last sign-in and the second factors of accounts, in order of id. An account is in the list " +
        "only if the caller has direct or indirect userManagement, or indirect roleManagement, on every role of which the " +
        "person is a member or, as far as is on record, was, and these are at most 20. One role elsewhere keeps an " +
        "account out of the list, since anyone may add an address to a role of their own.",
      security: "accessBearerAuth",
      usersOnly: true,
      data: "graph",
      takes: "body",
      success: PersonListSchema,
      errors: ["FORBIDDEN"],
      example: PERSON_EXAMPLES.queryPeople,
    }),
    guards.caller,
    validJson(PersonQuerySchema),
    async (c) => {
      const { userId } = c.req.valid("json");
      return await respondJson(c, async () => ({ person: await listPeople(deps, c.get("actor"), userId) }));
    },
  );
}
