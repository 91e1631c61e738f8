import * as v from "valibot";
import { AddressSchema, named, text } from "../http/common_schemas.ts";

const MAX_CREDENTIAL = 256;
/** In UTF-16 code units, before normalization, whose cost is quadratic (`password/rules.ts`). */
const MAX_UNNORMALIZED = 4 * 2 * MAX_CREDENTIAL;

export const LoginSchema = v.strictObject({
  username: v.pipe(
    text(0, MAX_CREDENTIAL),
    v.metadata({ format: "email" }),
    v.description("Email address of the account"),
  ),
  password: v.pipe(
    v.string(),
    // Counted as in a new password, so that every valid password can be sent.
    v.check(
      (text) => text.length <= MAX_UNNORMALIZED && [...text.normalize("NFC")].length <= MAX_CREDENTIAL,
      "at most 256 characters",
    ),
    v.metadata({ maxLength: MAX_CREDENTIAL }),
    v.description("At most 256 characters"),
  ),
});

export const TokenTextSchema = v.pipe(v.string(), v.description("The token as plain text"));

export const AudienceQuerySchema = v.strictObject({
  audience: v.optional(v.pipe(
    text(0, 256),
    v.description("The service that the token is for, one of `AUDIENCES`; by default this one"),
  )),
});

export const UserIdSchema = named("TokenUser", { userId: v.pipe(v.number(), v.integer()) });

export const SessionListSchema = named("SessionList", {
  session: v.array(v.pipe(
    v.object({
      id: v.string(),
      createdAt: v.pipe(v.string(), v.isoTimestamp()),
      lastTokenAt: v.pipe(v.string(), v.isoTimestamp(), v.description("When its latest token was issued")),
      client: v.pipe(v.string(), v.description("`User-Agent` of the client that logged in")),
      current: v.pipe(v.boolean(), v.description("Whether this request belongs to the session")),
    }),
    v.metadata({ ref: "Session" }),
  )),
  nextCursor: v.optional(v.pipe(
    v.nullable(v.string()),
    v.description("With `limit` or `cursor`: the cursor of the next page, or null at the end"),
  )),
});

export const SessionListQuerySchema = v.strictObject({
  limit: v.optional(v.pipe(
    v.number(),
    v.integer(),
    v.minValue(1),
    v.maxValue(1000),
    v.description(
      "Maximum number of sessions, from 1 to 1000. Without `limit` and `cursor`, all are returned",
    ),
  )),
  cursor: v.optional(v.pipe(
    v.string(),
    v.regex(/^[0-9]{1,15}\.[A-Za-z0-9_-]{1,128}$/, "the nextCursor of a previous page"),
    v.description("`nextCursor` of the previous page"),
  )),
});

export const EndSessionsQuerySchema = v.strictObject({
  keys: v.optional(v.pipe(v.boolean(), v.description("Whether to delete the keys that the user made, too"))),
});

export const SessionPathSchema = v.strictObject({
  id: v.pipe(text(1, 128), v.description("Id of the session")),
});

export const JwksSchema = named("JsonWebKeySet", {
  keys: v.array(named("JsonWebKey", {
    kty: v.literal("OKP"),
    crv: v.literal("Ed25519"),
    x: v.string(),
    kid: v.string(),
    alg: v.literal("EdDSA"),
    use: v.literal("sig"),
  })),
});

/** The body of operations that take no input: `{}`. */
export const EmptyBodySchema = v.strictObject({});

export const ConfirmFactorSchema = v.strictObject({
  token: v.pipe(text(1, 128), v.description("The token in the mailed link")),
});

const completedAt = v.pipe(v.string(), v.isoTimestamp());

export const FactorListSchema = named("SecondFactors", {
  enabled: v.pipe(v.boolean(), v.description("Whether a login needs a second factor")),
  passkey: v.optional(v.object({ completedAt })),
  emailOtp: v.optional(v.object({
    email: v.pipe(
      AddressSchema,
      v.description("The address that codes are sent to; masked for a partial token"),
    ),
    completedAt,
  })),
  totp: v.optional(v.object({
    completedAt,
    confirmed: v.pipe(v.boolean(), v.description("Whether its mailed link was opened, or was not needed")),
  })),
  recoveryCodes: v.optional(v.object({
    completedAt,
    remaining: v.pipe(v.number(), v.integer(), v.description("Number of unused codes")),
  })),
});

/**
 * The tokens for a verified second factor: a sudo token, and with a partial token also an access and a refresh token.
 */
export const ChallengeTokensSchema = named("ChallengeTokens", {
  sudoToken: v.string(),
  accessToken: v.optional(v.pipe(v.string(), v.description("With a partial token only"))),
  refreshToken: v.optional(v.pipe(v.string(), v.description("With a partial token only"))),
});

export const RecoveryCodesSchema = named("RecoveryCodes", {
  recoveryCodes: v.pipe(
    v.array(v.string()),
    v.description(
      "Ten codes, each for one use, that are not shown again; empty if the account already has a set",
    ),
  ),
});

export const DurationSchema = named("Wait", {
  duration: v.pipe(v.number(), v.integer(), v.minValue(0), v.description("Whole seconds; 0 means now")),
});

/** A mailed code, or one from an authenticator app. */
export const SixCharactersSchema = text(6, 6);
