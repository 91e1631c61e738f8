import * as v from "valibot";
import { named } from "../../../http/common_schemas.ts";
import { SixCharactersSchema } from "../../../identity/schemas.ts";

export const TotpSchema = v.strictObject({
  totp: v.pipe(SixCharactersSchema, v.description("The code that the authenticator app shows")),
});

export const TotpSetupSchema = named("TotpSetup", {
  url: v.pipe(v.string(), v.description("An `otpauth:` URL, which contains the secret")),
  qrCode: v.pipe(
    v.nullable(v.string()),
    v.description("The same as a QR code: an SVG picture. Null if the URL is too long for one"),
  ),
});
