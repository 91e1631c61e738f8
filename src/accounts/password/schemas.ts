import * as v from "valibot";
import { named, text } from "../../http/common_schemas.ts";
import { EmailSchema } from "../../http/mail_query.ts";
import { LoginSchema, SixCharactersSchema } from "../../identity/schemas.ts";
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from "./rules.ts";

const NewPasswordSchema = v.pipe(
  v.string(),
  // Checked with the other password rules, which have their own errors.
  v.metadata({ minLength: MIN_PASSWORD_LENGTH, maxLength: MAX_PASSWORD_LENGTH }),
  v.description("8 to 256 characters; not a common password, the address or the name of the service"),
);

/** An existing password, with the limits of the login. */
const OldPasswordSchema = LoginSchema.entries.password;

const OtpSchema = v.pipe(SixCharactersSchema, v.description("The mailed code; case does not matter"));

export const LinkPasswordSchema = v.strictObject({
  token: v.pipe(text(1, 128), v.description("The token in the mailed link")),
  newPassword: NewPasswordSchema,
  signIn: v.optional(
    v.pipe(
      v.boolean(),
      v.description(
        "Sign in, too: by the invitation of an account that never had a password or second factor",
      ),
    ),
  ),
});
export const LinkPasswordSetSchema = v.nullable(named("SignedIn", {
  refreshToken: v.pipe(v.string(), v.description("The first one of the session")),
  userEmail: v.pipe(
    v.string(),
    v.description("Address of the account, which may not be whom the link reached"),
  ),
}));

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
