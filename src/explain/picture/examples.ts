import { EXAMPLE_IDS, EXAMPLE_NAMES } from "../../http/openapi/example_values.ts";
import type { OperationExample } from "../../http/openapi/openapi_examples.ts";
import { forEachRight } from "../../graph/rights.ts";

const { rootRole, role, childRole, relationToRole, relationToChildRole } = EXAMPLE_IDS;

const all = forEachRight(() => true);

export const NEIGHBOURHOOD_EXAMPLES = {
  queryNeighbourhood: {
    request: { path: { roleId: role }, body: { userEmail: EXAMPLE_NAMES.secondEmail, limit: 24 } },
    response: {
      role: [
        { id: role, name: "Plant North", selfRights: all, userRights: all },
        { id: rootRole, name: "Energy Inc", selfRights: all, userRights: all },
        { id: childRole, name: "Boiler", selfRights: all, userRights: all },
      ],
      manages: [
        { id: relationToRole, parentRoleId: rootRole, childRoleId: role, ...all },
        { id: relationToChildRole, parentRoleId: role, childRoleId: childRole, ...all },
      ],
      summary: [
        { id: rootRole, parents: 0, children: 1, descendants: 2 },
        { id: role, parents: 1, children: 1, descendants: 1 },
        { id: childRole, parents: 1, children: 0, descendants: 0 },
      ],
      memberOf: [rootRole],
      person: {
        access: [
          { roleId: rootRole, name: "Energy Inc", rights: all, direct: true },
          { roleId: role, name: "Plant North", rights: all, direct: false },
          { roleId: childRole, name: "Boiler", rights: all, direct: false },
        ],
        memberOf: [rootRole],
        mayAsk: [role, rootRole, childRole],
      },
      moreAbove: false,
      moreManages: false,
      nextCursor: null,
    },
  },
} as const satisfies Readonly<Record<string, OperationExample>>;
