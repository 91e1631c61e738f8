import { createRouter } from "../../http/env.ts";
import { MailQuerySchema } from "../../http/mail_query.ts";
import { operation } from "../../http/openapi/openapi.ts";
import { validJson, validQuery } from "../../http/validation.ts";
import { requireAccessOrPartialToken, requireAccessToken, requireSudoToken } from "../../identity/guards.ts";
import {
  ChallengeTokensSchema,
  DurationSchema,
  EmptyBodySchema,
  NullSchema,
  RecoveryCodesSchema,
} from "../../identity/schemas.ts";
import type { EmailOtpDeps } from "./deps.ts";
import { EMAIL_OTP_EXAMPLES } from "./examples.ts";
import { EmailOtpSchema, EmailOtpSetupSchema } from "./schemas.ts";
import {
  activateEmailOtp,
  deactivateEmailOtp,
  nextEmailOtp,
  proveEmailOtp,
  sendEmailOtp,
  setUpEmailOtp,
} from "./service.ts";

const tag = "Second factors";
const NO_STORE = { "Cache-Control": "no-store" };
const accessOrPartial = ["accessBearerAuth", "partialBearerAuth"] as const;
const sudoOrFresh = ["sudoBearerAuth", "accessBearerAuth"] as const;

export function createEmailOtpRoutes(deps: EmailOtpDeps) {
  const requireSudo = requireSudoToken(deps);
  const requireChallenged = requireAccessOrPartialToken(deps);

  return createRouter()
    .post(
      "/user/2fa/email-otp/setup",
      operation({
        operationId: "setUpEmailOtp",
        tag,
        summary: "Set or reset email OTP",
        description:
          "Mails an activation code to the address, valid for 10 minutes. An active address goes on working until the " +
          "new one is activated. Takes a sudo token, or without a second factor an access token of a recent login. " +
          "Between mails there are 60, 120, 300 and then 900 seconds, and there are at most 10 a day.",
        security: sudoOrFresh,
        takes: "body",
        success: NullSchema,
        errors: ["SUDO_TOKEN_REQUIRED", "TOO_MANY_OTP_EMAILS"],
        example: EMAIL_OTP_EXAMPLES.setUpEmailOtp,
      }),
      requireSudo,
      validQuery(MailQuerySchema),
      validJson(EmailOtpSetupSchema),
      async (c) => {
        const input = { ...c.req.valid("query"), ...c.req.valid("json") };
        await setUpEmailOtp(deps, c.var.sudoActor, c.var.clientAddress, input);
        return c.json(null, 200, NO_STORE);
      },
    )
    .post(
      "/user/2fa/email-otp/enable",
      operation({
        operationId: "activateEmailOtp",
        tag,
        summary: "Activate email OTP",
        description:
          "Takes an access token and the code that the setup mailed. The first second factor of an account brings its " +
          "recovery codes. Pending codes, links and setups end, and so do earlier sudo and partial tokens.",
        security: "accessBearerAuth",
        takes: "body",
        success: RecoveryCodesSchema,
        errors: ["OTP_INVALID_EXPIRED", "EMAIL_OTP_UNINITIALIZED", "TOO_MANY_EMAIL_OTP_CHECKS"],
        example: EMAIL_OTP_EXAMPLES.activateEmailOtp,
      }),
      requireAccessToken(deps.accessTokens),
      validJson(EmailOtpSchema),
      async (c) => {
        const { otp } = c.req.valid("json");
        const recoveryCodes = await activateEmailOtp(deps, c.var.actor, c.var.clientAddress, otp);
        return c.json({ recoveryCodes }, 200, NO_STORE);
      },
    )
    .post(
      "/user/2fa/email-otp/challenge",
      operation({
        operationId: "sendEmailOtp",
        tag,
        summary: "Initiate an email OTP challenge",
        description:
          "Mails a code to the active address, valid for 10 minutes; it ends the one before. Takes an access token, to " +
          "step up, or a partial one, to complete a login. With an access token, and while an address is set up but " +
          "none is active, it mails the activation code anew. Waits as the setup does.",
        security: accessOrPartial,
        takes: "body",
        success: NullSchema,
        errors: ["EMAIL_OTP_UNINITIALIZED", "TOO_MANY_OTP_EMAILS"],
        example: EMAIL_OTP_EXAMPLES.sendEmailOtp,
      }),
      requireChallenged,
      validQuery(MailQuerySchema),
      validJson(EmptyBodySchema, { bodyOptional: true }),
      async (c) => {
        await sendEmailOtp(deps, c.var.challenged, c.var.clientAddress, c.req.valid("query"));
        return c.json(null, 200, NO_STORE);
      },
    )
    .post(
      "/user/2fa/email-otp/authenticate",
      operation({
        operationId: "proveEmailOtp",
        tag,
        summary: "Complete an email OTP challenge",
        description:
          "With an access token a right code gives a sudo token, with a partial token all the tokens of a login. Wrong " +
          "codes wait by the guess schedule, over all sessions and logins of the account; a code bears five, a " +
          "login ends by its fifth.",
        security: accessOrPartial,
        takes: "body",
        success: ChallengeTokensSchema,
        errors: ["OTP_INVALID_EXPIRED", "EMAIL_OTP_INACTIVE", "TOO_MANY_EMAIL_OTP_CHECKS"],
        example: EMAIL_OTP_EXAMPLES.proveEmailOtp,
      }),
      requireChallenged,
      validJson(EmailOtpSchema),
      async (c) => {
        const { otp } = c.req.valid("json");
        return c.json(await proveEmailOtp(deps, c.var.challenged, c.var.clientAddress, otp), 200, NO_STORE);
      },
    )
    .get(
      "/user/2fa/email-otp/next-email",
      operation({
        operationId: "nextEmailOtp",
        tag,
        summary: "Time until the next email OTP",
        description: "When the next code may be mailed. Takes an access or a partial token; changes nothing.",
        security: accessOrPartial,
        success: DurationSchema,
        errors: ["EMAIL_OTP_UNINITIALIZED"],
        takes: "nothing",
        example: EMAIL_OTP_EXAMPLES.nextEmailOtp,
      }),
      requireChallenged,
      async (c) => c.json({ duration: await nextEmailOtp(deps, c.var.challenged) }, 200, NO_STORE),
    )
    .delete(
      "/user/2fa/email-otp",
      operation({
        operationId: "deactivateEmailOtp",
        tag,
        summary: "Deactivate email OTP",
        description:
          "Takes a sudo token. Ends all other sessions, pending codes and links; with the last factor the recovery " +
          "codes go.",
        security: sudoOrFresh,
        success: NullSchema,
        errors: ["SUDO_TOKEN_REQUIRED", "EMAIL_OTP_ALREADY_INACTIVE"],
        takes: "nothing",
        example: EMAIL_OTP_EXAMPLES.deactivateEmailOtp,
      }),
      requireSudo,
      async (c) => {
        await deactivateEmailOtp(deps, c.var.sudoActor, c.var.clientAddress);
        return c.json(null, 200, NO_STORE);
      },
    );
}
