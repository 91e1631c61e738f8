import { EXAMPLE_NAMES, EXAMPLE_SECRETS } from "../../../http/openapi/example_values.ts";
import type { OperationExample } from "../../../http/openapi/openapi_examples.ts";
import { CHALLENGE_RESPONSES } from "../../../identity/examples.ts";

const body = { totp: EXAMPLE_SECRETS.appCode };

export const TOTP_EXAMPLES = {
  setUpTotp: {
    request: { body: {} },
    response: {
      url: `otpauth://totp/Rolegrid:${encodeURIComponent(EXAMPLE_NAMES.email)}?issuer=Rolegrid` +
        "&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6&period=30",
      qrCode: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 65 65">…</svg>',
    },
  },
  activateTotp: { request: { body }, response: CHALLENGE_RESPONSES.recoveryCodes },
  proveTotp: { request: { body }, response: CHALLENGE_RESPONSES.tokens },
  nextTotpGuess: { response: CHALLENGE_RESPONSES.duration },
  deactivateTotp: { response: null },
} as const satisfies Readonly<Record<string, OperationExample>>;
