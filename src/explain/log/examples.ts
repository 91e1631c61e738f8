import { EXAMPLE_IDS, EXAMPLE_NAMES, EXAMPLE_TIMES } from "../../http/openapi/example_values.ts";
import type { OperationExample } from "../../http/openapi/openapi_examples.ts";
import { ALL_RIGHTS, toRights } from "../../graph/rights.ts";

const { role, childRole, relationToChildRole, user } = EXAMPLE_IDS;

export const CHANGE_EXAMPLES = {
  queryChanges: {
    request: { body: { filter: { roleId: childRole, decision: "ok" }, after: 0, limit: 100 } },
    response: {
      change: [{
        revision: 3017,
        at: EXAMPLE_TIMES.latest,
        actor: { type: "user", id: user, email: EXAMPLE_NAMES.email },
        viaRoleId: role,
        viaRoleName: "Plant North",
        kind: "role.create",
        decision: "ok",
        roleId: childRole,
        roleName: "Building 4",
        oldName: null,
        newName: null,
        parentRoleId: role,
        parentRoleName: "Plant North",
        managesId: relationToChildRole,
        memberId: null,
        memberEmail: null,
        oldFrom: null,
        oldUntil: null,
        from: null,
        until: null,
        keyId: null,
        keyName: null,
        deviceId: null,
        devices: null,
        deviceIds: [],
        nodeId: null,
        oldRights: null,
        newRights: toRights(ALL_RIGHTS),
        oldAuthenticationPolicy: null,
        newAuthenticationPolicy: null,
        undoes: null,
        importRun: null,
        deletedNodeIds: [],
        deletedRoles: 0,
        deletedDevices: 0,
        deletedRelationIds: [],
      }],
      nextRevision: 3020,
    },
  },
} as const satisfies Readonly<Record<string, OperationExample>>;
