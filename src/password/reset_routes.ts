import type { Context } from "hono";
import type { ErrorCode } from "../core/errors.ts";
import { type AppEnv, createRouter } from "../http/env.ts";
import { MailQuerySchema } from "../http/mail_query.ts";
import { operation } from "../http/openapi/openapi.ts";
import { withSuccessor } from "../http/successor_middleware.ts";
import { validJson, validQuery } from "../http/validation.ts";
import type { PasswordDeps } from "./deps.ts";
import { PASSWORD_EXAMPLES } from "./examples.ts";
import {
  checkResetCode,
  type ResetRequest,
  sendResetCode,
  sendResetLink,
  setPasswordByCode,
} from "./reset_service.ts";
import { CodePasswordSchema, NullSchema, ResetCodeSchema, ResetRequestSchema } from "./schemas.ts";

const tag = "Password";
const NO_STORE = { "Cache-Control": "no-store" };

export const PASSWORD_RULE_ERRORS: readonly ErrorCode[] = [
  "PASSWORD_TOO_SHORT",
  "PASSWORD_TOO_LONG",
  "PASSWORD_TOO_COMMON",
  "PASSWORD_EQUALS_NAME",
  "PASSWORD_BREACHED",
];

const BUDGET =
  "Links and codes share one budget: for one address 60 seconds apart, 3 an hour and 6 a day from one client, 20 a day " +
  "from all; 20 an hour from one client over all addresses.";

const describeSendLink = {
  tag,
  summary: "Mail a link to reset the password",
  description:
    "Takes no token. Answered alike, with the same limits, whether the address has an account or not. " +
    `The link serves 30 minutes, the latest three of them at the same time. ${BUDGET}`,
  security: "none",
  takes: "body",
  success: "empty",
  errors: ["TOO_MANY_RESET_MAIL_ATTEMPTS"],
} as const;

export function createResetRoutes(deps: PasswordDeps) {
  async function answerSendLink(c: Context<AppEnv>, request: ResetRequest): Promise<Response> {
    await sendResetLink(deps, c.var.clientAddress, request);
    return c.body(null, 204, NO_STORE);
  }

  return createRouter()
    .post(
      "/user/password/reset/email",
      operation({
        operationId: "sendPasswordResetEmail",
        ...describeSendLink,
        example: PASSWORD_EXAMPLES.sendPasswordResetEmail,
      }),
      validQuery(MailQuerySchema),
      validJson(ResetRequestSchema),
      (c) => answerSendLink(c, { ...c.req.valid("query"), ...c.req.valid("json") }),
    )
    .post(
      "/v1/auth/forgot-password",
      operation({
        operationId: "forgotPassword",
        ...describeSendLink,
        supersededBy: "POST /user/password/reset/email",
        example: PASSWORD_EXAMPLES.forgotPassword,
      }),
      withSuccessor("/user/password/reset/email"),
      validQuery(MailQuerySchema),
      validJson(ResetRequestSchema),
      (c) => answerSendLink(c, { ...c.req.valid("query"), ...c.req.valid("json") }),
    )
    .post(
      "/user/password/reset/send",
      operation({
        operationId: "sendPasswordResetOtp",
        tag,
        summary: "Mail a code to reset the password",
        description:
          "Takes no token. Answered alike, with the same limits, whether the address has an account or not. " +
          `The code serves 10 minutes and ends the one before. ${BUDGET}`,
        security: "none",
        takes: "body",
        success: NullSchema,
        errors: ["TOO_MANY_RESET_MAIL_ATTEMPTS"],
        example: PASSWORD_EXAMPLES.sendPasswordResetOtp,
      }),
      validQuery(MailQuerySchema),
      validJson(ResetRequestSchema),
      async (c) => {
        await sendResetCode(deps, c.var.clientAddress, { ...c.req.valid("query"), ...c.req.valid("json") });
        return c.json(null, 200, NO_STORE);
      },
    )
    .post(
      "/user/password/reset/validate",
      operation({
        operationId: "validatePasswordResetOtp",
        tag,
        summary: "Check a code that resets the password",
        description:
          "Takes no token. Uses up nothing but wrong guesses, of which a code bears 5. An unknown address and " +
          "a code that is wrong, expired or used up are answered alike.",
        security: "none",
        takes: "body",
        success: NullSchema,
        errors: ["OTP_INVALID_EXPIRED"],
        example: PASSWORD_EXAMPLES.validatePasswordResetOtp,
      }),
      validJson(ResetCodeSchema),
      async (c) => {
        await checkResetCode(deps, c.var.clientAddress, c.req.valid("json"));
        return c.json(null, 200, NO_STORE);
      },
    )
    .put(
      "/user/password/otp",
      operation({
        operationId: "setPasswordByOtp",
        tag,
        summary: "Set the password by a mailed code",
        description:
          "Takes no token. A refused password does not use the code up, a wrong code costs one of its 5 " +
          "guesses. Ends all sessions of the user and gives no tokens: log in afterwards, with the second factor.",
        security: "none",
        takes: "body",
        success: NullSchema,
        errors: ["OTP_INVALID_EXPIRED", ...PASSWORD_RULE_ERRORS],
        example: PASSWORD_EXAMPLES.setPasswordByOtp,
      }),
      validJson(CodePasswordSchema),
      async (c) => {
        const { userEmail, ...input } = c.req.valid("json");
        await setPasswordByCode(deps, c.var.clientAddress, { email: userEmail, ...input });
        return c.json(null, 200, NO_STORE);
      },
    );
}
