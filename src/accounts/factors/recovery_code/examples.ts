import { EXAMPLE_SECRETS } from "../../../http/openapi/example_values.ts";
import type { OperationExample } from "../../../http/openapi/openapi_examples.ts";
import { CHALLENGE_RESPONSES } from "../../../identity/examples.ts";

export const RECOVERY_CODE_EXAMPLES = {
  resetRecoveryCodes: { request: { body: {} }, response: CHALLENGE_RESPONSES.recoveryCodes },
  proveRecoveryCode: {
    request: { body: { recoveryCode: EXAMPLE_SECRETS.recoveryCode } },
    response: CHALLENGE_RESPONSES.tokens,
  },
  nextRecoveryGuess: { response: CHALLENGE_RESPONSES.duration },
} as const satisfies Readonly<Record<string, OperationExample>>;
