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

/** The body of operations whose request is `{}`. */
export const EmptyBodySchema = v.strictObject({});

const completedAt = v.pipe(v.string(), v.isoTimestamp());

export const FactorListSchema = v.object({
  enabled: v.pipe(v.boolean(), v.description("Whether a login asks for a second factor")),
  emailOtp: v.optional(v.object({
    email: v.pipe(v.string(), v.description("Where codes go; masked for a partial token")),
    completedAt,
  })),
  totp: v.optional(v.object({ completedAt })),
  recoveryCodes: v.optional(v.object({
    completedAt,
    remaining: v.pipe(v.number(), v.integer(), v.description("Codes that were not used yet")),
  })),
});

/** The tokens of a proven second factor: the sudo token alone for an access token, all three for a partial one. */
export const ChallengeTokensSchema = v.object({
  sudoToken: v.string(),
  accessToken: v.optional(v.pipe(v.string(), v.description("With a partial token only"))),
  refreshToken: v.optional(v.pipe(v.string(), v.description("With a partial token only"))),
});

export const RecoveryCodesSchema = v.object({
  recoveryCodes: v.pipe(
    v.array(v.string()),
    v.description("Ten codes, shown this once, each good for one use; empty where a set exists already"),
  ),
});

export const DurationSchema = v.object({
  duration: v.pipe(v.number(), v.integer(), v.minValue(0), v.description("Whole seconds; 0: now")),
});

/** What proves an account's second factor, as mailed or shown by an app: six characters. */
export const SixCharactersSchema = v.pipe(v.string(), v.length(6));
