import { NullSchema } from "../../../http/common_schemas.ts";
import { createRouter } from "../../../http/env.ts";
import { MailQuerySchema } from "../../../http/mail_query.ts";
import { operation } from "../../../http/openapi/openapi.ts";
import { validJson, validQuery } from "../../../http/validation.ts";
import { GUESS_RULE, SUDO_RULE } from "../../../identity/descriptions.ts";
import {
  requireAccessOrPartialToken,
  requireAccessToken,
  requireSudoToken,
} from "../../../identity/guards.ts";
import {
  ChallengeTokensSchema,
  DurationSchema,
  EmptyBodySchema,
  RecoveryCodesSchema,
} from "../../../identity/schemas.ts";
import { countSignIns } from "../../../identity/sign_in_middleware.ts";
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
          "Mails an activation code, valid for 10 minutes, to the address that one-time codes are to be " +
          "sent to; only the session that asks can use it. An active address remains in use until the new " +
          "one is activated. The wait between mails is 60, 120, 300 and then always 900 seconds, with up to " +
          "10 mails a day; challenges count as well.\n\n" +
          SUDO_RULE,
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
        const input = { ...c.req.valid("query"), email: c.req.valid("json").email };
        await setUpEmailOtp(deps, c.var.sudoActor, c.var.clientAddress, input);
        return c.json(null);
      },
    )
    .post(
      "/user/2fa/email-otp/enable",
      operation({
        operationId: "activateEmailOtp",
        tag,
        summary: "Activate email OTP",
        description:
          "Activates the address with the code that this session had mailed to it. If this is the account's first " +
          "second factor, the response contains its recovery codes, which are not shown again. Ends " +
          "pending codes, links and setups, and makes earlier sudo and partial tokens invalid.\n\n" +
          GUESS_RULE,
        security: "accessBearerAuth",
        takes: "body",
        success: RecoveryCodesSchema,
        errors: ["OTP_INVALID_EXPIRED", "EMAIL_OTP_UNINITIALIZED", "TOO_MANY_EMAIL_OTP_CHECKS"],
        example: EMAIL_OTP_EXAMPLES.activateEmailOtp,
      }),
      requireAccessToken(deps),
      validJson(EmailOtpSchema),
      async (c) => {
        const { otp } = c.req.valid("json");
        const recoveryCodes = await activateEmailOtp(deps, c.var.actor, c.var.clientAddress, otp);
        return c.json({ recoveryCodes });
      },
    )
    .post(
      "/user/2fa/email-otp/challenge",
      operation({
        operationId: "sendEmailOtp",
        tag,
        summary: "Initiate email OTP challenge",
        description:
          "Mails a one-time code to the active address, with an access token for a step-up, with a " +
          "partial token to complete a login. The code is valid for 10 minutes, for the session or login " +
          "that asked for it alone, and replaces its previous one. Three codes of an account can be valid at " +
          "a time; a fourth ends the oldest. With an access token, if an address is set up but not active " +
          "yet, it sends a new activation code. The waits between mails are those of " +
          "`POST /user/2fa/email-otp/setup`. Logins from client addresses that the account does not " +
          "know wait apart, and may use 5 of the 10 mails a day.",
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
        return c.json(null);
      },
    )
    .post(
      "/user/2fa/email-otp/authenticate",
      operation({
        operationId: "proveEmailOtp",
        tag,
        summary: "Complete email OTP challenge",
        description:
          "With an access token (step-up), a correct code returns a sudo token. With a partial token, it " +
          "completes the login and returns a sudo, a refresh and an access token. A code allows 5 wrong " +
          "guesses. A login ends at its fifth wrong code.\n\n" +
          GUESS_RULE,
        security: accessOrPartial,
        takes: "body",
        success: ChallengeTokensSchema,
        errors: ["OTP_INVALID_EXPIRED", "EMAIL_OTP_INACTIVE", "TOO_MANY_EMAIL_OTP_CHECKS"],
        example: EMAIL_OTP_EXAMPLES.proveEmailOtp,
      }),
      requireChallenged,
      validJson(EmailOtpSchema),
      countSignIns(deps.metrics, "email_otp"),
      async (c) => {
        const { otp } = c.req.valid("json");
        return c.json(await proveEmailOtp(deps, c.var.challenged, c.var.clientAddress, otp));
      },
    )
    .get(
      "/user/2fa/email-otp/next-email",
      operation({
        operationId: "nextEmailOtp",
        tag,
        summary: "Time until the next email OTP may be generated",
        description: "Seconds until the next code may be mailed; 0 means now. Changes nothing.",
        security: accessOrPartial,
        success: DurationSchema,
        errors: ["EMAIL_OTP_UNINITIALIZED"],
        takes: "nothing",
        example: EMAIL_OTP_EXAMPLES.nextEmailOtp,
      }),
      requireChallenged,
      async (c) => c.json({ duration: await nextEmailOtp(deps, c.var.challenged) }),
    )
    .delete(
      "/user/2fa/email-otp",
      operation({
        operationId: "deactivateEmailOtp",
        tag,
        summary: "Deactivate email OTP",
        description:
          "If this is the account's last second factor, the recovery codes are deleted, too. Ends the " +
          "user's other sessions and pending codes and links. Needs a sudo token.",
        security: sudoOrFresh,
        success: NullSchema,
        errors: ["SUDO_TOKEN_REQUIRED", "EMAIL_OTP_ALREADY_INACTIVE"],
        takes: "nothing",
        example: EMAIL_OTP_EXAMPLES.deactivateEmailOtp,
      }),
      requireSudo,
      async (c) => {
        await deactivateEmailOtp(deps, c.var.sudoActor, c.var.clientAddress);
        return c.json(null);
      },
    );
}
