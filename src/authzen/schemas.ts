import * as v from "valibot";
import { named, OPEN, openObject } from "../http/common_schemas.ts";
import { DEMANDS } from "../role/authentication_policy.ts";
import { ExplanationSchema } from "../explain/why/schemas.ts";
import { idOf, IdSchema, MAX_LIST } from "../http/list_schemas.ts";

/**
 * Schemas of the Authorization API 1.0 (OpenID AuthZEN). Its receivers ignore unknown fields (10.1.1), so unlike
 * elsewhere these objects are not strict.
 */

const AnyObjectSchema = v.pipe(openObject({}), v.metadata(OPEN));
const properties = v.optional(
  v.pipe(AnyObjectSchema, v.description("Ignored: rights follow from roles alone")),
);

const subjectType = v.pipe(v.string(), v.description("`user` or `key`; there is no other type"));
const resourceType = v.pipe(v.string(), v.description("`role` or `device`; nothing is of another type"));
const ignoredId = v.optional(v.pipe(v.string(), v.description("Ignored: this is what is searched for")));

const SubjectSchema = v.pipe(
  v.object({
    type: subjectType,
    id: v.pipe(v.string(), v.description("Of a user the account's id or the address, of a key its id")),
    properties,
  }),
  v.metadata({ ref: "AuthzenSubject" }),
);

const ResourceSchema = v.pipe(
  v.object({
    type: resourceType,
    id: v.pipe(
      v.string(),
      v.description(
        "Its id; of a device also the nodeId, unless that is a number, which is always taken as an id",
      ),
    ),
    properties,
  }),
  v.metadata({ ref: "AuthzenResource" }),
);

const ActionSchema = v.pipe(
  v.object({
    name: v.pipe(
      v.string(),
      v.description(
        "On a role one of the six rights, or `member`; on a device `read`, `write` or `manage`. No other is permitted",
      ),
    ),
    properties,
  }),
  v.metadata({ ref: "AuthzenAction" }),
);

const context = v.optional(v.pipe(
  AnyObjectSchema,
  v.description(
    "With `explain: true`, a single evaluation explains a decision about a right on a role, as `reason_user`. " +
      "`acr` and `aal` say what the subject's session has proved, as the claims of its access token do: a membership of " +
      "a role that demands more counts as absent, and without them only roles that demand nothing count. For the caller " +
      "themselves, their session counts. Everything else is ignored",
  ),
));

/** One question, with all that the standard requires of it. */
export const EvaluationSchema = v.pipe(
  v.object({ subject: SubjectSchema, action: ActionSchema, resource: ResourceSchema, context }),
  v.metadata({ ref: "AuthzenEvaluation" }),
);
export type Evaluation = v.InferOutput<typeof EvaluationSchema>;

const options = v.optional(v.object({
  evaluations_semantic: v.optional(v.pipe(
    v.picklist(["execute_all", "deny_on_first_deny", "permit_on_first_permit"]),
    v.description("By default `execute_all`. The others end the list with the first denial or permit"),
  )),
}));

const defaults = {
  subject: v.optional(SubjectSchema),
  action: v.optional(ActionSchema),
  resource: v.optional(ResourceSchema),
  context,
};

/** A list of questions. Each is validated by itself, since an incomplete one is a denial in its place. */
export const EvaluationsSchema = v.object({
  ...defaults,
  evaluations: v.optional(v.pipe(v.array(v.unknown()), v.maxLength(MAX_LIST))),
  options,
});
export type Evaluations = v.InferOutput<typeof EvaluationsSchema>;

/** The list of questions for the OpenAPI document. */
export const DescribedEvaluationsSchema = v.pipe(
  v.union([
    EvaluationSchema,
    v.pipe(
      v.object({
        ...defaults,
        evaluations: v.pipe(
          v.array(v.union([
            named("AuthzenItem", defaults),
            v.pipe(v.unknown(), v.description("Anything else is `decision: false` in its place")),
          ])),
          v.minLength(1),
          v.maxLength(MAX_LIST),
          v.description("What an item does not have, it takes from the top level"),
        ),
        options,
      }),
      v.metadata({ ref: "AuthzenEvaluationList" }),
    ),
  ]),
  v.metadata({ ref: "AuthzenEvaluations" }),
);

