import { EXAMPLE_IDS, EXAMPLE_TIMES } from "../../http/openapi/example_values.ts";
import type { OperationExample } from "../../http/openapi/openapi_examples.ts";

export const PERSON_EXAMPLES = {
  queryPeople: {
    request: { body: { userId: [EXAMPLE_IDS.user] } },
    response: {
      person: [{
        userId: EXAMPLE_IDS.user,
        name: "Ada Jansen",
        lastSignInAt: EXAMPLE_TIMES.latest,
        factors: [],
      }],
    },
  },
} as const satisfies Readonly<Record<string, OperationExample>>;
