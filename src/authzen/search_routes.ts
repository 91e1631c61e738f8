import { createRouter } from "../http/env.ts";
import { operation } from "../http/openapi/openapi.ts";
import { validJson } from "../http/validation.ts";
import type { GraphGuards } from "../identity/graph_guards.ts";
import type { AuthzenDeps } from "./deps.ts";
import { PATHS } from "./discovery.ts";
import { AUTHZEN_EXAMPLES } from "./examples.ts";
import {
  ActionResultsSchema,
  ActionSearchSchema,
  ResourceResultsSchema,
  ResourceSearchSchema,
  SubjectResultsSchema,
  SubjectSearchSchema,
} from "./schemas.ts";
import { searchActions, searchResources, searchSubjects } from "./search_service.ts";

const tag = "AuthZEN";
const security = "accessBearerAuth";
const PAGES =
  "Results come in pages, in order of id. A page may be short, or empty, although another one follows: the end " +
  "is where `next_token` is empty. Unknown fields are ignored.";

/** Returns the routes of searches of the Authorization API 1.0. */
export function createSearchRoutes(deps: AuthzenDeps, guards: GraphGuards) {
  return createRouter()
    .post(
      PATHS.subjects,
      operation({
        operationId: "searchSubjects",
        tag,
        summary: "Search for who may do something",
        description:
          "Subject Search of the AuthZEN Authorization API 1.0. Callers who may not ask about others find at most " +
          `themselves. A user is named by the id of their account, the \`sub\` of their tokens. ${PAGES}`,
        security,
        data: "graph",
        takes: "body",
        success: SubjectResultsSchema,
        example: AUTHZEN_EXAMPLES.searchSubjects,
      }),
      guards.caller,
      validJson(SubjectSearchSchema, { otherTypeIsMalformed: true }),
      async (c) => c.json(await searchSubjects(deps, c.get("actor"), c.req.valid("json"))),
    )
    .post(
      PATHS.resources,
      operation({
        operationId: "searchResources",
        tag,
        summary: "Search for what a subject may do something to",
        description:
          "Resource Search of the AuthZEN Authorization API 1.0. About oneself it finds all; about others, the " +
          `resources about which the caller may ask. ${PAGES}`,
        security,
        data: "graph",
        takes: "body",
        success: ResourceResultsSchema,
        example: AUTHZEN_EXAMPLES.searchResources,
      }),
      guards.caller,
      validJson(ResourceSearchSchema, { otherTypeIsMalformed: true }),
      async (c) => c.json(await searchResources(deps, c.get("actor"), c.req.valid("json"))),
    )
    .post(
      PATHS.actions,
      operation({
        operationId: "searchActions",
        tag,
        summary: "Search for what a subject may do",
        description:
          "Action Search of the AuthZEN Authorization API 1.0: what `POST /access/v1/evaluation` permits. " +
          PAGES,
        security,
        data: "graph",
        takes: "body",
        success: ActionResultsSchema,
        errors: ["EVALUATIONS_TOO_COSTLY"],
        example: AUTHZEN_EXAMPLES.searchActions,
      }),
      guards.caller,
      validJson(ActionSearchSchema, { otherTypeIsMalformed: true }),
      async (c) => c.json(await searchActions(deps, c.get("actor"), c.req.valid("json"))),
    );
}
