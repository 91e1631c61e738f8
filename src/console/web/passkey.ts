import type { components } from "./openapi_types.ts";
import { page } from "./page.ts";
import { Problem } from "./problem.ts";

/**
 * Passkeys, by the interface of browsers (W3C WebAuthn Level 3). Their helpers for JSON are not used: older browsers
 * lack them, and what password managers give does not always have a `toJSON` that works.
 */

type Schemas = components["schemas"];
type CreationOptions = Schemas["PasskeyCreationOptions"]["options"];
type RequestOptions = Schemas["PasskeyRequestOptions"]["options"];

/** Parts that some browsers lack. Without encryption, and beyond `localhost`, there is none of it. */
const { PublicKeyCredential: passkeys } = globalThis as {
  PublicKeyCredential?: Partial<typeof PublicKeyCredential>;
};

/** Whether the browser can use passkeys at this address. */
export const hasPasskeys = passkeys !== undefined;

/** Whether the browser offers passkeys among the suggestions of a field. */
export async function hasAutofill(): Promise<boolean> {
  return await passkeys?.isConditionalMediationAvailable?.() === true;
}

/** Lets the browser make a passkey. Throws a `Problem` if it does not. */
export async function makePasskey(options: CreationOptions): Promise<Schemas["PasskeyCreation"]> {
  const { challenge, user, excludeCredentials } = options;
  return await ask(async () => {
    const made = await navigator.credentials.create({
      publicKey: {
        ...options as CreationOptions & Pick<PublicKeyCredentialCreationOptions, "pubKeyCredParams">,
        challenge: toBytes(challenge),
        user: { ...user, id: toBytes(user.id) },
        excludeCredentials: toDescriptors(excludeCredentials),
      },
    }) as Made;
    const { clientDataJSON, attestationObject } = made.response;
    return {
      ...envelopeOf(made),
      response: {
        clientDataJSON: toBase64Url(clientDataJSON),
        attestationObject: toBase64Url(attestationObject),
        transports: transportsOf(made.response),
      },
    };
  });
}

/** Lets the browser prove a passkey. Throws a `Problem` if it does not, or if the signal ends it. */
export async function provePasskey(
  options: RequestOptions,
  how: Pick<CredentialRequestOptions, "mediation" | "signal"> = {},
): Promise<Schemas["PasskeyAssertion"]> {
  const { challenge, allowCredentials } = options;
  return await ask(async () => {
    const proven = await navigator.credentials.get({
      ...how,
      publicKey: {
        ...options as RequestOptions & Pick<PublicKeyCredentialRequestOptions, "userVerification">,
        challenge: toBytes(challenge),
        allowCredentials: toDescriptors(allowCredentials),
      },
    }) as Proven;
    const { clientDataJSON, authenticatorData, signature, userHandle } = proven.response;
    return {
      ...envelopeOf(proven),
      response: {
        clientDataJSON: toBase64Url(clientDataJSON),
        authenticatorData: toBase64Url(authenticatorData),
        signature: toBase64Url(signature),
        // Some give an empty one for none.
        userHandle: userHandle && toBase64Url(userHandle) || null,
      },
    };
  });
}

type Made = PublicKeyCredential & { readonly response: AuthenticatorAttestationResponse };
type Proven = PublicKeyCredential & { readonly response: AuthenticatorAssertionResponse };

function envelopeOf({ rawId }: PublicKeyCredential) {
  const id = toBase64Url(rawId);
  // The service reads no results of extensions, which may be secrets.
  return { id, rawId: id, type: "public-key", clientExtensionResults: {} } as const;
}

/** Returns how the browser reaches the authenticator, which not all of them tell. */
function transportsOf(response: AuthenticatorAttestationResponse): string[] {
  try {
    return response.getTransports();
  } catch {
    return [];
  }
}

function toDescriptors(listed: Schemas["PasskeyDescriptor"][] = []): PublicKeyCredentialDescriptor[] {
  return listed.map(({ id, transports, ...rest }) => ({
    ...rest,
    id: toBytes(id),
    ...transports && { transports: transports as AuthenticatorTransport[] },
  }));
}

function toBytes(base64Url: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(
    atob(base64Url.replaceAll("-", "+").replaceAll("_", "/")),
    (byte) => byte.charCodeAt(0),
  );
}

function toBase64Url(bytes: ArrayBuffer): string {
  const text = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The browser's refusals with a text of their own (`problems`), by the name of the exception. */
const REFUSALS: Readonly<Record<string, string>> = {
  NotAllowedError: "PASSKEY_NOT_GIVEN",
  InvalidStateError: "PASSKEY_ALREADY_ACTIVE",
  SecurityError: "PASSKEYS_UNSUPPORTED",
  NotSupportedError: "PASSKEYS_UNSUPPORTED",
};

async function ask<T>(request: () => Promise<T>): Promise<T> {
  try {
    if (!hasPasskeys) throw new DOMException("", "NotSupportedError");
    return await request();
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    throw new Problem(401, REFUSALS[name] ?? name, undefined, {});
  }
}

/** Tells the browser that the service does not know a passkey, so that it is not offered again. */
export function forgetPasskey(credentialId: string): void {
  passkeys?.signalUnknownCredential?.({ rpId: page.passkeyDomain, credentialId }).catch(ignore);
}

/** Tells the browser which passkeys the account has, so that others of it are not offered again. */
export function keepPasskeys({ userHandle, passkey }: Schemas["PasskeyList"]): void {
  if (userHandle === null) return;
  passkeys?.signalAllAcceptedCredentials?.({
    rpId: page.passkeyDomain,
    userId: userHandle,
    allAcceptedCredentialIds: passkey.map(({ credentialId }) => credentialId),
  }).catch(ignore);
}

/** The service refuses a removed passkey, whatever the browser makes of it. */
function ignore(): void {}
