import * as v from "valibot";
import { isEmail, MAX_EMAIL_LENGTH, normalizeEmail } from "../core/email.ts";

/** An email address, normalized to the spelling that is compared and stored. */
export const EmailSchema = v.pipe(
  v.string(),
  v.maxLength(MAX_EMAIL_LENGTH),
  v.transform(normalizeEmail),
  v.check(isEmail, "an email address"),
  v.description("An email address; case does not matter"),
);

/** The query parameters of operations that send mail. */
export const MailQuerySchema = v.strictObject({
  origin: v.optional(
    v.pipe(v.string(), v.maxLength(256), v.description("Name of the configured sender of the mail")),
  ),
  language: v.optional(v.pipe(
    v.string(),
    v.regex(/^[a-zA-Z]{2}$/, "a language of two letters, such as en"),
    v.description("Language of the mail: en, nl, fr or de (any other: en); default: that of the account"),
  )),
});
