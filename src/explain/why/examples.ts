import { EXAMPLE_IDS, EXAMPLE_NAMES } from "../../http/openapi/example_values.ts";
import type { OperationExample } from "../../http/openapi/openapi_examples.ts";

const { rootRole, role, childRole, relationToRole, relationToChildRole } = EXAMPLE_IDS;

export const EXPLAIN_EXAMPLES = {
  explainRight: {
    request: { body: { roleId: childRole, right: "alarmManagement", userEmail: EXAMPLE_NAMES.secondEmail } },
    response: {
      allowed: false,
      revision: 3020,
      ways: [],
      blocked: [{
        memberOf: { roleId: rootRole, name: "Energy Inc" },
        relations: [
          {
            managesId: relationToRole,
            parentRoleId: rootRole,
            childRoleId: role,
            name: "Plant North",
            rights: ["roleManagement", "alarmManagement"],
          },
          {
            managesId: relationToChildRole,
            parentRoleId: role,
            childRoleId: childRole,
            name: "Hall 2",
            rights: ["roleManagement", "viewManagement"],
          },
        ],
        lostAt: [relationToChildRole],
      }],
      fix: [{ managesId: relationToChildRole, right: "alarmManagement", mayYou: true }],
      truncated: false,
    },
  },
} as const satisfies Readonly<Record<string, OperationExample>>;
