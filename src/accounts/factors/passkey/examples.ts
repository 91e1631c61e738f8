import {
  EXAMPLE_IDS,
  EXAMPLE_NAMES,
  EXAMPLE_SECRETS,
  EXAMPLE_TIMES,
} from "../../../http/openapi/example_values.ts";
import type { OperationExample } from "../../../http/openapi/openapi_examples.ts";
import { CHALLENGE_RESPONSES } from "../../../identity/examples.ts";

const { passkeyChallenge, credentialId } = EXAMPLE_SECRETS;
const id = credentialId;

/** The texts of responses by what they are for. Each is one of a kind, so that a test can replace it with a live one. */
export const PASSKEY_EXAMPLE_RESPONSES = {
  create: {
    id: "ZXhhbXBsZS1vZi1hLW5ldy1pZA",
    clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0",
    attestationObject: "o2NmbXRkbm9uZQ",
  },
  prove: {
    id,
    clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
    authenticatorData: "ZGF0YS1vZi1hLXByb29m",
    signature: "c2lnbmF0dXJlLW9mLWEtcHJvb2Y",
    userHandle: "ZXhhbXBsZSBvZiAzMiByYW5kb20gYnl0ZXMgYXMgaGE",
  },
  login: {
    id,
    clientDataJSON: "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiIjoiIn0",
    authenticatorData: "ZGF0YS1vZi1hLWxvZ2lu",
    signature: "c2lnbmF0dXJlLW9mLWEtbG9naW4",
    userHandle: "ZXhhbXBsZSBvZiAzMiByYW5kb20gYnl0ZXMgYXMgaGE",
  },
} as const;
const { userHandle } = PASSKEY_EXAMPLE_RESPONSES.prove;

function credential<R extends { readonly id: string }>({ id: named, ...response }: R) {
  return { id: named, rawId: named, type: "public-key", clientExtensionResults: {}, response } as const;
}

const requestOptions = {
  options: { challenge: passkeyChallenge, rpId: "rolegrid.example.com", timeout: 300_000 },
};

export const PASSKEY_EXAMPLES = {
  setUpPasskey: {
    request: { body: {} },
    response: {
      options: {
        challenge: passkeyChallenge,
        rp: { id: "rolegrid.example.com", name: "Rolegrid" },
        user: { id: userHandle, name: EXAMPLE_NAMES.email, displayName: "" },
        pubKeyCredParams: [{ alg: -8, type: "public-key" }],
        timeout: 300_000,
        attestation: "none",
        excludeCredentials: [{ id, type: "public-key", transports: ["internal"] }],
        authenticatorSelection: {
          residentKey: "required",
          userVerification: "preferred",
          requireResidentKey: true,
        },
        extensions: { credProps: true },
        hints: [],
      },
    },
  },
  activatePasskey: {
    request: {
      body: {
        response: credential(PASSKEY_EXAMPLE_RESPONSES.create),
        name: "Laptop",
      },
    },
    response: { recoveryCodes: [] },
  },
  listPasskeys: {
    response: {
      passkey: [{
        id: EXAMPLE_IDS.passkey,
        credentialId: id,
        name: "Laptop",
        createdAt: EXAMPLE_TIMES.created,
        lastUsedAt: EXAMPLE_TIMES.latest,
        confirmed: true,
        synced: true,
        transports: ["internal"],
      }],
      userHandle,
    },
  },
  renamePasskey: {
    request: { path: { passkeyId: EXAMPLE_IDS.passkey }, body: { name: "Old laptop" } },
    response: null,
  },
  removePasskey: { request: { path: { passkeyId: EXAMPLE_IDS.passkey } }, response: null },
  challengePasskey: {
    request: { body: {} },
    response: {
      options: {
        ...requestOptions.options,
        allowCredentials: [{ id, type: "public-key", transports: ["internal"] }],
        userVerification: "preferred",
      },
    },
  },
  provePasskey: {
    request: { body: { response: credential(PASSKEY_EXAMPLE_RESPONSES.prove) } },
    response: CHALLENGE_RESPONSES.tokens,
  },
  challengePasskeyLogin: {
    request: { body: {} },
    response: { options: { ...requestOptions.options, userVerification: "required" } },
  },
  loginWithPasskey: {
    request: { body: { response: credential(PASSKEY_EXAMPLE_RESPONSES.login) } },
    response: EXAMPLE_SECRETS.refreshToken,
  },
} as const satisfies Readonly<Record<string, OperationExample>>;
