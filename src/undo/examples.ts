import { EXAMPLE_IDS } from "../http/openapi/example_values.ts";
import type { OperationExample } from "../http/openapi/openapi_examples.ts";

const { undoneRevision } = EXAMPLE_IDS;

export const UNDO_EXAMPLES = {
  undoChange: {
    request: { path: { revision: undoneRevision }, query: { dryRun: false } },
    response: { undoes: undoneRevision },
  },
} as const satisfies Readonly<Record<string, OperationExample>>;
