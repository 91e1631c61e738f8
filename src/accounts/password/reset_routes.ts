import type { Context } from "hono";
import type { ErrorCode } from "../../core/errors.ts";
import { NullSchema } from "../../http/common_schemas.ts";
import { type AppEnv, createRouter } from "../../http/env.ts";
import { MailQuerySchema } from "../../http/mail_query.ts";
import { operation } from "../../http/openapi/openapi.ts";
import { withSuccessor } from "../../http/successor_middleware.ts";
import { validJson, validQuery } from "../../http/validation.ts";
import type { PasswordDeps } from "./deps.ts";
import { PASSWORD_EXAMPLES } from "./examples.ts";
import {
  checkResetCode,
  type ResetRequest,
  sendResetCode,
  sendResetLink,
  setPasswordByCode,
} from "./reset_service.ts";
import { CodePasswordSchema, ResetCodeSchema, ResetRequestSchema } from "./schemas.ts";

const tag = "Password";

export const PASSWORD_RULE_ERRORS: readonly ErrorCode[] = [
  "PASSWORD_TOO_SHORT",
  "PASSWORD_TOO_LONG",
  "PASSWORD_TOO_COMMON",
  "PASSWORD_EQUALS_NAME",
  "PASSWORD_BREACHED",
];

const BUDGET =
  "Links and codes share these limits: for one address, one mail every 60 seconds, 3 an hour and 6 a day from one " +
  "client. Clients that never signed in to the account also share limits with their network and with each other, " +
  "which do not affect the others. On 429, `retryAfter` says when the next request can succeed.";

const SAME_RESPONSE = "The response and the limits are the same whether or not the address has an account.";

const describeSendLink = {
  tag,
  description:
    "Mails a link for setting a new password. It is valid for 30 minutes, or until three newer links have been mailed. " +
    `${SAME_RESPONSE}\n\n${BUDGET}`,
  security: "none",
  takes: "body",
  success: "empty",
  errors: ["TOO_MANY_RESET_MAIL_ATTEMPTS"],
} as const;

export function createResetRoutes(deps: PasswordDeps) {
  async function respondSendLink(c: Context<AppEnv>, request: ResetRequest): Promise<Response> {
    await sendResetLink(deps, c.var.clientAddress, request);
    return c.body(null, 204);
  }

  return createRouter()
    .post(
      "/user/password/reset/email",
      operation({
        operationId: "sendPasswordResetEmail",
        summary: "Send a password reset email",
        ...describeSendLink,
        example: PASSWORD_EXAMPLES.sendPasswordResetEmail,
      }),
      validQuery(MailQuerySchema),
      validJson(ResetRequestSchema),
      async (c) => await respondSendLink(c, { ...c.req.valid("query"), ...c.req.valid("json") }),
    )
    .post(
      "/v1/auth/forgot-password",
      operation({
        operationId: "forgotPassword",
        summary: "Send a password reset email (former path)",
        ...describeSendLink,
        supersededBy: "POST /user/password/reset/email",
        example: PASSWORD_EXAMPLES.forgotPassword,
      }),
      withSuccessor("/user/password/reset/email"),
      validQuery(MailQuerySchema),
      validJson(ResetRequestSchema),
      async (c) => await respondSendLink(c, { ...c.req.valid("query"), ...c.req.valid("json") }),
    )
    .post(
      "/user/password/reset/send",
      operation({
        operationId: "sendPasswordResetOtp",
        tag,
        summary: "Send a password reset OTP",
        description:
          "Mails a one-time code for setting a new password. The code is valid for 10 minutes and " +
          `replaces the previous one. ${SAME_RESPONSE}\n\n` +
          BUDGET,
        security: "none",
        takes: "body",
        success: NullSchema,
        errors: ["TOO_MANY_RESET_MAIL_ATTEMPTS"],
        example: PASSWORD_EXAMPLES.sendPasswordResetOtp,
      }),
      validQuery(MailQuerySchema),
      validJson(ResetRequestSchema),
      async (c) => {
        const request = { ...c.req.valid("query"), ...c.req.valid("json") };
        await sendResetCode(deps, c.var.clientAddress, request);
        return c.json(null);
      },
    )
    .post(
      "/user/password/reset/validate",
      operation({
        operationId: "validatePasswordResetOtp",
        tag,
        summary: "Check a password reset OTP",
        description:
          "Succeeds if the one-time code is valid, and does not use it up. A code allows 10 wrong guesses, 5 of them " +
          "from one network, shared with `PUT /user/password/otp`. A mailed link works whatever was guessed. An unknown address gets the same error as a code that is " +
          "wrong, expired or used up.",
        security: "none",
        takes: "body",
        success: NullSchema,
        errors: ["OTP_INVALID_EXPIRED"],
        example: PASSWORD_EXAMPLES.validatePasswordResetOtp,
      }),
      validJson(ResetCodeSchema),
      async (c) => {
        await checkResetCode(deps, c.var.clientAddress, c.req.valid("json"));
        return c.json(null);
      },
    )
    .put(
      "/user/password/otp",
      operation({
        operationId: "setPasswordByOtp",
        tag,
        summary: "Update password via OTP",
        description:
          "Sets a new password with the one-time code that was mailed. A wrong code uses one of its 10 " +
          "guesses; a rejected password uses up nothing. Ends all sessions of the user and returns no " +
          "tokens: log in afterwards, with the second factor if one is active.",
        security: "none",
        takes: "body",
        success: NullSchema,
        errors: ["OTP_INVALID_EXPIRED", ...PASSWORD_RULE_ERRORS],
        example: PASSWORD_EXAMPLES.setPasswordByOtp,
      }),
      validJson(CodePasswordSchema),
      async (c) => {
        const { userEmail: email, ...input } = c.req.valid("json");
        await setPasswordByCode(deps, c.var.clientAddress, { email, ...input });
        return c.json(null);
      },
    );
}
