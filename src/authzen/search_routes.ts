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
        summary: "Search for subjects that may take an action on a resource",
        description:
          "Subject Search of the AuthZEN Authorization API 1.0. A caller who may not ask about others finds at most " +
          `themselves. The id of a user is the \`sub\` of their tokens. ${PAGES}`,
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
        summary: "Search for resources on which a subject may take an action",
        description:
          "Resource Search of the AuthZEN Authorization API 1.0. Callers find all resources of their own; of another " +
          `subject, those about which they may ask. ${PAGES}`,
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
        summary: "Search for actions that a subject may take on a resource",
        description:
          "Action Search of the AuthZEN Authorization API 1.0. Returns each action that `POST /access/v1/evaluation` permits. " +
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
