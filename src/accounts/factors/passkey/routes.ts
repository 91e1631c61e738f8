import { NullSchema } from "../../../http/common_schemas.ts";
import { createRouter } from "../../../http/env.ts";
import { operation } from "../../../http/openapi/openapi.ts";
import { validJson, validParam } from "../../../http/validation.ts";
import { SUDO_RULE } from "../../../identity/descriptions.ts";
import {
  describeClient,
  requireAccessOrPartialToken,
  requireAccessToken,
  requireSudoToken,
} from "../../../identity/guards.ts";
import {
  ChallengeTokensSchema,
  EmptyBodySchema,
  RecoveryCodesSchema,
  TokenTextSchema,
} from "../../../identity/schemas.ts";
import { countSignIns } from "../../../identity/sign_in_middleware.ts";
import type { PasskeyDeps } from "./deps.ts";
import { PASSKEY_EXAMPLES } from "./examples.ts";
import {
  CreationOptionsSchema,
  EnablePasskeySchema,
  PasskeyListSchema,
  PasskeyPathSchema,
  ProvePasskeySchema,
  RenamePasskeySchema,
  RequestOptionsSchema,
} from "./schemas.ts";
import {
  challengePasskey,
  challengeSignIn,
  enablePasskey,
  listPasskeys,
  provePasskey,
  removePasskey,
  renamePasskey,
  setUpPasskey,
  signInWithPasskey,
} from "./service.ts";

const tag = "Second factors";
const accessOrPartial = ["accessBearerAuth", "partialBearerAuth"] as const;
const sudoOrFresh = ["sudoBearerAuth", "accessBearerAuth"] as const;

