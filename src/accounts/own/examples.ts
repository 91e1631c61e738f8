import { EXAMPLE_IDS, EXAMPLE_NAMES, EXAMPLE_TIMES } from "../../http/openapi/example_values.ts";
import type { OperationExample } from "../../http/openapi/openapi_examples.ts";
import { ALL_RIGHTS, toRights } from "../../graph/rights.ts";

const { created, latest, soon, later } = EXAMPLE_TIMES;
const { email, newEmail, sessionId, address, client } = EXAMPLE_NAMES;

const account = { id: EXAMPLE_IDS.user, email, name: "Ada Jansen", language: "en", createdAt: created };
const event = {
  id: EXAMPLE_IDS.event,
  at: latest,
  event: "login",
  result: "ok",
  attempts: 1,
  sessionId,
  address,
};
const pending = { createdAt: latest, expiresAt: soon, endedAt: null };

export const ACCOUNT_EXAMPLES = {
  getAccount: {
    response: {
      ...account,
      memberOf: [{ roleId: EXAMPLE_IDS.rootRole, name: "Energy Inc", rights: toRights(ALL_RIGHTS) }],
      dormant: [],
      dormantFrom: [],
    },
  },
  updateAccount: { request: { body: { language: "nl" } }, response: { ...account, language: "nl" } },
  listSecurityEvents: {
    request: { query: { limit: 100 } },
    response: { event: [event], nextCursor: null },
  },
  exportAccount: {
    response: {
      account: { ...account, hasPassword: true, passwordChangedAt: null, externalId: null },
      membership: [{
        id: EXAMPLE_IDS.firstMember,
        roleId: EXAMPLE_IDS.rootRole,
        roleName: "Energy Inc",
        rights: toRights(ALL_RIGHTS),
        until: null,
      }],
      key: [{
        id: EXAMPLE_IDS.key,
        roleId: EXAMPLE_IDS.childRole,
        name: "Meter gateway",
        createdAt: created,
      }],
      session: [{
        id: sessionId,
        createdAt: created,
        authenticatedAt: created,
        lastTokenAt: latest,
        expiresAt: later,
        client,
        endedAt: null,
        endedReason: null,
      }],
      pendingSignIn: [],
      knownAddress: [{ address, lastSignInAt: latest }],
      secondFactor: [],
      passkey: [],
      recoveryCode: [],
      code: [{ purpose: "email_transfer", email: newEmail, ...pending }],
      passwordLink: [{ purpose: "invitation", ...pending }],
      undoLink: [],
      reservedEmail: [],
      mail: [{
        template: "email_transfer_otp",
        language: "en",
        recipient: newEmail,
        createdAt: latest,
        deliveredAt: null,
      }],
      event: [event],
    },
  },
  deleteAccount: { response: null },
} as const satisfies Readonly<Record<string, OperationExample>>;
