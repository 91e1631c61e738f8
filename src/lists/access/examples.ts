import { EXAMPLE_IDS, EXAMPLE_NAMES } from "../../http/openapi/example_values.ts";
import type { OperationExample } from "../../http/openapi/openapi_examples.ts";
import { forEachRight } from "../../graph/rights.ts";

const { rootRole, role, childRole, user, secondUser, revision } = EXAMPLE_IDS;

const all = forEachRight(() => true);
const through = { rights: all, direct: false, through: [rootRole], hidden: 0 };

export const ACCESS_EXAMPLES = {
  queryAccessToRole: {
    request: { path: { roleId: role }, body: { filter: { right: ["viewManagement"] }, limit: 100 } },
    response: {
      access: [
        { userId: user, userEmail: EXAMPLE_NAMES.email, ...through },
        { userId: secondUser, userEmail: EXAMPLE_NAMES.secondEmail, ...through },
      ],
      nextCursor: null,
      revision,
    },
  },
  queryAccess: {
    request: { body: { userEmail: EXAMPLE_NAMES.secondEmail, roleId: [childRole], limit: 100 } },
    response: {
      access: [{ roleId: childRole, name: "Boiler", rights: all, direct: false }],
      person: { userId: secondUser, userEmail: EXAMPLE_NAMES.secondEmail },
      nextCursor: null,
      revision,
    },
  },
} as const satisfies Readonly<Record<string, OperationExample>>;
