import * as v from "valibot";
import { named } from "../http/common_schemas.ts";
import { EmailSchema } from "../http/mail_query.ts";
import { LoginSchema } from "../identity/schemas.ts";

const NewPasswordSchema = v.pipe(
  v.string(),
  v.description("8 to 256 characters; not a common password, the address or the name of the service"),
);

/** An existing password, with the limits of the login. */
const OldPasswordSchema = LoginSchema.entries.password;

const OtpSchema = v.pipe(
  v.string(),
  v.length(6),
  v.description("The mailed code; case does not matter"),
);

export const LinkPasswordSchema = v.strictObject({
  token: v.pipe(v.string(), v.minLength(1), v.maxLength(128), v.description("The token in the mailed link")),
  newPassword: NewPasswordSchema,
});

export const ResetRequestSchema = v.strictObject({ email: EmailSchema });
export const ResetCodeSchema = v.strictObject({ email: EmailSchema, otp: OtpSchema });
export const CodePasswordSchema = v.strictObject({
  userEmail: EmailSchema,
  otp: OtpSchema,
  newPassword: NewPasswordSchema,
});
export const ChangePasswordSchema = v.strictObject({
  oldPassword: OldPasswordSchema,
  newPassword: NewPasswordSchema,
});
export const ProvePasswordSchema = v.strictObject({ password: OldPasswordSchema });

export const SudoTokenSchema = named("SudoToken", { sudoToken: v.string() });

export const PageSchema = v.pipe(v.string(), v.description("An HTML page"));
