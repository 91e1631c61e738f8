import { EXAMPLE_NAMES, EXAMPLE_SECRETS } from "../../http/openapi/example_values.ts";
import type { OperationExample } from "../../http/openapi/openapi_examples.ts";
import { CHALLENGE_ANSWERS } from "../../identity/examples.ts";

const body = { otp: EXAMPLE_SECRETS.emailCode };
const query = { language: "nl" };

export const EMAIL_OTP_EXAMPLES = {
  setUpEmailOtp: { request: { query, body: { email: EXAMPLE_NAMES.codesEmail } }, answer: null },
  activateEmailOtp: { request: { body }, answer: CHALLENGE_ANSWERS.recoveryCodes },
  sendEmailOtp: { request: { query, body: {} }, answer: null },
  proveEmailOtp: { request: { body }, answer: CHALLENGE_ANSWERS.tokens },
  nextEmailOtp: { answer: CHALLENGE_ANSWERS.duration },
  deactivateEmailOtp: { answer: null },
} as const satisfies Readonly<Record<string, OperationExample>>;
