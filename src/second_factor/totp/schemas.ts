import * as v from "valibot";
import { named } from "../../http/common_schemas.ts";
import { SixCharactersSchema } from "../../identity/schemas.ts";

export const TotpSchema = v.strictObject({
  totp: v.pipe(SixCharactersSchema, v.description("The code that the authenticator app shows")),
});

export const TotpUrlSchema = named("TotpSetup", {
  url: v.pipe(v.string(), v.description("An `otpauth:` URL to show as a QR code; it contains the secret")),
});
