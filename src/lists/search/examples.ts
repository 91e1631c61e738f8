import { EXAMPLE_IDS, EXAMPLE_NAMES } from "../../http/openapi/example_values.ts";
import type { OperationExample } from "../../http/openapi/openapi_examples.ts";

const { device, role } = EXAMPLE_IDS;
const { nodeId } = EXAMPLE_NAMES;

export const SEARCH_EXAMPLES = {
  search: {
    request: { body: { text: nodeId, limit: 8 } },
    response: {
      role: [],
      person: [],
      device: [{ id: device, nodeId, roles: [{ id: role, name: "Plant North" }] }],
      matched: "anywhere",
      nextCursor: { role: null, person: null, device: null },
    },
  },
} as const satisfies Readonly<Record<string, OperationExample>>;
