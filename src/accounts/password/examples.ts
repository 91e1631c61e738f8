import { EXAMPLE_NAMES, EXAMPLE_PAGE, EXAMPLE_SECRETS } from "../../http/openapi/example_values.ts";
import type { OperationExample } from "../../http/openapi/openapi_examples.ts";

const { password, newPassword, resetCode } = EXAMPLE_SECRETS;
const { forgetfulEmail } = EXAMPLE_NAMES;
const askForMail = { query: { language: "nl" }, body: { email: forgetfulEmail } };

export const PASSWORD_EXAMPLES = {
  sendPasswordResetEmail: { request: askForMail },
  forgotPassword: { request: askForMail },
  sendPasswordResetOtp: { request: askForMail, response: null },
  validatePasswordResetOtp: {
    request: { body: { email: forgetfulEmail, otp: resetCode } },
    response: null,
  },
  setPasswordByOtp: {
    request: { body: { userEmail: forgetfulEmail, otp: resetCode, newPassword } },
    response: null,
  },
  setPasswordByLink: {
    request: { body: { token: EXAMPLE_SECRETS.invitationToken, newPassword } },
    response: null,
  },
  changePassword: { request: { body: { oldPassword: password, newPassword } }, response: null },
  provePassword: { request: { body: { password } }, response: { sudoToken: EXAMPLE_SECRETS.sudoToken } },
  resetPasswordPage: { response: EXAMPLE_PAGE },
} as const satisfies Readonly<Record<string, OperationExample>>;