const page = v.optional(v.object({
  token: v.optional(v.pipe(v.string(), v.description("`next_token` of the page before; the rest as it was"))),
  limit: v.optional(v.pipe(
    v.number(),
    v.integer(),
    v.minValue(0),
    v.description("Maximum number of results; 100 by default, and at most 1,000"),
  )),
  properties,
}));

const subjectContext = v.optional(v.pipe(
  AnyObjectSchema,
  v.description(
    'With `ids: "email"`, the ids of users are their addresses, which those who may search for them see in the list ' +
      "of access, too. `acr` and `aal` as in an evaluation",
  ),
));

export const SubjectSearchSchema = v.pipe(
  v.object({
    subject: v.object({ type: subjectType, id: ignoredId, properties }),
    action: ActionSchema,
    resource: ResourceSchema,
    context: subjectContext,
    page,
  }),
  v.metadata({ ref: "AuthzenSubjectSearch" }),
);
export type SubjectSearch = v.InferOutput<typeof SubjectSearchSchema>;
export const ResourceSearchSchema = v.pipe(
  v.object({
    subject: SubjectSchema,
    action: ActionSchema,
    resource: v.object({ type: resourceType, id: ignoredId, properties }),
    context,
    page,
  }),
  v.metadata({ ref: "AuthzenResourceSearch" }),
);
export type ResourceSearch = v.InferOutput<typeof ResourceSearchSchema>;
export const ActionSearchSchema = v.pipe(
  v.object({ subject: SubjectSchema, resource: ResourceSchema, context, page }),
  v.metadata({ ref: "AuthzenActionSearch" }),
);
export type ActionSearch = v.InferOutput<typeof ActionSearchSchema>;

/** For the document alone: `forward_service.ts` reads the query. */
export const ForwardQuerySchema = v.strictObject({
  right: v.pipe(v.string(), v.description("A right, `member`, or an action on a device")),
  roleId: v.optional(idOf("role")),
  deviceId: v.optional(idOf("device")),
  nodeId: v.optional(v.pipe(v.string(), v.description("nodeId of the device"))),
});

// ---- responses

export const DecisionSchema = named("AuthzenDecision", {
  decision: v.boolean(),
  context: v.object({
    revision: v.pipe(IdSchema, v.description("The revision at which it was decided")),
    needs: v.optional(v.pipe(
      v.picklist(DEMANDS),
      v.description("On a denial: permitted if the subject's session meets this"),
    )),
    reason_user: v.optional(ExplanationSchema),
    reason: v.optional(v.pipe(
      v.string(),
      v.description(
        "Of a question that is denied whatever is stored: the type, the action or the form of id that does not exist",
      ),
    )),
    error: v.optional(v.pipe(
      v.object({ status: v.literal(400), message: v.string() }),
      v.description("What is wrong with an item of a list"),
    )),
  }),
});
export const DecisionsSchema = v.pipe(
  v.union([DecisionSchema, named("AuthzenDecisions", { evaluations: v.array(DecisionSchema) })]),
  v.description("`evaluations` as in the request; without any there, one decision"),
);

function resultsOf<E extends v.ObjectEntries>(name: string, result: E) {
  return named(name, {
    page: v.object({
      next_token: v.pipe(v.string(), v.description("For the next page; empty at the end")),
      count: v.pipe(v.number(), v.integer(), v.minValue(0)),
    }),
    context: v.object({ revision: IdSchema }),
    results: v.array(v.object(result)),
  });
}

export const SubjectResultsSchema = resultsOf("AuthzenSubjects", {
  type: v.picklist(["user", "key"]),
  id: v.string(),
});
export const ResourceResultsSchema = resultsOf("AuthzenResources", {
  type: v.picklist(["role", "device"]),
  id: v.string(),
});
export const ActionResultsSchema = resultsOf("AuthzenActions", { name: v.string() });

export const MetadataSchema = named("AuthzenConfiguration", {
  policy_decision_point: v.string(),
  access_evaluation_endpoint: v.string(),
  access_evaluations_endpoint: v.string(),
  search_subject_endpoint: v.string(),
  search_resource_endpoint: v.string(),
  search_action_endpoint: v.string(),
});