export function createPasskeyRoutes(deps: PasskeyDeps) {
  const requireAccess = requireAccessToken(deps);
  const requireSudo = requireSudoToken(deps);
  const requireChallenged = requireAccessOrPartialToken(deps);

  return createRouter()
    .post(
      "/user/2fa/passkey/setup",
      operation({
        operationId: "setUpPasskey",
        tag,
        summary: "Get the options for a new passkey",
        description:
          "Returns the options for `navigator.credentials.create()`; send its result to the operation " +
          "`activatePasskey` within 5 minutes. An account can have 20 passkeys.\n\n" +
          SUDO_RULE,
        security: sudoOrFresh,
        takes: "body",
        success: CreationOptionsSchema,
        errors: ["SUDO_TOKEN_REQUIRED", "TOO_MANY_PASSKEYS"],
        example: PASSKEY_EXAMPLES.setUpPasskey,
      }),
      requireSudo,
      validJson(EmptyBodySchema, { bodyOptional: true }),
      async (c) => c.json({ options: await setUpPasskey(deps, c.var.sudoActor) }),
    )
    .post(
      "/user/2fa/passkey/enable",
      operation({
        operationId: "activatePasskey",
        tag,
        summary: "Add a passkey",
        description:
          "Adds the passkey that the browser has made. If it is the account's first second factor, the response " +
          "contains its recovery codes, which are not shown again. Ends pending codes, links and setups, and makes " +
          "earlier sudo and partial tokens invalid. A wrong response counts to the client's network.\n\n" +
          SUDO_RULE,
        security: sudoOrFresh,
        takes: "body",
        success: RecoveryCodesSchema,
        errors: [
          "SUDO_TOKEN_REQUIRED",
          "PASSKEY_INVALID",
          "PASSKEY_ALREADY_ACTIVE",
          "TOO_MANY_PASSKEYS",
          "TOO_MANY_PASSKEY_CHECKS",
        ],
        example: PASSKEY_EXAMPLES.activatePasskey,
      }),
      requireSudo,
      validJson(EnablePasskeySchema),
      async (c) => {
        const { sudoActor, clientAddress } = c.var;
        const recoveryCodes = await enablePasskey(deps, sudoActor, clientAddress, c.req.valid("json"));
        return c.json({ recoveryCodes });
      },
    )
    .get(
      "/user/2fa/passkey",
      operation({
        operationId: "listPasskeys",
        tag,
        summary: "List the own passkeys",
        description: "The oldest first.",
        security: "accessBearerAuth",
        success: PasskeyListSchema,
        takes: "nothing",
        example: PASSKEY_EXAMPLES.listPasskeys,
      }),
      requireAccess,
      async (c) => c.json(await listPasskeys(deps, c.var.actor)),
    )
    .put(
      "/user/2fa/passkey/:passkeyId",
      operation({
        operationId: "renamePasskey",
        tag,
        summary: "Rename a passkey",
        description: "Responds with 403 if the passkey does not exist or belongs to another user.",
        security: "accessBearerAuth",
        takes: "body",
        success: NullSchema,
        errors: ["FORBIDDEN"],
        example: PASSKEY_EXAMPLES.renamePasskey,
      }),
      requireAccess,
      validParam(PasskeyPathSchema),
      validJson(RenamePasskeySchema),
      async (c) => {
        const change = { ...c.req.valid("param"), ...c.req.valid("json") };
        await renamePasskey(deps, c.var.actor, c.var.clientAddress, change);
        return c.json(null);
      },
    )
    .delete(
      "/user/2fa/passkey/:passkeyId",
      operation({
        operationId: "removePasskey",
        tag,
        summary: "Remove a passkey",
        description:
          "If it is the account's last second factor, the recovery codes are deleted, too. Ends the user's other " +
          "sessions and pending codes and links. Needs a sudo token. Responds with 403 if the " +
          "passkey does not exist or belongs to another user.",
        security: sudoOrFresh,
        success: NullSchema,
        errors: ["SUDO_TOKEN_REQUIRED", "FORBIDDEN"],
        takes: "nothing",
        example: PASSKEY_EXAMPLES.removePasskey,
      }),
      requireSudo,
      validParam(PasskeyPathSchema),
      async (c) => {
        const { passkeyId } = c.req.valid("param");
        await removePasskey(deps, c.var.sudoActor, c.var.clientAddress, passkeyId);
        return c.json(null);
      },
    )
    .post(
      "/user/2fa/passkey/challenge",
      operation({
        operationId: "challengePasskey",
        tag,
        summary: "Get the options for proving a passkey",
        description:
          "Returns the options for `navigator.credentials.get()` with the account's passkeys; send its result to " +
          "the operation `provePasskey` with the same token.",
        security: accessOrPartial,
        takes: "body",
        success: RequestOptionsSchema,
        errors: ["PASSKEY_UNINITIALIZED"],
        example: PASSKEY_EXAMPLES.challengePasskey,
      }),
      requireChallenged,
      validJson(EmptyBodySchema, { bodyOptional: true }),
      async (c) => c.json({ options: await challengePasskey(deps, c.var.challenged) }),
    )
    .post(
      "/user/2fa/passkey/authenticate",
      operation({
        operationId: "provePasskey",
        tag,
        summary: "Verify a passkey",
        description:
          "With an access token (step-up), a right response returns a sudo token. With a partial token, it completes " +
          "the login and returns a sudo, a refresh and an access token. A response works once. A login ends at its " +
          "fifth wrong response; wrong responses also count to the client's network.",
        security: accessOrPartial,
        takes: "body",
        success: ChallengeTokensSchema,
        errors: ["PASSKEY_INVALID", "PASSKEY_UNINITIALIZED", "TOO_MANY_PASSKEY_CHECKS"],
        example: PASSKEY_EXAMPLES.provePasskey,
      }),
      requireChallenged,
      validJson(ProvePasskeySchema),
      countSignIns(deps.metrics, "passkey"),
      async (c) => {
        const { response } = c.req.valid("json");
        return c.json(await provePasskey(deps, c.var.challenged, c.var.clientAddress, response));
      },
    )
    .post(
      "/auth/passkey/challenge",
      operation({
        operationId: "challengePasskeyLogin",
        tag: "Tokens",
        summary: "Get the options for a login with a passkey",
        description:
          "Returns the options for `navigator.credentials.get()` with any passkey of this service, also as autofill " +
          '(`mediation: "conditional"`); send its result to the operation `loginWithPasskey`.',
        security: "none",
        takes: "body",
        success: RequestOptionsSchema,
        example: PASSKEY_EXAMPLES.challengePasskeyLogin,
      }),
      validJson(EmptyBodySchema, { bodyOptional: true }),
      async (c) => c.json({ options: await challengeSignIn(deps) }),
    )
    .post(
      "/auth/passkey/login",
      operation({
        operationId: "loginWithPasskey",
        tag: "Tokens",
        summary: "Log in with a passkey",
        description:
          "Returns a refresh token for the response of a passkey, without address and password. Its authenticator " +
          "must verify its user, and must have done so when the passkey was made; so the login counts as both " +
          "factors. Until the link is opened that was mailed when the passkey was added, the response is a 409 " +
          "`PASSKEY_UNCONFIRMED`, and the passkey is a second factor beside the password. A response works once. If the " +
          "service does not have the passkey, the error is `PASSKEY_UNKNOWN`: tell the browser by " +
          "`signalUnknownCredential`. Any other wrong response is `PASSKEY_INVALID`, and both count to the client's " +
          "network.",
        security: "none",
        takes: "body",
        success: TokenTextSchema,
        successType: "text/plain",
        errors: ["PASSKEY_INVALID", "PASSKEY_UNKNOWN", "PASSKEY_UNCONFIRMED", "TOO_MANY_PASSKEY_CHECKS"],
        example: PASSKEY_EXAMPLES.loginWithPasskey,
      }),
      validJson(ProvePasskeySchema),
      countSignIns(deps.metrics, "passkey"),
      async (c) => {
        const { response } = c.req.valid("json");
        return c.text(await signInWithPasskey(deps, describeClient(c), response));
      },
    );
}
