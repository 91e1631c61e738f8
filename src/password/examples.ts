import { EXAMPLE_NAMES, EXAMPLE_PAGE, EXAMPLE_SECRETS } from "../http/openapi/example_values.ts";
import type { OperationExample } from "../http/openapi/openapi_examples.ts";

const { password, newPassword, resetCode } = EXAMPLE_SECRETS;
const { forgetfulEmail } = EXAMPLE_NAMES;
const askForMail = { query: { language: "nl" }, body: { email: forgetfulEmail } };

export const PASSWORD_EXAMPLES = {
  sendPasswordResetEmail: { request: askForMail },
  forgotPassword: { request: askForMail },
  sendPasswordResetOtp: { request: askForMail, answer: null },
  validatePasswordResetOtp: {
    request: { body: { email: forgetfulEmail, otp: resetCode } },
    answer: null,
  },
  setPasswordByOtp: {
    request: { body: { userEmail: forgetfulEmail, otp: resetCode, newPassword } },
    answer: null,
  },
  setPasswordByLink: {
    request: { body: { token: EXAMPLE_SECRETS.invitationToken, newPassword } },
    answer: null,
  },
  changePassword: { request: { body: { oldPassword: password, newPassword } }, answer: null },
  provePassword: { request: { body: { password } }, answer: { sudoToken: EXAMPLE_SECRETS.sudoToken } },
  resetPasswordPage: { answer: EXAMPLE_PAGE },
} as const satisfies Readonly<Record<string, OperationExample>>;
