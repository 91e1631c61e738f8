import { respondCollection, withPaging } from "../http/collect.ts";
import { createRouter } from "../http/env.ts";
import { ERROR_RESPONSES } from "../http/openapi/error_responses.ts";
import { operation } from "../http/openapi/openapi.ts";
import { respondJson } from "../http/respond.ts";
import { validJson, validParam, validQuery } from "../http/validation.ts";
import { LASTING_RULE, SUDO_HEADER_TEXT } from "../identity/descriptions.ts";
import { requireAccessToken, SUDO_HEADER } from "../identity/guards.ts";
import type { GraphGuards } from "../identity/graph_guards.ts";
import { refuseIdempotencyKey } from "../changes/idempotency_middleware.ts";
import { PREVIEWING, readMode, validIfEffect } from "../changes/preview/preview_middleware.ts";
import { PagingQuerySchema } from "../http/list_schemas.ts";
import { DeletionSchema, DryRunQuerySchema } from "../role/schemas.ts";
import type { AccessTokens } from "../identity/token/access_token.ts";
import { listOwnKeys } from "./made_key_service.ts";
import { KEY_EXAMPLES } from "./examples.ts";
import { adoptKey, createKey, deleteKey, type KeyDeps, listKeys } from "./key_service.ts";
import {
  CreatedKeySchema,
  CreateKeySchema,
  KeyListSchema,
  KeyPathSchema,
  KeyQuerySchema,
  KeysPathSchema,
  OwnKeyListSchema,
  OwnKeyQuerySchema,
} from "./schemas.ts";

const tag = "Keys";
const security = "accessBearerAuth";

/** Why no key is made under an `Idempotency-Key`: only the HMAC of its secret is stored. */
const SECRET_IS_SHOWN_ONCE =
  "A secret cannot be returned again: send no Idempotency-Key, and if a response is lost, delete the key and make another";

const ADOPTED_SECRET_IS_SHOWN_ONCE =
  "A secret cannot be returned again: send no Idempotency-Key, and if a response is lost, adopt the key again";

/** Dependencies of the operations about keys. */
export interface KeyRoutesDeps extends KeyDeps {
  readonly accessTokens: AccessTokens;
}

