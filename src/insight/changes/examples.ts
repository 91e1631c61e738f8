import { EXAMPLE_IDS, EXAMPLE_NAMES, EXAMPLE_TIMES } from "../../http/openapi/example_values.ts";
import type { OperationExample } from "../../http/openapi/openapi_examples.ts";
import { ALL_RIGHTS, toRights } from "../../role/rights.ts";

const { role, childRole, relationToChildRole } = EXAMPLE_IDS;

export const CHANGE_EXAMPLES = {
  queryChanges: {
    request: { body: { filter: { roleId: childRole, decision: "ok" }, after: 0, limit: 100 } },
    response: {
      change: [{
        revision: 3017,
        at: EXAMPLE_TIMES.latest,
        actor: EXAMPLE_NAMES.email,
        kind: "role.create",
        decision: "ok",
        roleId: childRole,
        parentRoleId: role,
        managesId: relationToChildRole,
        memberEmail: null,
        keyId: null,
        deviceId: null,
        oldRights: null,
        newRights: toRights(ALL_RIGHTS),
        deletedNodeIds: [],
        deletedRelationIds: [],
      }],
      nextRevision: 3020,
    },
  },
} as const satisfies Readonly<Record<string, OperationExample>>;
