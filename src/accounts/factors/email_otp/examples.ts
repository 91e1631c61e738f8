import { EXAMPLE_NAMES, EXAMPLE_SECRETS } from "../../../http/openapi/example_values.ts";
import type { OperationExample } from "../../../http/openapi/openapi_examples.ts";
import { CHALLENGE_RESPONSES } from "../../../identity/examples.ts";

const body = { otp: EXAMPLE_SECRETS.emailCode };
const query = { language: "nl" };

export const EMAIL_OTP_EXAMPLES = {
  setUpEmailOtp: { request: { query, body: { email: EXAMPLE_NAMES.codesEmail } }, response: null },
  activateEmailOtp: { request: { body }, response: CHALLENGE_RESPONSES.recoveryCodes },
  sendEmailOtp: { request: { query, body: {} }, response: null },
  proveEmailOtp: { request: { body }, response: CHALLENGE_RESPONSES.tokens },
  nextEmailOtp: { response: CHALLENGE_RESPONSES.duration },
  deactivateEmailOtp: { response: null },
} as const satisfies Readonly<Record<string, OperationExample>>;
