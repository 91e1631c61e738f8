import { EXAMPLE_IDS, EXAMPLE_NAMES } from "../../http/openapi/example_values.ts";
import type { OperationExample } from "../../http/openapi/openapi_examples.ts";

const { rootRole, secondMember, revision } = EXAMPLE_IDS;

export const GRANT_EXAMPLES = {
  queryGrants: {
    request: { body: { filter: { grantedBy: { userEmail: EXAMPLE_NAMES.email }, kind: "membership" } } },
    response: {
      grant: [{
        kind: "membership",
        id: secondMember,
        roleId: rootRole,
        userEmail: EXAMPLE_NAMES.secondEmail,
        viaRoleId: rootRole,
      }],
      nextCursor: null,
      revision,
    },
  },
} as const satisfies Readonly<Record<string, OperationExample>>;
