import { createRouter } from "../http/env.ts";
import { withEtag } from "../http/etag_middleware.ts";
import { operation } from "../http/openapi/openapi.ts";
import { validJson } from "../http/validation.ts";
import type { GraphGuards } from "../identity/graph_guards.ts";
import type { AuthzenDeps } from "./deps.ts";
import { describeDecisionPoint, PATHS } from "./discovery.ts";
import { evaluate, evaluateList } from "./evaluation_service.ts";
import { AUTHZEN_EXAMPLES } from "./examples.ts";
import { parseSingle } from "./evaluation_list.ts";
import {
  DecisionSchema,
  DecisionsSchema,
  DescribedEvaluationsSchema,
  EvaluationSchema,
  EvaluationsSchema,
  MetadataSchema,
} from "./schemas.ts";

const tag = "AuthZEN";
const security = "accessBearerAuth";
const METADATA_FRESHNESS = "public, max-age=3600";

const WHOM =
  "All callers may ask about themselves. Those who may list the members of the role (for a device: of a role that " +
  "monitors it) may also ask about others, and so may a key with `asks` that reaches it. For other callers, and for " +
  "what does not exist, the decision is `false`.";

/** Returns the routes of evaluations of the Authorization API 1.0, and of the metadata that leads to them. */
export function createEvaluationRoutes(deps: AuthzenDeps, guards: GraphGuards) {
  const metadata = describeDecisionPoint(deps.publicUrl);
  return createRouter()
    .post(
      PATHS.evaluation,
      operation({
        operationId: "evaluate",
        tag,
        summary: "Decide whether a subject may do something",
        description:
          `Access Evaluation of the AuthZEN Authorization API 1.0. ${WHOM} Unknown fields are ignored.`,
        security,
        data: "graph",
        takes: "body",
        success: DecisionSchema,
        errors: ["EVALUATIONS_TOO_COSTLY"],
        example: AUTHZEN_EXAMPLES.evaluate,
      }),
      guards.caller,
      validJson(EvaluationSchema, { otherTypeIsMalformed: true }),
      async (c) => c.json(await evaluate(deps, c.get("actor"), c.req.valid("json"))),
    )
    .post(
      PATHS.evaluations,
      operation({
        operationId: "evaluateList",
        tag,
        summary: "Decide many times",
        description:
          "Access Evaluations of the AuthZEN Authorization API 1.0: up to 1,000 decisions by the rules of " +
          "`POST /access/v1/evaluation`. They share one revision unless more than 5,000 monitors relations " +
          "have to be read for them; each names its revision. An item that is incomplete or malformed is `decision: false` in its " +
          "place.\n\nA limit bounds what lists of one caller cost in 15 seconds: the number of evaluations, times " +
          "the caller's memberships and one.",
        security,
        data: "graph",
        takes: "body",
        success: DecisionsSchema,
        errors: ["EVALUATIONS_TOO_COSTLY"],
        example: AUTHZEN_EXAMPLES.evaluateList,
      }),
      guards.caller,
      validJson(EvaluationsSchema, {
        otherTypeIsMalformed: true,
        documentedBy: DescribedEvaluationsSchema,
      }),
      async (c) => {
        const [body, actor] = [c.req.valid("json"), c.get("actor")];
        if ((body.evaluations ?? []).length === 0) {
          return c.json(await evaluate(deps, actor, parseSingle(body)));
        }
        return c.json({ evaluations: await evaluateList(deps, actor, body) });
      },
    )
    .get(
      "/.well-known/authzen-configuration",
      operation({
        operationId: "getAuthzenConfiguration",
        tag,
        summary: "Get the metadata of the policy decision point",
        description: "Where the operations of the AuthZEN Authorization API 1.0 are.",
        security: "none",
        success: MetadataSchema,
        takes: "nothing",
        example: AUTHZEN_EXAMPLES.getAuthzenConfiguration,
      }),
      withEtag(),
      (c) => c.json(metadata, 200, { "Cache-Control": METADATA_FRESHNESS }),
    );
}
