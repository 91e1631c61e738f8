import * as v from "valibot";

export const LinkPasswordSchema = v.strictObject({
  token: v.pipe(v.string(), v.minLength(1), v.maxLength(128), v.description("The token of the mailed link")),
  newPassword: v.pipe(v.string(), v.description("8 to 256 characters, not a common password")),
});

export const NullSchema = v.null();

export const PageSchema = v.pipe(v.string(), v.description("An HTML page"));
