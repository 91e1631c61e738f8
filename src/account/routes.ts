import { createRouter } from "../http/env.ts";
import { operation } from "../http/openapi/openapi.ts";
import { validJson, validQuery } from "../http/validation.ts";
import { requireAccessToken, requireSudoToken } from "../identity/guards.ts";
import { NullSchema } from "../identity/schemas.ts";
import { getAccount, leave, listEvents, updateAccount } from "./account_service.ts";
import type { AccountDeps } from "./deps.ts";
import { ACCOUNT_EXAMPLES } from "./examples.ts";
import { exportAccount } from "./export_service.ts";
import {
  AccountSchema,
  ExportSchema,
  SecurityLogQuerySchema,
  SecurityLogSchema,
  UpdateAccountSchema,
} from "./schemas.ts";

const tag = "Own account";
const security = "accessBearerAuth";
const NO_STORE = { "Cache-Control": "no-store" };

export function createAccountRoutes(deps: AccountDeps) {
  const requireAccess = requireAccessToken(deps.accessTokens);

  return createRouter()
    .get(
      "/user",
      operation({
        operationId: "getAccount",
        tag,
        summary: "Get the own account",
        description: "Its address, and the language of mails to it.",
        security,
        success: AccountSchema,
        takes: "nothing",
        example: ACCOUNT_EXAMPLES.getAccount,
      }),
      requireAccess,
      async (c) => c.json(await getAccount(deps, c.var.actor), 200, NO_STORE),
    )
    .put(
      "/user",
      operation({
        operationId: "updateAccount",
        tag,
        summary: "Update the own account",
        description: "Sets the language of mails. The other fields may be sent back and are ignored.",
        security,
        takes: "body",
        success: AccountSchema,
        example: ACCOUNT_EXAMPLES.updateAccount,
      }),
      requireAccess,
      validJson(UpdateAccountSchema),
      async (c) => c.json(await updateAccount(deps, c.var.actor, c.req.valid("json")), 200, NO_STORE),
    )
    .get(
      "/user/security-log",
      operation({
        operationId: "listSecurityEvents",
        tag,
        summary: "List what happened to the own account",
        description:
          "Every decided attempt at signing in or changing the account, newest first, 100 unless `limit` says " +
          "otherwise.",
        security,
        success: SecurityLogSchema,
        example: ACCOUNT_EXAMPLES.listSecurityEvents,
      }),
      requireAccess,
      validQuery(SecurityLogQuerySchema),
      async (c) => c.json(await listEvents(deps, c.var.actor, c.req.valid("query")), 200, NO_STORE),
    )
    .get(
      "/user/export",
      operation({
        operationId: "exportAccount",
        tag,
        summary: "Export the own data",
        description: "Everything that is held about the user, without hashes and secrets.",
        security,
        success: ExportSchema,
        takes: "nothing",
        example: ACCOUNT_EXAMPLES.exportAccount,
      }),
      requireAccess,
      async (c) => c.json(await exportAccount(deps, c.var.actor), 200, NO_STORE),
    )
    .delete(
      "/user",
      operation({
        operationId: "deleteAccount",
        tag,
        summary: "Leave",
        description:
          "Deletes the account with its sessions, memberships, factors, codes and links; the logs keep its id and " +
          "lose its client addresses. A root role keeps its last member, and while a transfer of the address can be " +
          "undone nobody leaves. Takes a sudo token; without a second factor also an " +
          "access token of a session whose password sign-in is at most 15 minutes old.",
        security: ["sudoBearerAuth", "accessBearerAuth"],
        success: NullSchema,
        errors: ["SUDO_TOKEN_REQUIRED", "ROOT_WITHOUT_MEMBER", "TRANSFER_TOO_SOON"],
        takes: "nothing",
        example: ACCOUNT_EXAMPLES.deleteAccount,
      }),
      requireSudoToken(deps),
      async (c) => {
        await leave(deps, c.var.sudoActor, c.var.clientAddress);
        return c.json(null, 200, NO_STORE);
      },
    );
}
