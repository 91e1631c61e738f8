import * as v from "valibot";
import { text } from "./common_schemas.ts";
import { isEmail, MAX_EMAIL_LENGTH, normalizeEmail } from "../core/email.ts";

/** An email address, in the spelling in which addresses are stored. */
export const EmailSchema = v.pipe(
  text(0, MAX_EMAIL_LENGTH),
  v.check(isEmail, "an email address"),
  v.transform(normalizeEmail),
  v.metadata({ format: "email" }),
  v.description("An email address; case does not matter"),
);

/** The query parameters of operations that send mail. */
export const MailQuerySchema = v.strictObject({
  origin: v.optional(
    v.pipe(text(0, 256), v.description("Name of the configured sender of the mail")),
  ),
  language: v.optional(v.pipe(
    v.string(),
    v.regex(/^[a-zA-Z]{2}$/, "a language of two letters, such as en"),
    v.description("Language of the mail: en, nl, fr or de (any other: en); default: that of the account"),
  )),
});
