import { EXAMPLE_IDS, EXAMPLE_NAMES } from "../http/openapi/example_values.ts";
import type { OperationExample } from "../http/openapi/openapi_examples.ts";
import { ALL_RIGHTS, toRights } from "../graph/rights.ts";

const { rootRole, secondMember } = EXAMPLE_IDS;

export const ENDING_EXAMPLES = {
  endAccess: {
    request: { body: { userEmail: EXAMPLE_NAMES.secondEmail, under: rootRole, granted: true } },
    response: {
      ended: [{
        kind: "membership",
        id: secondMember,
        roleId: rootRole,
        userEmail: EXAMPLE_NAMES.secondEmail,
        rights: toRights(ALL_RIGHTS),
      }],
      relations: [],
      left: { roles: 0 },
    },
  },
} as const satisfies Readonly<Record<string, OperationExample>>;
