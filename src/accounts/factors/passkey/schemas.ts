import * as v from "valibot";
import { CONTROL_CHARACTERS, named, OPEN, openObject, text } from "../../../http/common_schemas.ts";
import { TRANSPORTS } from "./transports.ts";

/** The name of a passkey that none was given. */
export const DEFAULT_NAME = "Passkey";

const MAX_NAME = 64;
/** In characters. Attestations contain certificates; no other part comes near the limit of its field. */
const MAX_FIELD = 4096;
const MAX_ATTESTATION = 16_384;

/** An id of a credential has at most 1023 bytes (WebAuthn Level 3, 7.1). */
const CredentialIdSchema = v.pipe(base64Url(1364), v.description("Id of the credential, in base64url"));

function base64Url(most: number) {
  return v.pipe(text(1, most), v.regex(/^[A-Za-z0-9_-]+$/, "base64url"));
}

export const PasskeyNameSchema = v.pipe(
  text(1, MAX_NAME),
  v.regex(new RegExp(`^[^${CONTROL_CHARACTERS}]+$`), "without control characters"),
  v.description("A name by which its owner knows it"),
);

const envelope = {
  id: CredentialIdSchema,
  rawId: CredentialIdSchema,
  type: v.literal("public-key"),
  clientExtensionResults: v.pipe(openObject({}), v.metadata(OPEN)),
} as const;

const CreationResponseSchema = v.pipe(
  openObject({
    ...envelope,
    response: v.pipe(
      openObject({
        clientDataJSON: base64Url(MAX_FIELD),
        attestationObject: base64Url(MAX_ATTESTATION),
        transports: v.optional(v.pipe(v.array(text(0, 64)), v.maxLength(16, "at most 16"))),
      }),
      v.metadata(OPEN),
    ),
  }),
  v.description("`PublicKeyCredential.toJSON()` of `navigator.credentials.create()`"),
  v.metadata({ ...OPEN, ref: "PasskeyCreation" }),
);
export type CreationResponse = v.InferOutput<typeof CreationResponseSchema>;

const AssertionResponseSchema = v.pipe(
  openObject({
    ...envelope,
    response: v.pipe(
      openObject({
        clientDataJSON: base64Url(MAX_FIELD),
        authenticatorData: base64Url(MAX_FIELD),
        signature: base64Url(MAX_FIELD),
        userHandle: v.optional(v.nullable(text(0, 128))),
      }),
      v.metadata(OPEN),
    ),
  }),
  v.description("`PublicKeyCredential.toJSON()` of `navigator.credentials.get()`"),
  v.metadata({ ...OPEN, ref: "PasskeyAssertion" }),
);
export type AssertionResponse = v.InferOutput<typeof AssertionResponseSchema>;

export const EnablePasskeySchema = v.strictObject({
  response: CreationResponseSchema,
  name: v.optional(PasskeyNameSchema),
});
export const RenamePasskeySchema = v.strictObject({ name: PasskeyNameSchema });
export const ProvePasskeySchema = v.strictObject({ response: AssertionResponseSchema });

export const PasskeyPathSchema = v.strictObject({
  passkeyId: v.pipe(v.number(), v.integer(), v.minValue(1), v.description("Id of the passkey in the list")),
});

const ChallengeSchema = v.pipe(
  v.string(),
  v.description("Can be answered once, within 5 minutes, with the token that it was requested with"),
);
const DescriptorsSchema = v.array(named("PasskeyDescriptor", {
  id: v.string(),
  type: v.literal("public-key"),
  transports: v.optional(v.array(v.string())),
}));

export const CreationOptionsSchema = named("PasskeyCreationOptions", {
  options: v.pipe(
    openObject({
      challenge: ChallengeSchema,
      rp: v.object({ id: v.optional(v.string()), name: v.string() }),
      user: v.object({ id: v.string(), name: v.string(), displayName: v.string() }),
      excludeCredentials: v.optional(DescriptorsSchema),
    }),
    v.description("For `PublicKeyCredential.parseCreationOptionsFromJSON()`"),
    v.metadata(OPEN),
  ),
});

export const RequestOptionsSchema = named("PasskeyRequestOptions", {
  options: v.pipe(
    openObject({
      challenge: ChallengeSchema,
      rpId: v.optional(v.string()),
      allowCredentials: v.optional(DescriptorsSchema),
      userVerification: v.optional(v.string()),
    }),
    v.description("For `PublicKeyCredential.parseRequestOptionsFromJSON()`"),
    v.metadata(OPEN),
  ),
});

export const PasskeyListSchema = named("PasskeyList", {
  passkey: v.array(named("Passkey", {
    id: v.pipe(v.number(), v.integer()),
    credentialId: CredentialIdSchema,
    name: v.string(),
    createdAt: v.pipe(v.string(), v.isoTimestamp()),
    lastUsedAt: v.pipe(v.nullable(v.pipe(v.string(), v.isoTimestamp())), v.description("Null if never")),
    confirmed: v.pipe(v.boolean(), v.description("Whether its mailed link was opened, or was not needed")),
    synced: v.pipe(v.boolean(), v.description("Whether the user's other devices have it, too")),
    transports: v.pipe(
      v.array(v.picklist(TRANSPORTS)),
      v.description("How browsers reach the authenticator"),
    ),
  })),
  userHandle: v.pipe(
    v.nullable(v.string()),
    v.description("The account as authenticators know it, for `signalAllAcceptedCredentials`"),
  ),
});
