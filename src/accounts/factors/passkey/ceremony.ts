import { fromBase64Url, toBase64Url } from "../../../core/encoding.ts";
import { isUsableKey } from "./public_key.ts";
import { ALGORITHMS, CHALLENGE_MS, type RelyingParty } from "./rules.ts";
import type { AssertionResponse, CreationResponse } from "./schemas.ts";
import type { Transport } from "./transports.ts";

/**
 * The ceremonies of W3C WebAuthn Level 3, sections 7.1 and 7.2, by a library that is loaded with the first of them. What
 * depends on the database, the batches decide: whether the challenge is unused, and the counter.
 */

function loadLibrary() {
  return import("@simplewebauthn/server");
}

/** A passkey that a browser may offer, or should not make again. */
export interface KnownPasskey {
  readonly id: string;
  readonly transports: Transport[];
}

export interface CreationInput {
  readonly challenge: Uint8Array<ArrayBuffer>;
  readonly email: string;
  /** In base64url. */
  readonly handle: string;
  readonly known: KnownPasskey[];
}

/** Returns the options for `navigator.credentials.create`, as JSON. */
export async function creationOptions(party: RelyingParty, input: CreationInput) {
  const { generateRegistrationOptions } = await loadLibrary();
  return await generateRegistrationOptions({
    rpID: party.id,
    rpName: party.name,
    userID: fromBase64Url(input.handle) ?? new Uint8Array(),
    userName: input.email,
    challenge: input.challenge,
    timeout: CHALLENGE_MS,
    attestationType: "none",
    excludeCredentials: input.known,
    authenticatorSelection: { residentKey: "required", userVerification: "preferred" },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/** Returns the options for `navigator.credentials.get`, as JSON. Without `known`, the browser offers what it has. */
export async function requestOptions(
  party: RelyingParty,
  challenge: Uint8Array<ArrayBuffer>,
  known?: KnownPasskey[],
) {
  const { generateAuthenticationOptions } = await loadLibrary();
  return await generateAuthenticationOptions({
    rpID: party.id,
    challenge,
    timeout: CHALLENGE_MS,
    ...(known && { allowCredentials: known }),
    userVerification: known === undefined ? "required" : "preferred",
  });
}

/** A new passkey, as it is stored. Keys are in base64url. */
export interface CreatedPasskey {
  readonly credentialId: string;
  readonly publicKey: string;
  readonly counter: number;
  readonly userVerified: boolean;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
}

/** Verifies the response of `navigator.credentials.create`. Undefined unless all of it is right. */
export async function verifyCreation(
  party: RelyingParty,
  response: CreationResponse,
): Promise<CreatedPasskey | undefined> {
  if (isFramed(response.response.clientDataJSON)) return undefined;
  const { verifyRegistrationResponse } = await loadLibrary();
  const attestationObject = await withoutAttestation(response.response.attestationObject);
  if (attestationObject === undefined) return undefined;
  const verified = await verifyRegistrationResponse({
    response: {
      ...response,
      response: { ...response.response, attestationObject },
    } as Parameters<typeof verifyRegistrationResponse>[0]["response"],
    expectedChallenge: isAnswered,
    expectedOrigin: [...party.origins],
    expectedRPID: party.id,
    requireUserVerification: false,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(asWrong);
  if (verified === undefined || !verified.verified) return undefined;
  const { credential, userVerified, credentialDeviceType, credentialBackedUp } = verified.registrationInfo;
  const { decodeCredentialPublicKey } = await import("@simplewebauthn/server/helpers");
  // The id that the client names must be the one that the authenticator made.
  if (credential.id !== response.id || !isUsableKey(decodeCredentialPublicKey(credential.publicKey))) {
    return undefined;
  }
  return {
    credentialId: credential.id,
    publicKey: toBase64Url(credential.publicKey),
    counter: credential.counter,
    userVerified,
    backupEligible: credentialDeviceType === "multiDevice",
    backedUp: credentialBackedUp,
  };
}

/**
 * Returns the object without what a manufacturer states about the authenticator, which was not asked for. Verifying
 * that, the library would follow addresses in certificates of the client.
 */
async function withoutAttestation(attestationObject: string): Promise<string | undefined> {
  const bytes = fromBase64Url(attestationObject);
  if (bytes === undefined) return undefined;
  const { decodeAttestationObject, isoCBOR } = await import("@simplewebauthn/server/helpers");
  try {
    const authData = decodeAttestationObject(bytes).get("authData");
    return toBase64Url(
      isoCBOR.encode(
        new Map<string, unknown>([["fmt", "none"], ["attStmt", new Map()], ["authData", authData]]) as never,
      ),
    );
  } catch {
    return undefined;
  }
}

/** A stored passkey; the key is in base64url. */
export interface StoredPasskey {
  readonly publicKey: string;
  readonly userHandle: string;
}

/** What a right response says. */
export interface Assertion {
  readonly counter: number;
  readonly userVerified: boolean;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
}

/** Verifies the response of `navigator.credentials.get` by the stored key. Undefined unless all of it is right. */
export async function verifyAssertion(
  party: RelyingParty,
  response: AssertionResponse,
  stored: StoredPasskey,
  { requireUserVerification }: { readonly requireUserVerification: boolean },
): Promise<Assertion | undefined> {
  const publicKey = fromBase64Url(stored.publicKey);
  const isOthers = (namedAccount(response) ?? stored.userHandle) !== stored.userHandle;
  if (publicKey === undefined || isOthers || isFramed(response.response.clientDataJSON)) return undefined;
  const { verifyAuthenticationResponse } = await loadLibrary();
  const verified = await verifyAuthenticationResponse({
    response: response as Parameters<typeof verifyAuthenticationResponse>[0]["response"],
    expectedChallenge: isAnswered,
    expectedOrigin: [...party.origins],
    expectedRPID: party.id,
    requireUserVerification,
    // The batch compares the counter, with the one that is stored then.
    credential: { id: response.id, publicKey, counter: 0 },
  }).catch(asWrong);
  if (verified === undefined || !verified.verified) return undefined;
  const { newCounter, userVerified, credentialDeviceType, credentialBackedUp } = verified.authenticationInfo;
  return {
    counter: newCounter,
    userVerified,
    backupEligible: credentialDeviceType === "multiDevice",
    backedUp: credentialBackedUp,
  };
}

/** Returns the account that a response names, as authenticators know it. Some write an empty text for none. */
export function namedAccount({ response }: AssertionResponse): string | undefined {
  return response.userHandle || undefined;
}

/** The challenge was opened before, by `openChallenge`. */
function isAnswered(): boolean {
  return true;
}

/** The library throws for anything wrong in a response. */
function asWrong(): undefined {
  return undefined;
}

/** Returns the challenge in the client's data, or undefined if that is not readable. */
export function readChallenge(clientDataJSON: string): string | undefined {
  const { challenge } = readClientData(clientDataJSON);
  return typeof challenge === "string" ? challenge : undefined;
}

/** Whether the page was in a frame of another origin, which the library lets pass where the browser hides its origin. */
function isFramed(clientDataJSON: string): boolean {
  const { crossOrigin, topOrigin } = readClientData(clientDataJSON);
  return (crossOrigin ?? false) !== false || topOrigin !== undefined;
}

function readClientData(clientDataJSON: string): Readonly<Record<string, unknown>> {
  const bytes = fromBase64Url(clientDataJSON);
  try {
    const data: unknown = JSON.parse(new TextDecoder().decode(bytes ?? new Uint8Array()));
    return typeof data === "object" && data !== null ? data as Record<string, unknown> : {};
  } catch {
    return {};
  }
}
