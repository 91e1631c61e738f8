import { EXAMPLE_NAMES, EXAMPLE_SECRETS } from "../../http/openapi/example_values.ts";
import type { OperationExample } from "../../http/openapi/openapi_examples.ts";
import { CHALLENGE_ANSWERS } from "../../identity/examples.ts";

const body = { totp: EXAMPLE_SECRETS.appCode };

export const TOTP_EXAMPLES = {
  setUpTotp: {
    request: { body: {} },
    answer: {
      url: `otpauth://totp/Rolegrid:${encodeURIComponent(EXAMPLE_NAMES.email)}?issuer=Rolegrid` +
        "&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6&period=30",
    },
  },
  activateTotp: { request: { body }, answer: CHALLENGE_ANSWERS.recoveryCodes },
  proveTotp: { request: { body }, answer: CHALLENGE_ANSWERS.tokens },
  nextTotpGuess: { answer: CHALLENGE_ANSWERS.duration },
  deactivateTotp: { answer: null },
} as const satisfies Readonly<Record<string, OperationExample>>;
