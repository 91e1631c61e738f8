import * as v from "valibot";
import { EmailSchema } from "../../../http/mail_query.ts";
import { SixCharactersSchema } from "../../../identity/schemas.ts";

export const EmailOtpSetupSchema = v.strictObject({
  email: v.pipe(EmailSchema, v.description("The address to send codes to; case does not matter")),
});

export const EmailOtpSchema = v.strictObject({
  otp: v.pipe(SixCharactersSchema, v.description("The mailed code")),
});
