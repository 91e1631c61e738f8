import * as v from "valibot";

const MAX_CREDENTIAL = 256;
/** In UTF-16 units before normalization, which takes time with the square of the length: see `password/rules.ts`. */
const MAX_UNNORMALIZED = 4 * 2 * MAX_CREDENTIAL;

export const LoginSchema = v.strictObject({
  username: v.pipe(v.string(), v.maxLength(MAX_CREDENTIAL), v.description("The account's address")),
  password: v.pipe(
    v.string(),
    // Counted as the rules for a new password count, so that each that can be set can be sent.
    v.check(
      (text) => text.length <= MAX_UNNORMALIZED && [...text.normalize("NFC")].length <= MAX_CREDENTIAL,
      "at most 256 characters",
    ),
    v.description("At most 256 characters"),
  ),
});

export const TokenTextSchema = v.pipe(v.string(), v.description("The token as plain text"));

export const UserIdSchema = v.object({ userId: v.pipe(v.number(), v.integer()) });

export const SessionListSchema = v.object({
  session: v.array(v.pipe(
    v.object({
      id: v.string(),
      createdAt: v.pipe(v.string(), v.isoTimestamp()),
      lastTokenAt: v.pipe(v.string(), v.isoTimestamp()),
      client: v.pipe(v.string(), v.description("What the client calls itself")),
      current: v.boolean(),
    }),
    v.metadata({ ref: "Session" }),
  )),
});

export const SessionPathSchema = v.strictObject({ id: v.pipe(v.string(), v.maxLength(128)) });

export const NullSchema = v.null();

export const JwksSchema = v.object({
  keys: v.array(v.object({
    kty: v.literal("OKP"),
    crv: v.literal("Ed25519"),
    x: v.string(),
    kid: v.string(),
    alg: v.literal("EdDSA"),
    use: v.literal("sig"),
  })),
});
