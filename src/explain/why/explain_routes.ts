import { AppError } from "../../core/errors.ts";
import { createRouter } from "../../http/env.ts";
import { operation } from "../../http/openapi/openapi.ts";
import { validJson } from "../../http/validation.ts";
import type { GraphGuards } from "../../identity/graph_guards.ts";
import { EXPLAIN_EXAMPLES } from "./examples.ts";
import { explainRight, type Subject } from "./explain_service.ts";
import { ExplainSchema, ExplanationSchema } from "./schemas.ts";
import type { GraphDeps } from "../../graph/deps.ts";

export function createExplainRoutes(deps: GraphDeps, guards: GraphGuards) {
  return createRouter().post(
    "/v1/rights/explain",
    operation({
      operationId: "explainRight",
      tag: "Roles",
      summary: "Explain a right",
      description:
        "Returns why a user or key has a right on a role, or why not: the ways on which the right gets from their " +
        "memberships to the role, those on which it is lost, and the least that has to be widened for it to get " +
        "through.\n\n" +
        "All callers may ask about themselves. Those who manage the members of the role (direct or indirect " +
        "userManagement, or indirect roleManagement) may also ask about others, and so may a key with `asks` that " +
        "reaches the role. Other callers get the same as for a role that does not exist: not allowed, and nothing to " +
        'explain. In place of what the caller does not see there is `{ "hidden": true }`.\n\n' +
        "Up to 10,000 relations above the role are followed; beyond that, the explanation is `truncated`, and " +
        "`allowed` still exact. With `asOf`, it explains how things were then: more relations are a 422, and a moment " +
        "before the history a 410.",
      security: "accessBearerAuth",
      data: "graph",
      takes: "body",
      success: ExplanationSchema,
      errors: ["BEFORE_HISTORY", "LINEAGE_TOO_LARGE"],
      example: EXPLAIN_EXAMPLES.explainRight,
    }),
    guards.caller,
    validJson(ExplainSchema),
    async (c) => {
      const { userEmail, keyId, ...input } = c.req.valid("json");
      const subject = toSubject(userEmail, keyId);
      return c.json(await explainRight(deps, c.get("actor"), { ...input, subject }));
    },
  );
}

/** Returns the subject, or undefined for the caller. Throws `MALFORMED_REQUEST` if there are two. */
function toSubject(userEmail: string | undefined, keyId: number | undefined): Subject | undefined {
  if (userEmail !== undefined && keyId !== undefined) {
    const details = [{ path: "body.keyId", message: "Expected either userEmail or keyId" }];
    throw new AppError("MALFORMED_REQUEST", { details });
  }
  if (keyId !== undefined) return { keyId };
  return userEmail === undefined ? undefined : { userEmail };
}