export function createKeyRoutes(deps: KeyRoutesDeps, guards: GraphGuards) {
  return createRouter()
    .post(
      "/v1/role/:roleId/key",
      operation({
        operationId: "createKey",
        tag,
        summary: "Create a key",
        description:
          "Makes a key, with which a program is a member of the role: it sends `secret` as its bearer token, to " +
          "operations that accept a key. Needs direct or indirect userManagement, or indirect roleManagement, on " +
          "the role. The membership that has that right must have all `rights` of the key, and must not end before " +
          "the key; without `rights`, the key has those of the membership.\n\n" +
          "The secret is in this response only. A key makes no keys, and neither sets nor uses passwords of roles. It " +
          "gives relations, rights of roles on themselves, and devices to further roles only while its " +
          "maker could do so, too. Its requests count to its maker while they are a member of its role, directly or " +
          "indirectly, else to the root. " +
          "With `provisions`, it may also add members, as `PUT /v1/role/{roleId}/member` says. " +
          "With `asks`, it may also ask who has access to the roles that it reaches and what changed there, whatever its `rights`. A role " +
          "has at most 100 keys that have not ended.\n\n" + LASTING_RULE + "\n\n" + PREVIEWING +
          " The key then has no `id` and no secret, and no sudo token is needed.",
        security,
        usersOnly: true,
        data: "graph",
        takes: "body",
        headers: { [SUDO_HEADER]: SUDO_HEADER_TEXT },
        success: CreatedKeySchema,
        messages: { MALFORMED_REQUEST: [ERROR_RESPONSES.MALFORMED_REQUEST.message, SECRET_IS_SHOWN_ONCE] },
        errors: ["SUDO_TOKEN_REQUIRED", "FORBIDDEN", "TOO_MANY_KEYS", "EFFECT_CHANGED"],
        example: KEY_EXAMPLES.createKey,
      }),
      guards.caller,
      guards.proof,
      refuseIdempotencyKey(SECRET_IS_SHOWN_ONCE),
      validIfEffect(),
      validParam(KeysPathSchema),
      validQuery(DryRunQuerySchema),
      validJson(CreateKeySchema),
      async (c) => {
        const mode = readMode({ ...c.req.valid("query"), ...c.req.valid("header") });
        const input = { ...c.req.valid("param"), ...c.req.valid("json") };
        return c.json(await createKey(deps, c.get("sudoActor"), input, mode));
      },
    )
    .post(
      "/v1/role/:roleId/key/:keyId/adopt",
      operation({
        operationId: "adoptKey",
        tag,
        summary: "Adopt a key",
        description:
          "Makes the caller the maker of a key, in place of another user or of an administrator, for example when its " +
          "maker leaves. The key gets a new secret, which is in this response only, and the old one ends at once; all " +
          "else stays as it is, so what the key gave is still known as given by it. A caller who ends what a user gave and " +
          "made ends it with the caller's from then on.\n\n" +
          "Needs what making the key needs: direct or indirect userManagement, or indirect roleManagement, on the role, " +
          "by a membership that must have all rights of the key, and must " +
          "not end before the key. Makers may adopt their own keys, for a new secret.\n\n" + LASTING_RULE +
          "\n\n" +
          PREVIEWING + " It shows the key as it is, and no sudo token is needed.",
        security,
        usersOnly: true,
        data: "graph",
        headers: { [SUDO_HEADER]: SUDO_HEADER_TEXT },
        success: CreatedKeySchema,
        messages: {
          MALFORMED_REQUEST: [ERROR_RESPONSES.MALFORMED_REQUEST.message, ADOPTED_SECRET_IS_SHOWN_ONCE],
        },
        errors: ["SUDO_TOKEN_REQUIRED", "FORBIDDEN", "EFFECT_CHANGED"],
        example: KEY_EXAMPLES.adoptKey,
      }),
      guards.caller,
      guards.proof,
      refuseIdempotencyKey(ADOPTED_SECRET_IS_SHOWN_ONCE),
      validIfEffect(),
      validParam(KeyPathSchema),
      validQuery(DryRunQuerySchema),
      async (c) => {
        const mode = readMode({ ...c.req.valid("query"), ...c.req.valid("header") });
        return c.json(await adoptKey(deps, c.get("sudoActor"), c.req.valid("param"), mode));
      },
    )
    .post(
      "/v1/role/:roleId/key/query",
      operation({
        operationId: "queryKeys",
        tag,
        summary: "Query keys",
        description:
          "Returns the keys of a role that have not ended, in order of id, if the caller has direct or indirect " +
          "userManagement or indirect roleManagement on the role; otherwise none.",
        security,
        data: "graph",
        takes: "body",
        success: KeyListSchema,
        example: KEY_EXAMPLES.queryKeys,
      }),
      guards.caller,
      validParam(KeysPathSchema),
      validQuery(PagingQuerySchema),
      validJson(KeyQuerySchema, { bodyOptional: true }),
      (c) => {
        const { limit, cursor } = withPaging(c.req.valid("json"), c.req.valid("query"));
        const readPage = listKeys.bind(null, deps, c.get("actor"), c.req.valid("param").roleId);
        return respondCollection(c, { key: "key", limit, cursor, readPage });
      },
    )
    .get(
      "/user/key",
      operation({
        operationId: "listOwnKeys",
        tag,
        summary: "List one's own keys",
        description:
          "The keys that the user made in any role and that have not ended, newest first. Includes keys of roles that the " +
          "user has left since. Returns 100 keys unless `limit` says otherwise.",
        security,
        success: OwnKeyListSchema,
        example: KEY_EXAMPLES.listOwnKeys,
      }),
      requireAccessToken(deps),
      validQuery(OwnKeyQuerySchema),
      (c) => respondJson(c, () => listOwnKeys(deps, c.get("actor"), c.req.valid("query"))),
    )
    .delete(
      "/v1/role/:roleId/key/:keyId",
      operation({
        operationId: "deleteKey",
        tag,
        summary: "Delete a key",
        description:
          "Ends a key at once. Needs direct or indirect userManagement, or indirect roleManagement, on " +
          "the role. Its maker only needs to be a member of the role, directly or indirectly. A key ends another one " +
          "only if its own maker could, too.\n\n" + PREVIEWING,
        security,
        data: "graph",
        success: DeletionSchema,
        errors: ["FORBIDDEN", "EFFECT_CHANGED"],
        example: KEY_EXAMPLES.deleteKey,
      }),
      guards.caller,
      validIfEffect(),
      validParam(KeyPathSchema),
      validQuery(DryRunQuerySchema),
      async (c) => {
        const mode = readMode({ ...c.req.valid("query"), ...c.req.valid("header") });
        return c.json(await deleteKey(deps, c.get("actor"), c.req.valid("param"), mode));
      },
    );
}
