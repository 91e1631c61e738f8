import { EXAMPLE_NAMES, EXAMPLE_PAGE, EXAMPLE_SECRETS } from "../../http/openapi/example_values.ts";
import type { OperationExample } from "../../http/openapi/openapi_examples.ts";

export const EMAIL_TRANSFER_EXAMPLES = {
  initiateEmailTransfer: {
    request: { query: { language: "nl" }, body: { email: EXAMPLE_NAMES.newEmail } },
    response: null,
  },
  completeEmailTransfer: { request: { body: { otp: EXAMPLE_SECRETS.transferCode } }, response: null },
  undoEmailTransfer: { request: { body: { token: EXAMPLE_SECRETS.undoToken } }, response: null },
  undoEmailTransferPage: { response: EXAMPLE_PAGE },
} as const satisfies Readonly<Record<string, OperationExample>>;
