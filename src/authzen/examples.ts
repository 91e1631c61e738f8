import { EXAMPLE_IDS, EXAMPLE_NAMES } from "../http/openapi/example_values.ts";
import type { OperationExample } from "../http/openapi/openapi_examples.ts";

const subject = { type: "user", id: EXAMPLE_NAMES.email };
const role = { type: "role", id: String(EXAMPLE_IDS.role) };
const device = { type: "device", id: EXAMPLE_NAMES.nodeId };
const context = { revision: EXAMPLE_IDS.event };

export const AUTHZEN_EXAMPLES = {
  evaluate: {
    request: { body: { subject, action: { name: "roleManagement" }, resource: role } },
    response: { decision: true, context },
  },
  evaluateList: {
    request: {
      body: {
        subject,
        evaluations: [
          { action: { name: "member" }, resource: role },
          { action: { name: "write" }, resource: device },
        ],
      },
    },
    response: { evaluations: [{ decision: true, context }, { decision: true, context }] },
  },
  searchSubjects: {
    request: {
      body: { subject: { type: "user" }, action: { name: "read" }, resource: device, page: { limit: 10 } },
    },
    response: {
      page: { next_token: "", count: 1 },
      context,
      results: [{ type: "user", id: String(EXAMPLE_IDS.user) }],
    },
  },
  searchResources: {
    request: { body: { subject, action: { name: "write" }, resource: { type: "device" } } },
    response: {
      page: { next_token: "", count: 1 },
      context,
      results: [{ type: "device", id: String(EXAMPLE_IDS.device) }],
    },
  },
  searchActions: {
    request: { body: { subject, resource: device } },
    response: {
      page: { next_token: "", count: 3 },
      context,
      results: [{ name: "read" }, { name: "write" }, { name: "manage" }],
    },
  },
  forwardAuth: { request: { query: { right: "viewManagement", roleId: EXAMPLE_IDS.role } } },
  getAuthzenConfiguration: {
    response: {
      policy_decision_point: "https://rolegrid.example.com",
      access_evaluation_endpoint: "https://rolegrid.example.com/access/v1/evaluation",
      access_evaluations_endpoint: "https://rolegrid.example.com/access/v1/evaluations",
      search_subject_endpoint: "https://rolegrid.example.com/access/v1/search/subject",
      search_resource_endpoint: "https://rolegrid.example.com/access/v1/search/resource",
      search_action_endpoint: "https://rolegrid.example.com/access/v1/search/action",
    },
  },
} as const satisfies Readonly<Record<string, OperationExample>>;
