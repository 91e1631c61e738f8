import { EXAMPLE_SECRETS } from "../../http/openapi/example_values.ts";
import type { OperationExample } from "../../http/openapi/openapi_examples.ts";
import { CHALLENGE_ANSWERS } from "../../identity/examples.ts";

export const RECOVERY_CODE_EXAMPLES = {
  resetRecoveryCodes: { request: { body: {} }, answer: CHALLENGE_ANSWERS.recoveryCodes },
  proveRecoveryCode: {
    request: { body: { recoveryCode: EXAMPLE_SECRETS.recoveryCode } },
    answer: CHALLENGE_ANSWERS.tokens,
  },
  nextRecoveryGuess: { answer: CHALLENGE_ANSWERS.duration },
} as const satisfies Readonly<Record<string, OperationExample>>;
