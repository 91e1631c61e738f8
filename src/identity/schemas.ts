import * as v from "valibot";

const MAX_CREDENTIAL = 256;

export const LoginSchema = v.strictObject({
  username: v.pipe(v.string(), v.maxLength(MAX_CREDENTIAL), v.description("The account's address")),
  password: v.pipe(v.string(), v.maxLength(MAX_CREDENTIAL)),
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
