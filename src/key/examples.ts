import {
  EXAMPLE_IDS,
  EXAMPLE_NAMES,
  EXAMPLE_SECRETS,
  EXAMPLE_TIMES,
} from "../http/openapi/example_values.ts";
import type { OperationExample } from "../http/openapi/openapi_examples.ts";
import { maskOf, toRights } from "../graph/rights.ts";

const { childRole, key } = EXAMPLE_IDS;
const rights = toRights(maskOf("viewManagement") | maskOf("deviceManagement"));

const meterKey = {
  id: key,
  roleId: childRole,
  name: "Meter gateway",
  prefix: EXAMPLE_SECRETS.roleKey.slice(0, -58),
  rights,
  asks: false,
  provisions: false,
  expiresAt: EXAMPLE_TIMES.later,
  createdAt: EXAMPLE_TIMES.created,
  createdBy: EXAMPLE_NAMES.email,
  lastUsedAt: null,
};

export const KEY_EXAMPLES = {
  createKey: {
    request: { path: { roleId: childRole }, body: { name: "Meter gateway", rights } },
    response: { key: meterKey, secret: EXAMPLE_SECRETS.roleKey },
  },
  queryKeys: {
    request: { path: { roleId: childRole }, body: { limit: 100 } },
    response: { key: [meterKey], nextCursor: null },
  },
  listOwnKeys: {
    request: { query: { limit: 10 } },
    response: { key: [meterKey], nextCursor: null },
  },
  adoptKey: {
    request: { path: { roleId: childRole, keyId: key } },
    response: { key: meterKey, secret: EXAMPLE_SECRETS.roleKey },
  },
  deleteKey: {
    request: { path: { roleId: childRole, keyId: key } },
    response: { deletedNodeIds: [], deletedRelationIds: [] },
  },
} as const satisfies Readonly<Record<string, OperationExample>>;
