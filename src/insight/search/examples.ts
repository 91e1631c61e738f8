import type { OperationExample } from "../../http/openapi/openapi_examples.ts";

export const SEARCH_EXAMPLES = {
  search: {
    request: { body: { text: "nowhere", limit: 8 } },
    response: {
      role: [],
      person: [],
      device: [],
      matched: "beginning",
      nextCursor: { role: null, person: null, device: null },
    },
  },
} as const satisfies Readonly<Record<string, OperationExample>>;
