import type { components } from "./openapi_types.ts";
import { page } from "./page.ts";
import { Problem } from "./problem.ts";

/** Passkeys, by the interface of browsers (W3C WebAuthn Level 3). */

type Schemas = components["schemas"];
type CreationOptions = Schemas["PasskeyCreationOptions"]["options"];
type RequestOptions = Schemas["PasskeyRequestOptions"]["options"];

/** Parts that some browsers lack. Without encryption, and beyond `localhost`, there is none of it. */
const { PublicKeyCredential: passkeys } = globalThis as {
  PublicKeyCredential?: Partial<typeof PublicKeyCredential>;
};

/** Whether the browser can use passkeys at this address. */
export const hasPasskeys = passkeys?.parseRequestOptionsFromJSON !== undefined;

/** Whether the browser offers passkeys among the suggestions of a field. */
export async function hasAutofill(): Promise<boolean> {
  return hasPasskeys && await passkeys?.isConditionalMediationAvailable?.() === true;
}

/** Lets the browser make a passkey. Throws a `Problem` if it does not. */
export async function makePasskey(options: CreationOptions): Promise<Schemas["PasskeyCreation"]> {
  return await ask(() => {
    const json = options as CreationOptions & PublicKeyCredentialCreationOptionsJSON;
    return navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(json),
    });
  });
}

/** Lets the browser prove a passkey. Throws a `Problem` if it does not, or if the signal ends it. */
export async function provePasskey(
  options: RequestOptions,
  how: Pick<CredentialRequestOptions, "mediation" | "signal"> = {},
): Promise<Schemas["PasskeyAssertion"]> {
  return await ask(() => {
    const json = options as RequestOptions & PublicKeyCredentialRequestOptionsJSON;
    return navigator.credentials.get({
      ...how,
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(json),
    });
  });
}

/** The browser's refusals with a text of their own (`problems`), by the name of the exception. */
const REFUSALS: Readonly<Record<string, string>> = {
  NotAllowedError: "PASSKEY_NOT_GIVEN",
  InvalidStateError: "PASSKEY_ALREADY_ACTIVE",
  SecurityError: "PASSKEYS_UNSUPPORTED",
  NotSupportedError: "PASSKEYS_UNSUPPORTED",
};

async function ask<T>(request: () => Promise<Credential | null>): Promise<T> {
  try {
    if (!hasPasskeys) throw new DOMException("", "NotSupportedError");
    const credential = await request() as PublicKeyCredential;
    return credential.toJSON() as T;
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
