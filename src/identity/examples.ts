import {
  EXAMPLE_IDS,
  EXAMPLE_NAMES,
  EXAMPLE_PAGE,
  EXAMPLE_RECOVERY_CODES,
  EXAMPLE_SECRETS,
  EXAMPLE_TIMES,
} from "../http/openapi/example_values.ts";
import type { OperationExample } from "../http/openapi/openapi_examples.ts";

const { accessToken, refreshToken, sudoToken, password } = EXAMPLE_SECRETS;
const { created, latest } = EXAMPLE_TIMES;

export const AUTH_EXAMPLES = {
  login: {
    request: { body: { username: EXAMPLE_NAMES.email, password } },
    response: refreshToken,
  },
  getAccessToken: { response: accessToken },
  rotateRefreshToken: { response: refreshToken },
  validateRefreshToken: { response: { userId: EXAMPLE_IDS.user } },
  validateAccessToken: { response: { userId: EXAMPLE_IDS.user } },
  logout: {},
  getJwks: {
    response: {
      keys: [{
        kty: "OKP",
        crv: "Ed25519",
        // The public key of RFC 8037, appendix A, and its thumbprint.
        x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        kid: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
        alg: "EdDSA",
        use: "sig",
      }],
    },
  },
} as const satisfies Readonly<Record<string, OperationExample>>;

const session = { createdAt: created, lastTokenAt: latest, client: EXAMPLE_NAMES.client };

export const SESSION_EXAMPLES = {
  listSessions: {
    request: { query: { limit: 10 } },
    response: {
      session: [
        { id: EXAMPLE_NAMES.sessionId, ...session, current: true },
        { id: EXAMPLE_NAMES.otherSessionId, ...session, current: false },
      ],
      nextCursor: null,
    },
  },
  endSession: { request: { path: { id: EXAMPLE_NAMES.otherSessionId } }, response: null },
  endOtherSessions: { request: { query: { keys: false } }, response: null },
} as const satisfies Readonly<Record<string, OperationExample>>;

export const FACTOR_EXAMPLES = {
  getSecondFactors: {
    response: {
      enabled: true,
      passkey: { completedAt: created },
      emailOtp: { email: EXAMPLE_NAMES.codesEmail, completedAt: created },
      totp: { completedAt: created, confirmed: true },
      recoveryCodes: { completedAt: created, remaining: 9 },
    },
  },
  confirmFactor: { request: { body: { token: EXAMPLE_SECRETS.factorToken } }, response: null },
  confirmFactorPage: { response: EXAMPLE_PAGE },
} as const satisfies Readonly<Record<string, OperationExample>>;

/** Responses shared by the operations of all second factors. */
export const CHALLENGE_RESPONSES = {
  duration: { duration: 0 },
  recoveryCodes: { recoveryCodes: EXAMPLE_RECOVERY_CODES },
  /** With an access token. With a partial token, the response also has an access and a refresh token. */
  tokens: { sudoToken },
} as const;
