/** The paths of the Authorization API 1.0 (10.1, table 1). */
export const PATHS = {
  evaluation: "/access/v1/evaluation",
  evaluations: "/access/v1/evaluations",
  subjects: "/access/v1/search/subject",
  resources: "/access/v1/search/resource",
  actions: "/access/v1/search/action",
} as const;

/** The path at which proxies ask; not part of the standard. */
export const FORWARD_PATH = "/access/v1/forward";

/**
 * Returns the metadata of the policy decision point (9.1.1). The standard wants https; the URLs are the service's own.
 */
export function describeDecisionPoint(publicUrl: string) {
  return {
    policy_decision_point: publicUrl,
    access_evaluation_endpoint: publicUrl + PATHS.evaluation,
    access_evaluations_endpoint: publicUrl + PATHS.evaluations,
    search_subject_endpoint: publicUrl + PATHS.subjects,
    search_resource_endpoint: publicUrl + PATHS.resources,
    search_action_endpoint: publicUrl + PATHS.actions,
  };
}
